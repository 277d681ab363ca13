"""torchvision without its native code: its wheels are built for one build of torch.

The two operators that its models for detection call are written here in Python, as its
native code computes them on a CPU: in the same order, in the dtype of the operands.
"""

import sys

import torch

_KEPT = []
"""What is declared lives as long as its library."""
_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
)


def import_torchvision():
    """torchvision, with or without its native code; ImportError: it is not there.

    A wheel for CUDA cannot load its code beside torch for the CPU, and its Python fails
    at the first operator that it gives a second implementation. What is declared here
    lets the import succeed.
    """
    try:
        import torchvision
    except RuntimeError:
        declare_operators()
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        import torchvision
    if _KEPT:
        for name in ("torchvision.extension", "torchvision.ops.roi_align"):
            sys.modules[name]._has_ops = _has_ops
    return torchvision


def declare_operators():
    """Let `torch.ops.torchvision` have them; False: it has them already.

    The shape of what `nms` gives is declared by the Python of torchvision.
    """
    if _KEPT or hasattr(torch.ops.torchvision, "nms"):
        return False
    library = torch.library.Library("torchvision", "FRAGMENT")
    for schema in _SCHEMAS:
        library.define(schema)
    library.impl("nms", nms, "CPU")
    library.impl("roi_align", roi_align, "CPU")
    torch.library.register_fake("torchvision::roi_align", _fake_roi_align)
    _KEPT.append(library)
    return True


def _has_ops():
    return True


def nms(dets, scores, iou_threshold):
    """The places of the boxes that stay, by falling score: int64 [?].

    `dets`: [n, 4] float, left, top, right, bottom; `scores`: [n] of the same dtype. A
    box goes if it overlaps one that stays by more than the threshold.
    """
    if not dets.numel():
        return torch.empty(0, dtype=torch.long)
    left, top, right, bottom = dets.unbind(1)
    areas = (right - left) * (bottom - top)
    order = scores.sort(0, descending=True)[1].tolist()
    kept, stays = [], torch.ones(len(order), dtype=torch.bool)
    for place in order:
        if not stays[place]:
            continue
        kept.append(place)
        across = _min(right[place], right) - _max(left[place], left)
        down = _min(bottom[place], bottom) - _max(top[place], top)
        zero = torch.zeros((), dtype=dets.dtype)
        shared = _max(zero, across) * _max(zero, down)
        ratio = shared / (areas[place] + areas - shared)
        stays &= ~(ratio.double() > iou_threshold)
    return torch.tensor(kept, dtype=torch.long)


def _max(one, other):
    """As `std::max` does it: the first one, where either is NaN."""
    return torch.where(one < other, other, one)


def _min(one, other):
    return torch.where(other < one, other, one)


def roi_align(
    input,
    rois,
    spatial_scale,
    pooled_height,
    pooled_width,
    sampling_ratio,
    aligned,
):
    """Averages of bilinear samples in the bins of each box: [k, c, height, width].

    `input`: [n, c, h, w] float; `rois`: [k, 5] of the same dtype, the number of the
    image and a box. Without a `sampling_ratio`, a bin has a sample for each element.
    """
    size = (pooled_height, pooled_width)
    result = input.new_zeros(rois.shape[0], input.shape[1], *size)
    scale = torch.tensor(spatial_scale, dtype=input.dtype)
    for number, roi in enumerate(rois if result.numel() else ()):
        start = roi[[2, 1]] * scale - (0.5 if aligned else 0)
        length = roi[[4, 3]] * scale - (0.5 if aligned else 0) - start
        if not aligned:
            length = torch.where(length < 1, 1, length)
        step = length / torch.tensor(size, dtype=input.dtype)
        counts = [sampling_ratio] * 2 if sampling_ratio > 0 else step.ceil().tolist()
        counts = [int(count) if count > 0 else 0 for count in counts]
        if not all(counts):
            continue
        axes = [
            _samples(*one)
            for one in zip(start, step, size, counts, input.shape[2:], strict=True)
        ]
        result[number] = _sampled(input[int(roi[0])], *axes)
    return result


def _samples(start, step, bins, count, size):
    """Of the samples along an axis, [bins, count]: the elements on both sides, how much
    of each, and whether a sample lies inside."""
    place = start + torch.arange(bins)[:, None] * step
    place = place + (torch.arange(count) + 0.5).to(start.dtype) * step / count
    inside = (place >= -1) & (place <= size)
    place = torch.where(inside & (place > 0), place, 0)
    low = place.long().clamp(max=size - 1)
    place = torch.where(low >= size - 1, size - 1, place)
    part = place - low
    return low, (low + 1).clamp(max=size - 1), 1 - part, part, inside


def _sampled(image, rows, columns):
    """Means of the samples of each bin: [c, height, width] of an image [c, h, w]."""
    inside = rows[4][:, None, :, None] & columns[4][None, :, None, :]
    total = 0
    for one in (0, 1):
        for other in (0, 1):
            y, x = rows[one][:, None, :, None], columns[other][None, :, None, :]
            weight = rows[2 + one][:, None, :, None] * columns[2 + other][None, :, None]
            values = image[:, torch.where(inside, y, 0), torch.where(inside, x, 0)]
            total = total + torch.where(inside, weight, 0) * values
    return total.sum((-1, -2)) / inside[0, 0].numel()


def _fake_roi_align(
    input,
    rois,
    spatial_scale,
    pooled_height,
    pooled_width,
    sampling_ratio,
    aligned,
):
    return input.new_empty(rois.shape[0], input.shape[1], pooled_height, pooled_width)
