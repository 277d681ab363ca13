"""FLOPs of one operation: of convolutions and products of matrices, from their shapes.

Two for each multiplication and addition, as torch's FlopCounterMode counts them: taps
on padding count, and Winograd does fewer.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from dycl.ir.torch import ConstantStrOp, ListConstructOp, VTensorType

_Sizes = Sequence[int]


def flops_of(op: Operation) -> int | None:
    """Of one op: 0 if it is no product; None: the run decides them."""
    name = op.name.removeprefix("torch.aten.").partition(".")[0]
    if (count := _PRODUCTS.get(name)) is None:
        return 0
    result = known_sizes(op.results[0])
    tensors = [known_sizes(v) for v in op.operands if isinstance(v.type, VTensorType)]
    known = [sizes for sizes in tensors if sizes is not None]
    if result is None or len(known) < len(tensors):
        return None
    return count(op, known, result)


def _product(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    return 2 * prod(result) * (given[0][-1] if given[0] else 1)


def _added(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    return 2 * prod(result) * given[1][-1]


def _convolution(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    given_sizes, weight = given[:2]
    is_up = "transpose" in op.name
    return 2 * prod(given_sizes if is_up else result) * prod(weight[1:])


def _attention(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    query, key, value = given[:3]
    return 2 * prod(query[:-1]) * key[-2] * (query[-1] + value[-1])


def _einsum(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int | None:
    text, items = op.operands[0].owner, op.operands[1].owner
    if not isinstance(text, ConstantStrOp) or not isinstance(items, ListConstructOp):
        return None
    words = str(text.value.data).replace(" ", "").partition("->")[0].split(",")
    shapes = [known_sizes(item) for item in items.operands]
    sizes: dict[str, int] = {}
    for word, shape in zip(words, shapes, strict=True):
        if shape is None or len(word) != len(shape) or not word.isalpha():
            return None
        sizes |= dict(zip(word, shape, strict=True))
    return 2 * prod(sizes.values()) if len(words) > 1 else 0


_Count = Callable[[Operation, Sequence[_Sizes], _Sizes], int | None]
_PRODUCTS: Mapping[str, _Count] = {
    **dict.fromkeys(("mm", "bmm", "matmul", "linear", "mv", "dot", "vdot"), _product),
    **dict.fromkeys(("addmm", "baddbmm", "addmv", "addbmm"), _added),
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d",
         "conv_transpose2d", "conv_transpose3d"),
        _convolution,
    ),
    "scaled_dot_product_attention": _attention,
    "einsum": _einsum,
}  # fmt: skip


def known_sizes(value: SSAValue) -> _Sizes | None:
    """The shape of a tensor; None: it is none, or not all of it is known."""
    kind = value.type
    sizes = kind.sizes() if isinstance(kind, VTensorType) else None
    return None if sizes is None or any(size < 0 for size in sizes) else sizes
