"""Images that are put together from windows, or made larger and smaller.

torch takes both apart into scattered and gathered elements, of which each has an index
for every dim. Here rows and columns have theirs. torch is imported in the functions.
"""

import itertools
from collections.abc import Sequence
from typing import Any, cast

from dycl.analysis.dynamic_sizes.factors import fraction_of
from dycl.analysis.dynamic_sizes.ranges import bounds
from dycl.analysis.dynamic_sizes.sizes import current
from dycl.analysis.tensors.abstract import Dim
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.tracing.graph import Untraceable


def folded(
    op: Any, x: Any, size: Any, window: Any, dilation: Any, padding: Any, stride: Any
) -> Any:
    """`col2im`: windows are added one tap after the other, in eager's order."""
    whole = x if x.dim() == 3 else x.unsqueeze(0)
    sizes = [size[i] + 2 * padding[i] for i in range(2)]
    counts = [
        (sizes[i] - dilation[i] * (window[i] - 1) - 1) // stride[i] + 1
        for i in range(2)
    ]
    parts = whole.unflatten(-1, counts).unflatten(1, [-1, *window])
    result = whole.new_zeros([*parts.shape[:2], *sizes])
    for tap in itertools.product(*(range(length) for length in window)):
        first = [tap[i] * dilation[i] for i in range(2)]
        end = [first[i] + (counts[i] - 1) * stride[i] + 1 for i in range(2)]
        rows = result[:, :, first[0] : end[0] : stride[0]]
        added = rows[..., first[1] : end[1] : stride[1]] + parts[:, :, tap[0], tap[1]]
        rows = rows.slice_scatter(added, 3, first[1], end[1], stride[1])
        result = result.slice_scatter(rows, 2, first[0], end[0], stride[0])
    for i in range(2):
        result = result.narrow(2 + i, padding[i], size[i])
    return result if x.dim() == 3 else result.squeeze(0)


def bilinear(op: Any, x: Any, size: Any, align_corners: bool, *scales: Any) -> Any:
    """`upsample_bilinear2d`: a dim after the other, as eager does it."""
    import torch
    from torch._decomp import decomposition_table

    if not x.is_floating_point():
        # Rounded in its own way.
        with unchecked():
            return cast(Any, decomposition_table)[op](x, size, align_corners, *scales)
    sizes, factors = _asked(op, x, size, scales)
    # Of which order fewer rows are read, where that is known.
    rows_first = are_known(x, sizes) and sizes[0] * 2 < x.shape[2]
    result = x if x.dtype == torch.float64 else x.float()
    for dim in range(2, x.dim()) if rows_first else range(x.dim() - 1, 1, -1):
        given = sizes[dim - 2], align_corners, factors[dim - 2]
        result = _between(result, dim, *given)
    return result.to(x.dtype)


def linear(op: Any, x: Any, size: Any, align_corners: bool, *scales: Any) -> Any:
    """`upsample_linear1d`, `upsample_trilinear3d`: torch's decomposition is
    `x + (y - x) * weight`, which makes NaN of infinities that eager keeps.
    """
    return bilinear(op, x, size, align_corners, *scales)


def nearest(op: Any, x: Any, size: Any, *scales: Any) -> Any:
    """`upsample_nearest2d` by factors that are no whole numbers.

    Places are products with what is one by the factor, rounded as eager rounds them.
    Where a size stays as it was, or is twice that, eager copies each element once or
    twice, whatever the factor says: `1.1` times four rows are these four.
    """
    import torch

    sizes, factors = _asked(op, x, size, scales)
    if all(factor is None or float(factor).is_integer() for factor in factors):
        return NotImplemented
    for dim, count in enumerate(sizes, 2):
        length, scale = x.shape[dim], factors[dim - 2]
        at = torch.arange(count)
        step = 1 / scale if scale else _ratio(length, count, torch.float32)
        place = (torch.arange(count, dtype=torch.float32) * step).long()
        place = torch.where(_are_equal(count, 2 * length), at // 2, place)
        place = torch.where(_are_equal(count, length), at, place)
        with unchecked():
            x = x.index_select(dim, place.clamp(max=length - 1))
    return x


def _are_equal(one: Any, other: Any) -> Any:
    """Whether sizes are equal, as a tensor: a run may decide them."""
    import torch

    return torch.full((), one) == torch.full((), other)


def _asked(
    op: Any, x: Any, size: Any, scales: Sequence[Any]
) -> tuple[list[Any], tuple[Any, ...]]:
    """The sizes that an image gets, and the factors that say so, or None for each."""
    if op._overloadname == "vec":
        scales = tuple(scales[0] or ()) if scales else ()
        if size is None:
            pairs = zip(x.shape[2:], scales, strict=True)
            size = [_scaled(n, factor) for n, factor in pairs]
    return list(size), (*scales, *([None] * (x.dim() - 2)))


def are_known(x: Any, sizes: Sequence[Any]) -> bool:
    """Whether no size of an image, nor what it gets, is a run's to decide."""
    return all(type(n) is int for n in (*x.shape[2:], *sizes))


def _between(x: Any, dim: int, count: Any, align_corners: bool, scale: Any) -> Any:
    """`count` elements along a dim, means of two each: f32 or f64."""
    import torch

    size = x.shape[dim]
    at = _places(x, dim, count, align_corners, scale).clamp(min=0.0)
    low = at.long().clamp(max=size - 1)
    high = (low + 1).clamp(max=size - 1)
    if type(count) is not type(size) or type(size) is not int or count == size:
        # Of as many elements as there were, eager takes each, and itself times 0.
        own = torch.arange(count)
        is_same = _are_equal(count, size)
        at = torch.where(is_same, own.to(at.dtype), at)
        low, high = (torch.where(is_same, own, place) for place in (low, high))
    weight = _along(x, dim, (at - low).clamp(0.0, 1.0))
    with unchecked():
        return x.index_select(dim, low) * (1 - weight) + (
            x.index_select(dim, high) * weight
        )


def bicubic(op: Any, x: Any, size: Any, align_corners: bool, *scales: Any) -> Any:
    """`upsample_bicubic2d` of a size that a run decides: means of four along each
    dim."""
    sizes, factors = _asked(op, x, size, scales)
    if are_known(x, sizes) or not x.is_floating_point():
        return NotImplemented
    result = x if str(x.dtype) == "torch.float64" else x.float()
    for dim in (3, 2):
        given = sizes[dim - 2], align_corners, factors[dim - 2]
        result = _among_four(result, dim, *given)
    return result.to(x.dtype)


def _among_four(x: Any, dim: int, count: Any, align_corners: bool, scale: Any) -> Any:
    at = _places(x, dim, count, align_corners, scale)
    low = at.floor()
    part = at - low
    result = None
    for step in (-1, 0, 1, 2):
        far = (part - step).abs()
        near = ((_CUBIC + 2) * far - (_CUBIC + 3)) * far * far + 1
        outer = ((_CUBIC * far - 5 * _CUBIC) * far + 8 * _CUBIC) * far - 4 * _CUBIC
        weight = _along(x, dim, near if step in (0, 1) else outer)
        place = (low.long() + step).clamp(min=0).clamp(max=x.shape[dim] - 1)
        with unchecked():
            term = x.index_select(dim, place) * weight
        result = term if result is None else result + term
    return result


_CUBIC = -0.75
"""torch's constant of cubic convolution."""


def nearest_exact(op: Any, x: Any, size: Any, *scales: Any) -> Any:
    """`_upsample_nearest_exact1d`, `2d`, `3d` of a size that a run decides."""
    import torch

    sizes, factors = _asked(op, x, size, scales)
    if are_known(x, sizes):
        return NotImplemented
    for dim, count in enumerate(sizes, 2):
        scale = factors[dim - 2]
        step = 1 / scale if scale else _ratio(x.shape[dim], count, torch.float32)
        place = ((torch.arange(count, dtype=torch.float32) + 0.5) * step).long()
        with unchecked():
            x = x.index_select(dim, place.clamp(max=x.shape[dim] - 1))
    return x


def _places(x: Any, dim: int, count: Any, align_corners: bool, scale: Any) -> Any:
    """Where between the elements along a dim those of the result are."""
    import torch

    at = torch.arange(count, dtype=x.dtype)
    if align_corners:
        return at * _ratio(x.shape[dim] - 1, count - 1, x.dtype)
    step = 1 / scale if scale else _ratio(x.shape[dim], count, x.dtype)
    if x.dtype == torch.float64:
        return (at + 0.5) * step - 0.5
    # Eager rounds once, by fma: what is next to an element is not taken to be at it.
    if not isinstance(step, torch.Tensor):
        step = torch.tensor(step, dtype=x.dtype)
    return ((at + 0.5).double() * step.double() - 0.5).to(x.dtype)


def _along(x: Any, dim: int, weight: Any) -> Any:
    """A vector that is broadcast along all dims but one."""
    shape = [1] * x.dim()
    shape[dim] = -1
    return weight.reshape(shape)


def _scaled(size: Any, factor: float) -> Any:
    """`int(size * factor)`, where a run may decide the size.

    Untraceable: the product may be rounded.
    """
    if type(size) is int:
        return int(size * factor)
    symbols = current()
    text = symbols.text(size) if symbols is not None else None
    limits = bounds(text.text) if isinstance(text, Dim) else (None, None)
    if (found := fraction_of(float(factor), *limits)) is None:
        raise Untraceable(
            f"an image of dynamic size that is made {factor} times as large, "
            "of which no fraction is known to give the same sizes"
        )
    return size * found[0] // found[1]


def _ratio(size: Any, count: Any, dtype: Any) -> Any:
    """`size / count`, or 0 of none; a tensor, where a run decides one of them."""
    import torch

    if type(size) is type(count) is int:
        return size / count if count > 0 else 0.0
    whole, parts = (torch.full((), n, dtype=dtype) for n in (size, count))
    return whole / parts.clamp(min=1.0)


REWRITES = {
    "upsample_linear1d": linear,
    "upsample_nearest2d": nearest,
    "upsample_trilinear3d": linear,
    "upsample_bicubic2d": bicubic,
    **{f"_upsample_nearest_exact{n}d": nearest_exact for n in (1, 2, 3)},
}
"""Name of an op -> what it is written as, from the overload and its operands."""
