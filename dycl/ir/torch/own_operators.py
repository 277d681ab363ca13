"""Operators of `torch.library` that are ours: what they compute, in eager.

    rows = torch.ops.dycl.rotate_rows(x, count)

A lowering calls them where a kernel needs a loop that the data ends, which no torch op
is. The kernels' code is in `dycl.analysis.torch_fixes`. torch is imported in the
functions.
"""

from functools import cache
from typing import Any, cast

NAMESPACE = "dycl"
ROTATE_ROWS = f"{NAMESPACE}::rotate_rows"
SUPPRESS_BOXES = f"{NAMESPACE}::suppress_boxes"
ALIGN_BOXES = f"{NAMESPACE}::align_boxes"
REINTERPRET = f"{NAMESPACE}::reinterpret"


@cache
def define_operators() -> None:
    """Let `torch.ops.dycl` have them."""
    import torch

    library = cast(Any, torch.library)
    library.define(ROTATE_ROWS, "(Tensor x, int count) -> Tensor")
    library.impl(ROTATE_ROWS, "CPU", rotate_rows)
    library.register_fake(ROTATE_ROWS, lambda x, count: cast(Any, torch).empty_like(x))
    library.define(SUPPRESS_BOXES, "(Tensor boxes, float threshold) -> Tensor")
    library.impl(SUPPRESS_BOXES, "CPU", suppress_boxes)
    library.register_fake(SUPPRESS_BOXES, _all_stay)
    library.define(
        ALIGN_BOXES,
        "(Tensor x, Tensor boxes, int height, int width, int sampling_ratio, "
        "bool aligned) -> Tensor",
    )
    library.impl(ALIGN_BOXES, "CPU", align_boxes)
    library.register_fake(ALIGN_BOXES, _bins)
    library.define(REINTERPRET, "(Tensor x, str dtype) -> Tensor")
    library.impl(REINTERPRET, "CPU", reinterpret)
    library.register_fake(REINTERPRET, _of_dtype)


def rotate_rows(x: Any, count: int) -> Any:
    """An orthogonal matrix times f64[batch, rows, columns], such that the first `count`
    columns have rows that are orthogonal to each other, in any order."""
    import torch

    left = cast(Any, torch).linalg.svd(x[..., :count])[0]
    return left.transpose(-1, -2) @ x


def suppress_boxes(boxes: Any, threshold: float) -> Any:
    """Which boxes stay: [n, 4], the best one first -> bool[n]; the others overlap an
    earlier one that stays by more than the threshold."""
    import torch

    scores = torch.arange(boxes.shape[0], 0, -1, dtype=boxes.dtype)
    kept = torch.ops.torchvision.nms(boxes, scores, threshold)
    return torch.zeros(boxes.shape[0], dtype=torch.bool).index_fill(0, kept, True)


def _all_stay(boxes: Any, threshold: float) -> Any:
    import torch

    return boxes.new_empty(boxes.shape[:1], dtype=torch.bool)


def align_boxes(
    x: Any,
    boxes: Any,
    height: int,
    width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Any:
    """torchvision's own, of a scale of 1: [n, c, h, w], [k, 5] -> [k, c, height,
    width]."""
    import torch

    return torch.ops.torchvision.roi_align(
        x, boxes, 1.0, height, width, sampling_ratio, aligned
    )


def _bins(x: Any, boxes: Any, height: int, width: int, *_: Any) -> Any:
    return x.new_empty((boxes.shape[0], x.shape[1], height, width))


def reinterpret(x: Any, dtype: str) -> Any:
    """A copy whose elements have the bits of those of `x`, as another dtype of the same
    width, which is called by its name: `int32`."""
    import torch

    return x.view(getattr(torch, dtype)).clone()


def _of_dtype(x: Any, dtype: str) -> Any:
    import torch

    return torch.empty_like(x, dtype=getattr(torch, dtype))
