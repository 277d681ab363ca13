"""What LLVM must be told or allowed before it vectorises the loops of a kernel."""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops

_ANNOTATION = "llvm.loop_annotation"
_LONG = 16
"""LLVM vectorises a loop of that many trips without being told."""
_SHORTEST = 8
"""Loops of fewer trips may be unrolled: the windows of convolutions and pools."""

_CONTRACTION = {
    "affine.apply",
    "arith.addf",
    "arith.addi",
    "arith.constant",
    "arith.mulf",
    "arith.muli",
    "memref.load",
    "memref.store",
    "scf.for",
    "scf.yield",
}


def allow_fma(module: Any) -> None:
    """Let a product and a sum become one instruction, rounded once.

    The sum of a reduction may also be taken in another order, several partial sums at
    a time, as eager's own kernels do. Sums that the user wrote keep their order. Which
    of two zeros is the larger one is left open, as in eager.
    """
    with module.context:
        contract = ir.Attribute.parse("#arith.fastmath<contract>")
        reorder = ir.Attribute.parse("#arith.fastmath<reassoc,contract>")
        unsigned = ir.Attribute.parse("#arith.fastmath<nsz>")
    for op in ops(module.operation):
        if op.name in ("arith.maximumf", "arith.minimumf"):
            op.attributes["fastmath"] = unsigned
        if op.name in ("arith.mulf", "arith.addf", "arith.subf"):
            op.attributes["fastmath"] = reorder if _accumulates(op) else contract


def keep_loops(module: Any) -> None:
    """Forbid LLVM to unroll a loop of eight trips or more, and name rows to vectorise.

    It would unroll a short row completely before it looks for loops to vectorise, and
    thinks a row of less than 16 not worth it. Where it is told to vectorise and cannot,
    it prints a warning, so that is said only of sums of products.
    """
    unroll = "unroll = <disable = true>"
    with module.context:
        keep, vectorise = (
            ir.Attribute.parse(f"#llvm.loop_annotation<{hints}>")
            for hints in (unroll, f"vectorize = <disable = false>, {unroll}")
        )
    for op in ops(module.operation):
        if op.name == "scf.for" and _trips(op) >= _SHORTEST:
            op.attributes[_ANNOTATION] = vectorise if _sums_products(op) else keep


def pass_on_annotations(module: Any) -> None:
    """Hand what `keep_loops` said on to LLVM.

    The conversion to branches carries it as an attribute that LLVM does not read.
    """
    for op in ops(module.operation):
        if op.name == "llvm.br" and _ANNOTATION in op.attributes:
            op.attributes["loop_annotation"] = op.attributes[_ANNOTATION]
            del op.attributes[_ANNOTATION]


def _sums_products(loop: Any) -> bool:
    """Whether `loop` runs along a short row of sums of products, windows unrolled."""
    if _trips(loop) >= _LONG:
        return False
    inside = ops(loop)[:-1]
    stores = [op for op in inside if op.name == "memref.store"]
    windows = [op for op in inside if op.name == "scf.for"]
    index = loop.regions[0].blocks[0].arguments[0]
    return (
        {op.name for op in inside} <= _CONTRACTION
        and "arith.mulf" in {op.name for op in inside}
        and all(op.operands[len(op.operands) - 1] == index for op in stores)
        and any("reassoc" in str(op.attributes["fastmath"]) for op in _adds(inside))
        and all(0 < _trips(window) < _SHORTEST for window in windows)
    )


def _adds(inside: list[Any]) -> list[Any]:
    return [op for op in inside if op.name == "arith.addf"]


def _accumulates(op: Any) -> bool:
    """Whether `op` adds to the accumulator of a linalg reduction."""
    body = op.block
    owner = body.owner.operation
    if op.name != "arith.addf" or not owner.name.startswith("linalg."):
        return False
    inputs = owner.attributes["operandSegmentSizes"][0]
    accumulators = list(body.arguments)[inputs:]
    return any(operand == acc for operand in op.operands for acc in accumulators)


def _trips(loop: Any) -> int:
    """The number of trips of a loop from 0 by 1; 0 if it is not known."""
    bound = loop.operands[1].owner
    if isinstance(bound, ir.Block) or bound.name != "arith.constant":
        return 0
    return int(bound.attributes["value"].value)
