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

import math
from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.mlir import ir, ops, run_passes
from dycl.kernels.cpu.samples.marked import SAMPLE_OF
from dycl.kernels.cpu.tensor_ops import is_parallel, owner

_BARRIER = "dycl.barrier"
_TIMES = 4
"""How often an index is read, at least, to be worth a place in memory."""


def fuse_elementwise(module: Any) -> None:
    """Fuse within each function of `module`, around the marked ops."""
    module.context.allow_unregistered_dialects = True
    try:
        for op in ops(module.operation):
            if NEST in op.attributes or SAMPLE_OF in op.attributes:
                _keep_apart(op)
            elif _repeats_index(op):
                _hold(op, 0)
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


def _repeats_index(op: Any) -> bool:
    """Whether an op repeats numbers of elements that another one computes."""
    if not is_parallel(op) or len(op.operands) != 2:
        return False
    source, result = op.operands[0], op.results[0]
    producer = owner(source)
    sizes = [kind.shape for kind in (source.type, result.type) if kind.has_static_shape]
    return (
        len(op.regions[0].blocks[0].operations) == 1
        and str(result.type.element_type) == "i64"
        and producer is not None
        and is_parallel(producer)
        and len(sizes) == 2
        and math.prod(sizes[1]) >= _TIMES * math.prod(sizes[0])
    )


def _hold(op: Any, index: int) -> None:
    """Put a barrier before an operand."""
    value = op.operands[index]
    with ir.InsertionPoint(op), op.location:
        barrier = ir.Operation.create(_BARRIER, operands=[value], results=[value.type])
    op.operands[index] = barrier.results[0]


def _keep_apart(op: Any) -> None:
    """Put barriers around an op."""
    for index in range(len(op.operands)):
        _hold(op, index)
    # Neither is a reshape of what it makes folded into it: the mark would go.
    for result in op.results:
        users = [(use.owner, use.operand_number) for use in result.uses]
        with ir.InsertionPoint.after(op), op.location:
            barrier = ir.Operation.create(
                _BARRIER, operands=[result], results=[result.type]
            )
        for user, index in users:
            user.operands[index] = barrier.results[0]
