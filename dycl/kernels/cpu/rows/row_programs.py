"""`cpu-row-programs`: softmax, norms, means: one loop over rows, few passes over each.

What is done with a row is done while it is in the nearest cache, and what there is once
for each row stays in registers. Vectors lie along the row, with four accumulators and a
mask for what is left over; or, where neighbours in memory are different rows, each lane
is a row. Which ops go together is said in `row_groups.py`, in which pass of a row each
is in `row_plan.py`.

Without it (`--without cpu-row-programs`) calls take so much CPU time, as a multiple: a
ViT of 224x224 pixels with exits 1.22, PABEE 1.02 to 1.04, a small captioner 1.02; 0.99
to 1.00 where there are convolutions or products of one row alone (MobileNet, greedy
decoding). Medians of 101 calls in turns, one thread.

Before (softmax, 128 x 100):
    linalg.fill ins(%-inf) outs(%m)
    linalg.generic {maximum over j} ins(%x) outs(%m)
    linalg.generic {exp(x - m)} ins(%x, %m) outs(%e)
    linalg.fill ins(%zero) outs(%s)
    linalg.generic {sum over j} ins(%e) outs(%s)
    linalg.generic {e / s} ins(%e, %s) outs(%out)

After:
    scf.for %i = 0 to 128 {
      %m:2 = scf.for %j = 0 to 96 step 32 { vector.load ... arith.maximumf }
      %m1 = vector.maskedload ... ; vector.reduction <maximumf>
      scf.for %j = ... { math.exp ... vector.store %row; arith.addf }
      scf.for %j = ... { vector.load %row; arith.divf; vector.store %out }
    }

Needs:  linalg on memrefs, before buffers are freed.
Leaves: buffers that nobody reads, which canonicalize erases.
Skips:  sizes known at run time only; what is not linear in the loops; bodies that use
        an index; rows whose elements, and whose neighbours, do not lie side by side.
"""

from typing import Any

from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.rows.row_groups import row_groups
from dycl.kernels.cpu.rows.row_plan import plan_of
from dycl.kernels.cpu.rows.row_program import RowProgram


def row_programs(module: Any) -> None:
    """Rewrite every group of ops with a reduction that can be a row program."""
    for func in functions(module):
        for block in func.regions[0].blocks:
            done: list[Any] = []
            for group in row_groups(block):
                plan = plan_of(group)
                if plan is None:
                    continue
                last = group.members[max(group.members)].op
                with ir.InsertionPoint(last), last.location:
                    RowProgram(plan).write()
                done += [part.op for part in plan.parts]
            for op in done:
                op.erase()
