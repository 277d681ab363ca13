"""Grids of points, and images between their pixels, in ops that torch-mlir lowers.

torch-mlir's own `grid_sampler` is wrong wherever a point lies between pixels.
"""

import itertools
from collections.abc import Sequence
from typing import Any, cast

from dycl.analysis.torch_fixes.indices import unchecked


def mesh(op: Any, tensors: Sequence[Any], indexing: str = "ij") -> list[Any]:
    """`meshgrid`. For `xy` the first two change places, and what comes out does."""
    if exchanged := indexing == "xy" and len(tensors) > 1:
        tensors = [tensors[1], tensors[0], *tensors[2:]]
    sizes = [x.numel() for x in tensors]
    result = [
        x.reshape([-1 if i == dim else 1 for i in range(len(sizes))]).expand(sizes)
        for dim, x in enumerate(tensors)
    ]
    return [result[1], result[0], *result[2:]] if exchanged else result


def sampler_2d(
    op: Any, x: Any, grid: Any, mode: int, padding: int, align_corners: bool
) -> Any:
    """`grid_sampler_2d`: elements of [n, c, h, w] at points [n, ..., 2]."""
    from torch._decomp import decomposition_table

    if mode == _CUBIC:
        with unchecked():  # It knows where it reads, and takes nothing from beside it.
            rule = cast(Any, decomposition_table)[op]
            return rule(x, grid, mode, padding, align_corners)
    return _sampled(x, grid, mode, padding, align_corners)


_NEAREST, _CUBIC = 1, 2
"""Modes of sampling; 0 is linear."""
_BORDER, _REFLECTED = 1, 2
"""Modes of padding; 0 is zeros."""
_ROW = 8
"""Channels from which on it pays to have those of a pixel side by side."""


def sampler_3d(
    op: Any, x: Any, grid: Any, mode: int, padding: int, align_corners: bool
) -> Any:
    """`grid_sampler_3d`: elements of [n, c, d, h, w] at points [n, ..., 3]."""
    return _sampled(x, grid, mode, padding, align_corners)


def _sampled(x: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    """Elements of [n, c, ...] at points, the nearest or a mean of the corners.

    Where they are, and how much they count, is computed once for all channels.
    """
    import torch

    sizes = [*reversed(x.shape[2:])]
    coordinate = _of_image if len(sizes) == 2 else _of_volume
    points = [
        coordinate(grid[..., i].flatten(1), size, padding, align_corners)
        for i, size in enumerate(sizes)
    ]
    # A row of channels is read at once; of few, or once, planes need no turning.
    is_rows = x.shape[1] >= _ROW and mode != _NEAREST
    flat = x.flatten(2)
    if is_rows:
        flat = flat.transpose(1, 2).contiguous()
    channels = -1 if is_rows else 1

    def at(places: Sequence[Any]) -> Any:
        """The elements at whole coordinates; 0 beside the image."""
        inside: Any = torch.ones_like(places[0], dtype=torch.bool)
        index: Any = 0
        for place, size in zip(reversed(places), reversed(sizes), strict=True):
            fits = (place >= 0) & (place <= size - 1)
            inside = inside & fits
            index = index * size + torch.where(fits, place, 0.0).long()
        shape = [-1, -1, -1]
        shape[channels] = x.shape[1]
        if is_rows:
            with unchecked():
                found = flat.gather(1, index.unsqueeze(channels).expand(shape))
            return torch.where(inside.unsqueeze(channels), found, 0.0)
        # One number says where an element is, and that there is none.
        wide = torch.where(inside, index, -1).unsqueeze(channels).expand(shape)
        with unchecked():
            found = flat.gather(2, wide.clamp(min=0))
        return torch.where(wide >= 0, found, 0.0)

    if mode == _NEAREST:
        return at([point.round() for point in points]).unflatten(-1, grid.shape[1:-1])
    result: Any = None
    lower = [point.floor() for point in points]
    for corner in itertools.product((0, 1), repeat=len(sizes)):
        weight: Any = 1.0
        places: list[Any] = []
        for point, low, step in zip(points, lower, corner, strict=True):
            rest = point - low
            weight = weight * (rest if step else 1 - rest)
            places.append(low + step)
        part = at(places) * weight.unsqueeze(channels)
        result = part if result is None else result + part
    if is_rows:
        result = result.transpose(1, 2)
    return result.unflatten(-1, grid.shape[1:-1])


def _of_image(x: Any, size: int, padding: int, align_corners: bool) -> Any:
    """From -1 to 1 -> from 0 to the last element, as the image goes on beside it.

    Rounded as eager's, so that the nearest element is the same one; a NaN is 0 unless
    zeros are beside the image.
    """
    import torch

    low, span = (0.0, size - 1) if align_corners else (-0.5, size)
    found = (x + 1) * _half(span, x)
    if not align_corners:
        found = found - 0.5
    if padding == _REFLECTED:
        if span == 0:
            return torch.zeros_like(found)
        far = (found - low).abs()
        rest = far - torch.trunc(far / (2 * span)) * (2 * span)
        found = torch.minimum(rest, 2 * span - rest) + low
    if padding in (_BORDER, _REFLECTED):
        found = torch.where(found >= 0, found, 0.0).clamp(max=size - 1)
    return found


def _half(span: Any, x: Any) -> Any:
    """Half of a size; of a dynamic one, which is no float yet, as a tensor."""
    import torch

    if isinstance(span, (int, float)):
        return span / 2
    return torch.full((), span, dtype=x.dtype) / 2


def _of_volume(x: Any, size: int, padding: int, align_corners: bool) -> Any:
    """The same, as eager computes it for volumes."""
    import torch

    found = (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2
    if padding == _REFLECTED:
        low, span = (0.0, size - 1) if align_corners else (-0.5, size)
        if span == 0:
            return torch.zeros_like(found)
        far = (found - low).abs()
        times, rest = torch.floor(far / span), torch.fmod(far, span)
        found = torch.where(torch.fmod(times, 2) == 0, rest, span - rest) + low
    if padding in (_BORDER, _REFLECTED):
        found = found.clamp(0, size - 1)
    return found
