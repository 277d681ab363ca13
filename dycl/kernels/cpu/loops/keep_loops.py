"""`cpu-keep-loops`: a short row is a vector, not straight-line code.

LLVM would unroll a short row completely before it looks for loops to vectorise, and
thinks a row of less than 16 not worth it. Where it is told to vectorise and cannot, it
prints a warning, so that is said only of sums of products.

Before:
    scf.for %j = %c0 to %c8 step %c1 { sum of products }

After:
    scf.for %j = %c0 to %c8 step %c1 { sum of products }
        {llvm.loop_annotation = #llvm.loop_annotation<vectorize = <disable = false>,
                                                      unroll = <disable = true>>}

Needs:  loops of scf, `cpu-allow-fma`.
Leaves: annotations, which `cpu-pass-on-annotations` hands on.
Skips:  loops of less than eight trips, as the windows of convolutions: they may be
        unrolled; loops whose number of trips is not known.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.objects.pass_on_annotations import ANNOTATION

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


def keep_loops(module: Any) -> None:
    """Annotate every loop of eight trips or more, and rows to be vectorised."""
    unroll = "unroll = <disable = true>"
    with module.context:
        keep, vectorise = (
            ir.Attribute.parse(f"#llvm.loop_annotation<{hints}>")
            for hints in (unroll, f"vectorize = <disable = false>, {unroll}")
        )
    for op in ops(module.operation):
        if op.name == "scf.for" and _trips(op) >= _SHORTEST:
            op.attributes[ANNOTATION] = vectorise if _sums_products(op) else keep


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


def _trips(loop: Any) -> int:
    """The number of trips of a loop from 0 by 1; 0 if it is not known."""
    bound = loop.operands[1].owner
    if isinstance(bound, ir.Block) or bound.name != "arith.constant":
        return 0
    return int(bound.attributes["value"].value)
