"""Adaptive pools, a dim after the other.

torch-mlir takes all windows to be like the first, and finds no place of a NaN. torch is
imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.batches import is_known, of_one
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.torch_fixes.pools import largest_of_equal
from dycl.analysis.torch_fixes.window_parts import check_counts, largest, means


def largest_of_windows(op: Any, x: Any, sizes: Any) -> Any:
    """`adaptive_max_pool2d`: rows, then columns."""
    if x.dim() == 3:
        return of_one(op, x, sizes)
    if is_known(x, sizes):
        if not _is_uneven(x, sizes):
            return _of_equal(x, sizes)
    else:
        check_counts(sizes)
    values, columns = largest(x, -1, sizes[1])
    values, rows = largest(values, -2, sizes[0])
    with unchecked():
        columns = columns.gather(-2, rows)
    return values, rows * x.shape[-1] + columns


def means_of_boxes(op: Any, x: Any, sizes: Any) -> Any:
    """`_adaptive_avg_pool3d`: planes, rows, and columns."""
    return means(x, sizes) if _is_uneven(x, sizes) else NotImplemented


def means_of_windows(op: Any, x: Any, sizes: Any) -> Any:
    """`_adaptive_avg_pool2d`: rows, and columns. torch's own way, taken where a mean of
    means would round twice or windows are many, reads each window by its indices."""
    import torch

    is_wide = x.dtype in (torch.float32, torch.float64)
    if not is_wide or not _is_uneven(x, sizes) or sum(sizes) > _MOST_WINDOWS:
        return NotImplemented
    return means(x, sizes)


_MOST_WINDOWS = 32
"""Each is three ops to compile."""


def largest_of_boxes(op: Any, x: Any, sizes: Any) -> Any:
    """`adaptive_max_pool3d`."""
    if x.dim() == 4:
        return of_one(op, x, sizes)
    if not _is_uneven(x, sizes):
        return _of_equal(x, sizes)
    values, columns = largest(x, -1, sizes[2])
    values, rows = largest(values, -2, sizes[1])
    values, planes = largest(values, -3, sizes[0])
    with unchecked():
        columns = columns.gather(-2, rows).gather(-3, planes)
        rows = rows.gather(-3, planes)
    height, width = x.shape[-2:]
    return values, (planes * height + rows) * width + columns


def _of_equal(x: Any, sizes: Any) -> Any:
    known = (*x.shape[-len(sizes) :], *sizes)
    if not x.is_floating_point() or not all(type(n) is int and n > 0 for n in known):
        return NotImplemented
    return largest_of_equal(x, sizes)


def _is_uneven(x: Any, sizes: Any) -> bool:
    """Whether windows differ in size, as far as sizes are known."""
    given = x.shape[-len(sizes) :]
    if not all(type(n) is int and n > 0 for n in (*given, *sizes)):
        return False
    return any(a % b for a, b in zip(given, sizes, strict=True))


REWRITES = {
    "adaptive_max_pool2d": largest_of_windows,
    "adaptive_max_pool3d": largest_of_boxes,
    "_adaptive_avg_pool2d": means_of_windows,
    "_adaptive_avg_pool3d": means_of_boxes,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
