"""What LLVM must be told or allowed before it vectorises the loops of a kernel."""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops

_SHORTEST = 8
"""Loops of fewer trips may be unrolled: the windows of convolutions and pools."""


def allow_fma(module: Any) -> None:
    """Let a product and a sum become one instruction, rounded once.

    The sum of a reduction may also be taken in another order, several partial sums at
    a time, as eager's own kernels do. Sums that the user wrote keep their order.
    """
    with module.context:
        contract = ir.Attribute.parse("#arith.fastmath<contract>")
        reorder = ir.Attribute.parse("#arith.fastmath<reassoc,contract>")
    for op in ops(module.operation):
        if op.name in ("arith.mulf", "arith.addf", "arith.subf"):
            op.attributes["fastmath"] = reorder if _accumulates(op) else contract


def keep_loops(module: Any) -> None:
    """Forbid LLVM to unroll a loop of eight trips or more.

    It would unroll a short row completely before it looks for loops to vectorise.
    """
    with module.context:
        keep = ir.Attribute.parse("#llvm.loop_annotation<unroll = <disable = true>>")
    for op in ops(module.operation):
        if op.name == "scf.for" and _trips(op) >= _SHORTEST:
            op.attributes["llvm.loop_annotation"] = keep


def _accumulates(op: Any) -> bool:
    """Whether `op` adds to the accumulator of a linalg reduction."""
    body = op.block
    owner = body.owner
    if op.name != "arith.addf" or not owner.name.startswith("linalg."):
        return False
    accumulators = list(body.arguments)[-len(owner.operation.results or [0]) :]
    return any(operand == acc for operand in op.operands for acc in accumulators)


def _trips(loop: Any) -> int:
    """The number of trips of a loop from 0 by 1; 0 if it is not known."""
    bound = loop.operands[1].owner
    if isinstance(bound, ir.Block) or bound.name != "arith.constant":
        return 0
    return int(bound.attributes["value"].value)
