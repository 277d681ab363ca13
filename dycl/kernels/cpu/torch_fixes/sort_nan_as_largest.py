"""`cpu-sort-nan-as-largest`: `sort` takes a NaN for the largest number.

The comparison of a `tm_tensor.sort` says whether its first operand may stay in front.

Before:
    %stays = arith.cmpf oge, %first, %second          // descending

After:
    %greater = arith.cmpf oge, %first, %second
    %nan = arith.cmpf uno, %first, %first
    %stays = arith.ori %greater, %nan

Needs:  `cpu-compare-ordered` done.
Leaves: sorts whose order is eager's.
Skips:  sorts of integers; those that stand for a `topk`, which compare so already.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import owner
from dycl.kernels.cpu.torch_fixes.keep_topk import TOPK

_LARGER_OPERAND = {build.OGT: 0, build.OGE: 0, build.OLT: 1, build.OLE: 1}
"""Predicate -> which operand it says is larger."""


def sort_nan_as_largest(module: Any) -> None:
    """Widen the comparison of every sort of floats."""
    for op in ops(module.operation):
        if op.name == "tm_tensor.sort" and TOPK not in op.attributes:
            for inner in list(op.regions[0].blocks[0].operations):
                if inner.operation.name == "arith.cmpf":
                    _let_nan_stay(inner.operation)


def _let_nan_stay(compare: Any) -> None:
    predicate = int(compare.attributes["predicate"].value)
    if predicate not in _LARGER_OPERAND:
        return
    larger = compare.operands[_LARGER_OPERAND[predicate]]
    with ir.InsertionPoint.after(compare), compare.location:
        result = compare.results[0]
        nan = build.compare(build.UNO, larger, larger)
        stays = build.op("arith.ori", [result, nan], result.type)
    result.replace_all_uses_except(stays, owner(stays))
