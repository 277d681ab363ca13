"""`cpu-first-nan-wins`: `max` with indices and `argmax` (`min`, too) find a NaN.

torch-mlir's index moves where the new element is greater than the best one, which a
NaN never is. Eager's result is the first NaN.

Before:
    %moves = arith.cmpf ogt, %new, %best

After:
    %greater = arith.cmpf ugt, %new, %best      // or %new is a NaN
    %known = arith.cmpf ord, %best, %best       // and the best is none yet
    %moves = arith.andi %greater, %known

Needs:  linalg on tensors, `cpu-compare-ordered` done.
Leaves: reductions whose value and index are those of the same element.
Skips:  reductions with one result, and those of integers.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops

_UNORDERED = {build.OGT: build.UGT, build.OLT: build.ULT}


def first_nan_wins(module: Any) -> None:
    """Rewrite the comparison in every reduction that gives a value and its index."""
    for op in ops(module.operation):
        if op.name != "linalg.generic" or len(op.results) != 2:
            continue
        body = [inner.operation for inner in op.regions[0].blocks[0].operations]
        names = {inner.name for inner in body}
        if names & {"arith.maximumf", "arith.minimumf"}:
            for inner in body:
                if inner.name == "arith.cmpf":
                    _move_to_nan(inner)


def _move_to_nan(compare: Any) -> None:
    ordered = int(compare.attributes["predicate"].value)
    if ordered not in _UNORDERED:
        return
    new, best = compare.operands
    with ir.InsertionPoint(compare), compare.location:
        greater = build.compare(_UNORDERED[ordered], new, best)
        known = build.compare(build.ORD, best, best)
        moves = build.op("arith.andi", [greater, known], greater.type)
    compare.results[0].replace_all_uses_with(moves)
    compare.erase()
