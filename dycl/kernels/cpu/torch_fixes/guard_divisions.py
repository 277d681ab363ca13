"""`cpu-guard-divisions`: a size of 0 does not end the process.

torch-mlir divides the number of elements by the sizes that it knows, to find the one
that is left: 0 by 0 for a tensor without elements, at which the processor stops. What
the quotient is then is no matter: it is the size of nothing.

Before:
    %size = arith.divsi %elements, %known : i64

After:
    %is_zero = arith.cmpi eq, %known, 0
    %divisor = arith.select %is_zero, 1, %known
    %size = arith.divsi %elements, %divisor : i64

Needs:  linalg on tensors.
Leaves: divisions in the payloads of ops as they are.
Skips:  divisors that are constants.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import functions, ir

_DIVISIONS = (
    *("arith.divsi", "arith.divui", "arith.ceildivsi", "arith.ceildivui"),
    *("arith.floordivsi", "arith.remsi", "arith.remui"),
)
_EQUAL = 0


def guard_divisions(module: Any) -> None:
    """Divide sizes by 1 instead of 0."""
    for func in functions(module):
        for op in [op.operation for op in func.regions[0].blocks[0].operations]:
            if op.name not in _DIVISIONS:
                continue
            divisor = op.operands[1]
            owner = divisor.owner
            if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
                continue
            with ir.InsertionPoint(op), op.location:
                zero, one = (build.constant(n, divisor.type) for n in (0, 1))
                is_zero = build.compare_integers(_EQUAL, divisor, zero)
                op.operands[1] = build.select(is_zero, one, divisor)
