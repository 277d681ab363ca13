"""`cpu-compare-in-element-type`: a number is compared in the type of the elements.

torch-mlir widens an element to the type of the number, f64 or i64. Eager converts the
number: a float is rounded, an int wraps around. So `x >= 0.7` holds for the float32
nearest to 0.7, which is less than the double.

Before:
    ^bb0(%in: f32, %out: i1):
      %wide = arith.extf %in : f32 to f64
      %c = arith.cmpf oge, %wide, %number : f64

After:
    %narrow = arith.truncf %number : f64 to f32      // a constant: rounded here
    ^bb0(%in: f32, %out: i1):
      %c = arith.cmpf oge, %in, %narrow : f32

Needs:  linalg on tensors, as torch-mlir leaves it: nothing is fused yet, so what one
        body widens and compares is one comparison of the user's.
Leaves: comparisons of an element with a number in the type of the element.
Skips:  comparisons of two elements, which torch promotes before; bools, which torch
        compares with an int as int64.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import owner

_WIDENED_BY = {"arith.cmpf": "arith.extf", "arith.cmpi": "arith.extsi"}
_NARROWED_BY = {"arith.cmpf": "arith.truncf", "arith.cmpi": "arith.trunci"}


def compare_in_element_type(module: Any) -> None:
    """Narrow the number in every comparison of an element with a number."""
    for op in ops(module.operation):
        if op.name in _WIDENED_BY and op.parent.name == "linalg.generic":
            for element, number in ((0, 1), (1, 0)):
                if _is_widened(op, element) and _is_number(op, number):
                    _narrow(op, element, number)


def _is_widened(compare: Any, operand: int) -> bool:
    """Whether an operand is an element of a tensor in a wider type."""
    defining_op = owner(compare.operands[operand])
    return (
        defining_op is not None
        and defining_op.name == _WIDENED_BY[compare.name]
        and defining_op.operands[0].owner == compare.block
    )


def _is_number(compare: Any, operand: int) -> bool:
    """Whether an operand is the same for all elements: it comes from outside."""
    value = compare.operands[operand]
    defining_op = owner(value)
    return (value.owner if defining_op is None else defining_op.block) != compare.block


def _narrow(compare: Any, element: int, number: int) -> None:
    narrow = owner(compare.operands[element]).operands[0]
    with ir.InsertionPoint(compare.parent), compare.location:
        compare.operands[number] = _narrowed(
            compare.operands[number], narrow.type, _NARROWED_BY[compare.name]
        )
    compare.operands[element] = narrow


def _narrowed(number: Any, kind: Any, by: str) -> Any:
    """MLIR itself folds no rounding that is inexact."""
    defining_op = owner(number)
    if (
        kind == ir.F32Type.get()
        and defining_op is not None
        and defining_op.name == "arith.constant"
    ):
        return build.constant(ir.FloatAttr(defining_op.attributes["value"]).value, kind)
    return build.op(by, [number], kind)
