"""Convolutions and pools of one image without a batch: a batch of one.

torch-mlir has no lowering for most of them, and one ends the process.
"""

from typing import Any, cast

from dycl.analysis.torch_fixes.division import demand
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.torch_fixes.window_parts import means_of_open
from dycl.analysis.tracing.graph import Untraceable

_RANKS = {"1d": 2, "2d": 3, "3d": 4}
"""The last letters of a name -> the rank of an image with its channels."""
_KINDS = (
    *("conv", "conv_transpose", "avg_pool", "max_pool"),
    *("adaptive_avg_pool", "adaptive_max_pool"),
)
OF_ROWS = ("adaptive_avg_pool1d", "adaptive_max_pool1d")
"""Pools that are written as those of planes."""
OF_ALL = ("adaptive_avg_pool2d", "adaptive_avg_pool3d")
"""Pools that are a mean, where they give one element."""
_ELSEWHERE = ("conv3d", *OF_ROWS, "adaptive_max_pool2d", "adaptive_max_pool3d")
NAMES = tuple(
    name
    for kind in _KINDS
    for dims in _RANKS
    if (name := f"{kind}{dims}") not in _ELSEWHERE
)
"""The others; transposed convolutions have an overload for each rank."""


def is_known(x: Any, size: Any) -> bool:
    """Whether the sizes that an adaptive pool divides are known."""
    return all(type(n) is int for n in x.shape[-len(size) :])


def of_one(op: Any, x: Any, *rest: Any, **named: Any) -> Any:
    """The op of the image as a batch, of which the first is taken."""
    name = op._schema.name.removeprefix("aten::")
    if op._overloadname == "padding":
        return padded_by_name(op, x, *rest, **named)
    is_transposed = name.startswith("conv_transpose")
    if is_transposed and not is_known(rest[0], rest[0].shape[2:]):
        raise Untraceable("a transposed convolution by filters of a dynamic size")
    if name in OF_ALL and not is_known(x, rest[0]):
        return means_of_open(x, rest[0])
    if x.dim() != _RANKS[name[-2:]]:
        return NotImplemented
    result = op(x.unsqueeze(0), *rest, **named)
    if isinstance(result, tuple):
        return tuple(part.squeeze(0) for part in result)
    return result.squeeze(0)


def padded_by_name(
    op: Any,
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: str = "valid",
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """A convolution with `padding="same"`: torch-mlir puts as much before as behind."""
    import torch

    rank = weight.dim() - 2
    steps = [dilation] * rank if isinstance(dilation, int) else [*dilation]
    if len(steps) == 1:
        steps *= rank
    both = [0] * rank
    if padding == "same":
        sizes = zip(steps, weight.shape[2:], strict=True)
        both = [step * (size - 1) for step, size in sizes]
    more = [total % 2 for total in both]
    if any(more):
        x = torch.nn.functional.pad(
            x, [n for item in reversed(more) for n in (0, item)]
        )
    plain = getattr(torch.nn.functional, op._schema.name.removeprefix("aten::"))
    return plain(x, weight, bias, stride, [n // 2 for n in both], dilation, groups)


def of_planes(op: Any, x: Any, size: Any) -> Any:
    """An adaptive pool of rows, as that of planes of one row."""
    import torch

    if op._schema.name.endswith("avg_pool1d") and not is_known(x, size):
        return means_of_open(x, size)
    if x.dim() == _RANKS["1d"]:
        return of_one(op, x, size)
    name = op._schema.name.removeprefix("aten::").replace("1d", "2d")
    result = getattr(torch.ops.aten, name)(x.unsqueeze(-2), [1, *size])
    if isinstance(result, tuple):
        return tuple(part.squeeze(-2) for part in cast("tuple[Any, ...]", result))
    return result.squeeze(-2)


def unpooled(op: Any, x: Any, index: Any, size: Any, *rest: Any) -> Any:
    """`max_unpool2d`, `max_unpool3d`: each element at its place in a plane of zeros."""
    import math

    rank, count = len(size), math.prod(size)
    planes, places = x.flatten(-rank), index.flatten(-rank)
    valid = ((places >= 0) & (places < count)).all()
    demand(valid, "RuntimeError: Found an invalid max index")
    empty = x.new_zeros(*planes.shape[:-1], count)
    with unchecked():
        result = empty.scatter(-1, places.clamp(0, max(count - 1, 0)), planes)
    return result.reshape(*planes.shape[:-1], *size)
