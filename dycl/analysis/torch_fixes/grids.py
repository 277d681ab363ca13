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


def sampler(op: Any, *given: Any) -> Any:
    """`grid_sampler_2d`, which torch takes apart, though not for its core."""
    from torch._decomp import decomposition_table

    return cast(Any, decomposition_table)[op](*given)


_NEAREST, _BORDER, _REFLECTED = 1, 1, 2
"""Of the modes of sampling and of padding; 0 is linear, and zeros."""


def sampler_3d(
    op: Any, x: Any, grid: Any, mode: int, padding: int, align_corners: bool
) -> Any:
    """`grid_sampler_3d`: elements of [n, c, d, h, w] at points [n, ..., 3]."""
    import torch

    sizes = [*reversed(x.shape[2:])]
    points = [
        _coordinate(grid[..., i], size, padding, align_corners)
        for i, size in enumerate(sizes)
    ]
    flat = x.flatten(2)

    def at(places: Sequence[Any]) -> Any:
        """The elements at whole coordinates; 0 beside the image."""
        inside: Any = torch.ones_like(places[0], dtype=torch.bool)
        index: Any = 0
        for place, size in zip(reversed(places), reversed(sizes), strict=True):
            fits = (place >= 0) & (place <= size - 1)
            inside = inside & fits
            index = index * size + torch.where(fits, place, 0.0).long()
        with unchecked():
            wide = index.flatten(1).unsqueeze(1).expand(-1, x.shape[1], -1)
            found = flat.gather(-1, wide).unflatten(-1, index.shape[1:])
        return torch.where(inside.unsqueeze(1), found, 0.0)

    if mode == _NEAREST:
        return at([point.round() for point in points])
    result: Any = None
    lower = [point.floor() for point in points]
    for corner in itertools.product((0, 1), repeat=3):
        weight: Any = 1.0
        places: list[Any] = []
        for point, low, step in zip(points, lower, corner, strict=True):
            rest = point - low
            weight = weight * (rest if step else 1 - rest)
            places.append(low + step)
        part = at(places) * weight.unsqueeze(1)
        result = part if result is None else result + part
    return result


def _coordinate(x: Any, size: int, padding: int, align_corners: bool) -> Any:
    """From -1 to 1 -> from 0 to the last element, as the image goes on beside it."""
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
