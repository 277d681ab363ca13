"""Adaptive pools whose windows are of unequal sizes, a dim after the other.

torch-mlir takes all windows to be like the first. torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.batches import of_one
from dycl.analysis.torch_fixes.indices import unchecked


def largest_of_windows(op: Any, x: Any, sizes: Any) -> Any:
    """`adaptive_max_pool2d` by windows of unequal sizes: rows, then columns."""
    if x.dim() == 3:
        return of_one(op, x, sizes)
    known = [type(n) is int and n > 0 for n in (*x.shape[-2:], *sizes)]
    if not all(known) or all(
        a % b == 0 for a, b in zip(x.shape[-2:], sizes, strict=True)
    ):
        return NotImplemented
    values, columns = _largest(x, -1, sizes[1])
    values, rows = _largest(values, -2, sizes[0])
    with unchecked():
        columns = columns.gather(-2, rows)
    return values, rows * x.shape[-1] + columns


def _largest(x: Any, dim: int, count: int) -> tuple[Any, Any]:
    """The largest element of each of `count` windows along a dim, and its place."""
    import torch

    ends = _ends(x.shape[dim], count)
    parts = [
        x.narrow(dim, start, end - start).max(dim, keepdim=True) for start, end in ends
    ]
    places = [p[1] + start for p, (start, _) in zip(parts, ends, strict=True)]
    return torch.cat([p[0] for p in parts], dim), torch.cat(places, dim)


def means_of_boxes(op: Any, x: Any, sizes: Any) -> Any:
    """`_adaptive_avg_pool3d`: planes, rows, and columns."""
    return _means(x, sizes) if _is_uneven(x, sizes) else NotImplemented


def means_of_windows(op: Any, x: Any, sizes: Any) -> Any:
    """`_adaptive_avg_pool2d`: rows, and columns. torch's own way, taken where a mean of
    means would round twice or windows are many, reads each window by its indices."""
    import torch

    is_wide = x.dtype in (torch.float32, torch.float64)
    if not is_wide or not _is_uneven(x, sizes) or sum(sizes) > _MOST_WINDOWS:
        return NotImplemented
    return _means(x, sizes)


_MOST_WINDOWS = 32
"""Each is three ops to compile."""


def _means(x: Any, sizes: Any) -> Any:
    """The means of windows along the last dims, one dim after the other."""
    import torch

    for dim, count in zip(range(-len(sizes), 0), sizes, strict=True):
        parts = [
            x.narrow(dim, start, end - start).mean(dim, keepdim=True)
            for start, end in _ends(x.shape[dim], count)
        ]
        x = torch.cat(parts, dim)
    return x


def largest_of_boxes(op: Any, x: Any, sizes: Any) -> Any:
    """`adaptive_max_pool3d`."""
    if x.dim() == 4:
        return of_one(op, x, sizes)
    if not _is_uneven(x, sizes):
        return NotImplemented
    values, columns = _largest(x, -1, sizes[2])
    values, rows = _largest(values, -2, sizes[1])
    values, planes = _largest(values, -3, sizes[0])
    with unchecked():
        columns = columns.gather(-2, rows).gather(-3, planes)
        rows = rows.gather(-3, planes)
    height, width = x.shape[-2:]
    return values, (planes * height + rows) * width + columns


def _is_uneven(x: Any, sizes: Any) -> bool:
    """Whether windows differ in size, as far as sizes are known."""
    given = x.shape[-len(sizes) :]
    if not all(type(n) is int and n > 0 for n in (*given, *sizes)):
        return False
    return any(a % b for a, b in zip(given, sizes, strict=True))


def _ends(size: int, count: int) -> list[tuple[int, int]]:
    """Where each of the windows begins and ends."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


REWRITES = {
    "adaptive_max_pool2d": largest_of_windows,
    "adaptive_max_pool3d": largest_of_boxes,
    "_adaptive_avg_pool2d": means_of_windows,
    "_adaptive_avg_pool3d": means_of_boxes,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
