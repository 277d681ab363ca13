"""Ops that compute with a number for each element, so that no shape depends on it.

    x[:k] + n    x[:k] * n    x[:k] > n

`n` may be below zero there, which no size of a tensor may.
"""

from collections.abc import Sequence

from xdsl.ir import Operation

from dycl.analysis.tensors.abstract import Scalar, Tensor, leaves, map_leaves
from dycl.analysis.torch_fixes.elements import COMPARISON_NAMES
from dycl.ir import BinaryOp, CallOp, CompareOp, InplaceOp, InvokeOp
from dycl.ir.constant_values import constant_name


def takes_any_number(op: Operation) -> bool:
    """Whether no repair and no decomposition of an op looks at its number.

    So it is with divisions and comparisons: the number becomes a tensor, or an operand
    of one op; and with sums and products, of half floats and bytes in a wider dtype.
    The scale of `roi_align` is a factor.
    """
    name = name_of(op)
    return name in (*_DIVISIONS, *_SUMS, *_SCALED) or name in COMPARISON_NAMES


def numbers_apart(op: Operation, operands: Sequence[object]) -> Sequence[object]:
    """The operands of `op`, whose ints are no sizes if no shape depends on them."""
    if not takes_any_number(op):
        return operands
    has_tensor = any(isinstance(x, Tensor) for tree in operands for x in leaves(tree))
    return without_sizes(operands) if has_tensor else operands


def without_sizes(operands: Sequence[object]) -> tuple[object, ...]:
    """Operands whose ints are any numbers."""
    return tuple(map_leaves(tree, _without_size) for tree in operands)


def _without_size(leaf: object) -> object:
    return Scalar(leaf.kind) if isinstance(leaf, Scalar) else leaf


def name_of(op: Operation) -> str:
    """What an op computes, less the module: `mul`, `full`, `nn.functional.elu`."""
    match op:
        case BinaryOp() | InplaceOp() | CompareOp():
            return op.kind_name
        case InvokeOp():
            return op.method.data.removesuffix("_")
        case CallOp():
            return constant_name(op.callee).removeprefix("torch.")
        case _:
            return ""


_DIVISIONS = (
    *("div", "truediv", "floordiv", "mod"),
    *("divide", "true_divide", "floor_divide", "remainder", "fmod"),
)
_SUMS = ("add", "sub", "mul", "subtract", "multiply")
_SCALED = ("ops.torchvision.roi_align",)
