"""Operators of torchvision on boxes: which stay, and what a feature map has in them.

`nms` goes through the boxes by falling score, and drops those that overlap one that
stays by too much; how many stay is counted by the run (`counting`). `roi_align`
averages bilinear samples in the bins of a box. Each has a loop that the data ends, and
so a kernel of its own (`box_kernels`). torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.box_kernels import align_boxes, suppress_boxes
from dycl.analysis.torch_fixes.counting import places
from dycl.analysis.torch_fixes.division import demand
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir.torch.own_operators import ALIGN_BOXES, SUPPRESS_BOXES, define_operators


def suppressed(op: Any, boxes: Any, scores: Any, iou_threshold: float) -> Any:
    """`torchvision::nms`: the places of the boxes that stay, by falling score.

    `boxes`: [n, 4], left, top, right, bottom; `scores`: [n]; both f32 or f64. Equal
    scores are in order, as `sort` keeps them.
    """
    import torch

    _demand_floats("torchvision.nms", boxes, scores)
    define_operators()
    order = scores.sort(0, descending=True)[1]
    with unchecked():
        stays = torch.ops.dycl.suppress_boxes(boxes[order], iou_threshold)
        return order[places(stays)]


def aligned(
    op: Any,
    x: Any,
    boxes: Any,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Any:
    """`torchvision::roi_align`: [k, c, pooled_height, pooled_width].

    `x`: [n, c, h, w]; `boxes`: [k, 5], the image's number and a box; both f32 or f64.
    A number of no image, which eager reads memory by, raises. The scale, which may be
    a number that the run decides, is applied here, in the dtype of the boxes as there.
    """
    import torch

    _demand_floats("torchvision.roi_align", x, boxes)
    define_operators()
    image = boxes[:, 0]
    demand(
        ((image > -1) & (image < x.shape[0])).all(),
        "IndexError: roi_align: a box is of an image that is not there",
    )
    boxes = torch.cat([boxes[:, :1], boxes[:, 1:] * spatial_scale], 1)
    return torch.ops.dycl.align_boxes(
        x, boxes, pooled_height, pooled_width, sampling_ratio, aligned
    )


def _demand_floats(name: str, one: Any, other: Any) -> None:
    """Untraceable: they are not of one dtype that the kernels compute in."""
    import torch

    if one.dtype != other.dtype or one.dtype not in (torch.float32, torch.float64):
        raise Untraceable(
            f"torch op {name} has a lowering for float32 and float64, for both operands"
        )


REWRITES = {"torchvision::nms": suppressed, "torchvision::roi_align": aligned}
"""Name of an op -> what it is written as, from the overload and its operands."""
KERNELS = {SUPPRESS_BOXES: suppress_boxes, ALIGN_BOXES: align_boxes}
"""Name of an operator of ours -> its code, from what its operands are."""
