"""Grids of points, and images between their pixels, in ops that torch-mlir lowers.

torch-mlir's own `grid_sampler` is wrong wherever a point lies between pixels.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from dycl.analysis.torch_fixes.division import is_half
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
    if mode == _CUBIC:
        return _cubic(x, grid, padding, align_corners)
    return _sampled(x, grid, mode, padding, align_corners)


_NEAREST, _CUBIC = 1, 2
"""Modes of sampling; 0 is linear."""
_ZEROS, _BORDER, _REFLECTED = 0, 1, 2
"""Modes of padding."""
_SLOPE = -0.75
"""Of the cubic curve at the elements next to the nearest."""
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
    sizes = [*reversed(x.shape[2:])]
    coordinate = _of_image if len(sizes) == 2 else _of_volume
    points = [
        coordinate(grid[..., i].flatten(1), size, padding, align_corners)
        for i, size in enumerate(sizes)
    ]
    # A row of channels is read at once; of few, or once, planes need no turning.
    is_rows = x.shape[1] >= _ROW and mode != _NEAREST
    at, channels = _reader(x, is_rows)
    is_short = padding == _ZEROS and is_half(grid.dtype) and len(sizes) == 2
    whole = _as_short if is_short else _as_it_is
    if mode == _NEAREST:
        nearest = [whole(point.round()) for point in points]
        return at(nearest).unflatten(-1, grid.shape[1:-1])
    result: Any = None
    lower = [point.floor() for point in points]
    first = [whole(low) for low in lower]
    for corner in itertools.product((0, 1), repeat=len(sizes)):
        weight: Any = 1.0
        places: list[Any] = []
        for point, low, place, step in zip(points, lower, first, corner, strict=True):
            rest = point - low
            weight = weight * (rest if step else 1 - rest)
            places.append(place + step)
        part = at(places) * weight.unsqueeze(channels)
        result = part if result is None else result + part
    if is_rows:
        result = result.transpose(1, 2)
    return result.unflatten(-1, grid.shape[1:-1])


def _as_it_is(point: Any) -> Any:
    return point


def _as_short(point: Any) -> Any:
    """A whole number as one of 16 bits, which eager has for coordinates in half floats:
    it wraps around, and an infinity or NaN is 0."""
    wide = point.float()
    wide = wide - ((wide + 2**15) / 2**16).floor() * 2**16
    return wide.masked_fill(wide != wide, 0.0)


def _cubic(x: Any, grid: Any, padding: int, align_corners: bool) -> Any:
    """Elements of [n, c, h, w] at points, of the 16 around each, as eager counts them:
    those beside the image are moved into it one by one, or are 0."""
    sizes = [*reversed(x.shape[2:])]
    is_rows = x.shape[1] >= _ROW
    at, channels = _reader(x, is_rows)
    places: list[list[Any]] = []
    weights: list[list[Any]] = []
    for i, size in enumerate(sizes):
        point = _unpadded(grid[..., i].flatten(1), size, align_corners)
        low = point.floor()
        steps = [low + step for step in (-1, 0, 1, 2)]
        places.append([_padded(step, size, padding, align_corners) for step in steps])
        weights.append([w.unsqueeze(channels) for w in _cubic_weights(point - low)])
    result: Any = None
    for row, height in zip(places[1], weights[1], strict=True):
        line: Any = None
        for place, weight in zip(places[0], weights[0], strict=True):
            part = at([place, row]) * weight
            line = part if line is None else line + part
        result = line * height if result is None else result + line * height
    if is_rows:
        result = result.transpose(1, 2)
    return result.unflatten(-1, grid.shape[1:-1])


def _cubic_weights(rest: Any) -> list[Any]:
    """How much the four elements around a point count; `rest`: from the second on."""

    def near(t: Any) -> Any:
        return ((_SLOPE + 2) * t - (_SLOPE + 3)) * t * t + 1

    def far(t: Any) -> Any:
        return ((_SLOPE * t - 5 * _SLOPE) * t + 8 * _SLOPE) * t - 4 * _SLOPE

    return [far(rest + 1), near(rest), near(1 - rest), far(2 - rest)]


def _reader(x: Any, is_rows: bool) -> tuple[Callable[[Sequence[Any]], Any], int]:
    """What reads [n, c, ...] at whole coordinates, and where its results have the
    channels: behind the points if a row of them is to be read at once."""
    import torch

    sizes = [*reversed(x.shape[2:])]
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

    return at, channels


def _of_image(x: Any, size: int, padding: int, align_corners: bool) -> Any:
    """From -1 to 1 -> from 0 to the last element, as the image goes on beside it.

    Rounded as eager's, so that the nearest element is the same one; a NaN is 0 unless
    zeros are beside the image.
    """
    return _padded(_unpadded(x, size, align_corners), size, padding, align_corners)


def _unpadded(x: Any, size: int, align_corners: bool) -> Any:
    """From -1 to 1 -> from 0 to the last element, or beside the image."""
    if align_corners:
        return (x + 1) * _half(size - 1, x)
    return (x + 1) * _half(size, x) - 0.5


def _padded(found: Any, size: int, padding: int, align_corners: bool) -> Any:
    """Coordinates beside an image -> those that it goes on with there."""
    import torch

    low, span = (0.0, size - 1) if align_corners else (-0.5, size)
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
