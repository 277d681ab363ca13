"""`cpu-fuse-elementwise`: a chain of elementwise ops becomes one loop.

It is MLIR's own fusion; only what `dycl.nest` marks is left as it stands. Were an
elementwise producer fused into a contraction, it would be computed once for each
product instead of once for each element.

Before:
    %a = linalg.generic {x + y}
    %b = linalg.generic {relu} ins(%a)
    %c = linalg.generic {dycl.nest = "conv"} ins(%b, %w)

After:
    %b = linalg.generic {relu(x + y)}
    %c = linalg.generic {dycl.nest = "conv"} ins(%b, %w)

Needs:  linalg on tensors.
Leaves: nothing is computed twice.
Skips:  producers with several users, and what `dycl.nest` marks.
"""

from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.mlir import ir, ops, run_passes
from dycl.kernels.cpu.samples.marked import SAMPLE_OF

_BARRIER = "dycl.barrier"


def fuse_elementwise(module: Any) -> None:
    """Fuse within each function of `module`, around the marked ops."""
    module.context.allow_unregistered_dialects = True
    try:
        for op in ops(module.operation):
            if NEST in op.attributes or SAMPLE_OF in op.attributes:
                _keep_apart(op)
        run_passes(
            module, "canonicalize,linalg-fuse-elementwise-ops,canonicalize", False
        )
        for op in ops(module.operation):
            if op.name == _BARRIER:
                op.results[0].replace_all_uses_with(op.operands[0])
                op.erase()
    finally:
        module.context.allow_unregistered_dialects = False
    run_passes(module, "cse", False)


def _keep_apart(op: Any) -> None:
    """Put barriers around an op."""
    with ir.InsertionPoint(op), op.location:
        for index, value in enumerate(op.operands):
            barrier = ir.Operation.create(
                _BARRIER, operands=[value], results=[value.type]
            )
            op.operands[index] = barrier.results[0]
    # Neither is a reshape of what it makes folded into it: the mark would go.
    for result in op.results:
        users = [(use.owner, use.operand_number) for use in result.uses]
        with ir.InsertionPoint.after(op), op.location:
            barrier = ir.Operation.create(
                _BARRIER, operands=[result], results=[result.type]
            )
        for user, index in users:
            user.operands[index] = barrier.results[0]
