"""Images that are put together from windows, or made larger and smaller.

torch takes both apart into scattered and gathered elements, of which each has an index
for every dim. Here rows and columns have theirs. torch is imported in the functions.
"""

import itertools
from typing import Any, cast

from dycl.analysis.torch_fixes.indices import unchecked


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
    if op._overloadname == "vec":
        scales = tuple(scales[0] or ()) if scales else ()
        if size is None:
            size = [int(x.shape[2 + i] * scales[i]) for i in range(2)]
    factors = (*scales, None, None)
    rows_first = size[0] * 2 < x.shape[2]
    result = x if x.dtype == torch.float64 else x.float()
    for dim in (2, 3) if rows_first else (3, 2):
        result = _between(result, dim, size[dim - 2], align_corners, factors[dim - 2])
    return result.to(x.dtype)


def _between(x: Any, dim: int, count: int, align_corners: bool, scale: Any) -> Any:
    """`count` elements along a dim, means of two each: f32 or f64."""
    import torch

    size = x.shape[dim]
    at = torch.arange(count, dtype=x.dtype)
    if align_corners:
        at = at * ((size - 1) / (count - 1) if count > 1 else 0.0)
    else:
        step = 1 / scale if scale else size / count
        at = ((at + 0.5) * step - 0.5).clamp(min=0.0)
    low = at.long().clamp(max=size - 1)
    high = (low + 1).clamp(max=size - 1)
    shape = [1] * x.dim()
    shape[dim] = count
    weight = (at - low).clamp(0.0, 1.0).reshape(shape)
    with unchecked():
        return x.index_select(dim, low) * (1 - weight) + (
            x.index_select(dim, high) * weight
        )
