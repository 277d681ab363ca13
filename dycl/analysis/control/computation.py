"""Which torch ops compute, which only copy, and which only rename the shape."""

from math import prod
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, i1
from xdsl.ir import Operation, SSAValue

from dycl.ir.torch import (
    DYNAMIC,
    ConstantOp,
    ListConstructOp,
    TorchOp,
    VTensorLiteralOp,
    VTensorType,
)

_ATEN = "torch.aten."
# These give their first operand, if the result has its type.
_COPIES = frozenset(
    _ATEN + name
    for name in (
        "_reshape_alias",
        "_to_copy",
        "_unsafe_view",
        "alias",
        "broadcast_to",
        "clone",
        "contiguous",
        "detach",
        "expand",
        "expand_as",
        "flatten.using_ints",
        "lift_fresh_copy",
        "reshape",
        "slice.Tensor",
        "squeeze",
        "squeeze.dim",
        "to.device",
        "to.dtype",
        "to.dtype_layout",
        "to.other",
        "type_as",
        "unflatten.int",
        "view",
    )
)
_KEEP_SIZES = frozenset(
    _ATEN + name
    for name in (
        "_to_copy",
        "alias",
        "clone",
        "contiguous",
        "detach",
        "dropout",
        "feature_dropout",
        "lift_fresh_copy",
        "to.device",
        "to.dtype",
        "to.dtype_layout",
    )
)
"""Copies that give the sizes of their operand, whatever they are."""
# These keep the elements in order, if they keep their number and type.
_RESHAPES = frozenset(
    _ATEN + name
    for name in (
        "_reshape_alias",
        "_unsafe_view",
        "broadcast_to",
        "expand",
        "expand_as",
        "flatten.using_ints",
        "reshape",
        "squeeze",
        "squeeze.dim",
        "unflatten.int",
        "unsqueeze",
        "view",
    )
)


_PRODUCTS = frozenset(
    _ATEN + name
    for name in (
        *("addbmm", "addmm", "addmv", "baddbmm", "bilinear", "bmm", "einsum"),
        *("linear", "matmul", "mm", "mv", "scaled_dot_product_attention"),
        *("conv1d", "conv2d", "conv2d.padding", "conv3d", "convolution"),
        *("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input"),
    )
)
"""Ops that read each element of an operand many times."""


def is_free(op: object) -> bool:
    """Whether an op only holds operands for others: constants and lists."""
    return isinstance(op, (ConstantOp, ListConstructOp)) or (
        isinstance(op, Operation) and op.name == "torch.constant.device"
    )


def is_computation(op: object) -> bool:
    """Whether an op belongs into a kernel."""
    return (
        isinstance(op, TorchOp)
        and not isinstance(op, VTensorLiteralOp)
        and not is_free(op)
    )


def is_product(op: Operation) -> bool:
    """Whether an op is a convolution or a matrix product."""
    return op.name in _PRODUCTS


def identity_of(op: Operation) -> SSAValue | None:
    """The operand that an op gives unchanged, bit for bit; None if there is none."""
    if not op.name.startswith(_ATEN) or len(op.results) != 1 or not op.operands:
        return None
    first, result = op.operands[0], op.results[0]
    same = first.type == result.type
    if not _is_static(result.type) and op.name not in _KEEP_SIZES:
        return None
    match op.name.removeprefix(_ATEN):
        case _ if op.name in _COPIES and same:
            return first
        case "dropout" | "feature_dropout" if _number(op.operands[2]) is False:
            return first
        case "mul.Tensor" if same and _is_all_ones(op.operands[1]):
            return first
        case "mul.Tensor" if op.operands[1].type == result.type:
            return op.operands[1] if _is_all_ones(first) else None
        case "mul.Scalar" | "div.Scalar" if same and _number(op.operands[1]) == 1:
            return first
        case "eq.Scalar" if same and _dtype(first) == i1:
            return first if _number(op.operands[1]) == 1 else None
        case "ne.Scalar" if same and _dtype(first) == i1:
            return first if _number(op.operands[1]) == 0 else None
        case _:
            return None


def is_reshape(op: Operation) -> bool:
    """Whether an op keeps the elements and their row-major order."""
    if op.name not in _RESHAPES:
        return False
    source, result = op.operands[0].type, op.results[0].type
    return (
        isinstance(source, VTensorType)
        and isinstance(result, VTensorType)
        and _is_static(source)
        and _is_static(result)
        and source.is_fully_typed()
        and result.is_fully_typed()
        and prod(source.sizes() or ()) == prod(result.sizes() or ())
        and source.element_type() == result.element_type()
    )


def _is_static(found: object) -> bool:
    return isinstance(found, VTensorType) and DYNAMIC not in (found.sizes() or ())


def _number(value: SSAValue) -> object:
    """A number's value; an object that equals nothing if it is not known."""
    owner = value.owner
    return owner.python_value() if isinstance(owner, ConstantOp) else object()


def _dtype(value: SSAValue) -> object:
    tensor = value.type
    return tensor.element_type() if isinstance(tensor, VTensorType) else None


def _is_all_ones(value: SSAValue) -> bool:
    """Whether a value is a literal of ones of the dtype it is multiplied with."""
    owner = value.owner
    while isinstance(owner, Operation) and owner.name in _COPIES | _RESHAPES:
        if _dtype(owner.operands[0]) != _dtype(value):
            return False
        owner = owner.operands[0].owner  # in another shape, ones are ones
    if not isinstance(owner, VTensorLiteralOp):
        return False
    elements = owner.value
    if not isinstance(elements, DenseIntOrFPElementsAttr):
        return False
    values = cast("tuple[object, ...]", tuple(elements.get_values()))
    return bool(values) and all(v == 1 for v in values)
