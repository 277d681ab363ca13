"""Ops that compute with a number for each element, so that no shape depends on it.

    x[:k] + n    x[:k] * n    x[:k] > n    x[:k].masked_fill(mask, n)
    x.new_tensor([n, 2])    torch.full((k,), n)    x.triu(n)    x ** n

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
    name = _name(op)
    return name in (*_DIVISIONS, *_SUMS, *_SCALED) or name in COMPARISON_NAMES


def numbers_apart(op: Operation, operands: Sequence[object]) -> Sequence[object]:
    """The operands of `op`, whose ints are no sizes if no shape depends on them."""
    name = _name(op).removeprefix("nn.functional.").removeprefix("_C._nn.").lstrip("_")
    if name in _AT:
        places = _places(op, *_AT[name])
        return [
            map_leaves(tree, _without_size) if i in places else tree
            for i, tree in enumerate(operands)
        ]
    if not takes_any_number(op) and name not in _ONE_OP:
        return operands
    has_tensor = any(isinstance(x, Tensor) for tree in operands for x in leaves(tree))
    return without_sizes(operands) if has_tensor else operands


def _places(op: Operation, number: int, keyword: str) -> tuple[int, ...]:
    """Which operands of a call are an argument: the one that is given as `number`, the
    first is 1, or by its keyword."""
    if not isinstance(op, CallOp | InvokeOp):
        return ()
    names = [name.data for name in op.keywords]
    count = len(op.operands) - len(names)  # The callee or the receiver is the first.
    if keyword in names:
        return (count + names.index(keyword),)
    return (number,) if number < count else ()


def without_sizes(operands: Sequence[object]) -> tuple[object, ...]:
    """Operands whose ints are any numbers."""
    return tuple(map_leaves(tree, _without_size) for tree in operands)


def _without_size(leaf: object) -> object:
    return Scalar(leaf.kind) if isinstance(leaf, Scalar) else leaf


def _name(op: Operation) -> str:
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
_ONE_OP = (
    *("masked_fill", "full_like", "new_tensor"),
    *("clamp", "clamp_min", "clamp_max", "where"),
    *("and", "or", "xor", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("logical_and", "logical_or", "logical_xor"),
    *("index_fill", "scatter", "fill", "masked_scatter"),
    *("threshold", "hardshrink", "leaky_relu", "elu", "softplus", "lerp"),
    *("baddbmm", "addmm", "addbmm", "addmv", "addr"),
    *("pow", "xlogy", "special.xlogy", "norm", "linalg.vector_norm", "dist"),
    *("triu", "tril", "roll", "cross_entropy", "nll_loss", "searchsorted"),
)
_AT = {
    "full": (2, "fill_value"),
    "new_full": (2, "fill_value"),
    "pad": (4, "value"),
    "constant_pad_nd": (3, "value"),
}
"""Ops of which one argument is such a number, and others are sizes."""
