"""Losses that torch or torch-mlir takes apart wrongly, or cannot lower.

torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.torch_fixes.division import demand
from dycl.analysis.torch_fixes.indices import unchecked

_NONE, _MEAN, _SUM = range(3)


def binary_cross_entropy(
    op: Any, x: Any, target: Any, weight: Any = None, reduction: int = _MEAN
) -> Any:
    """As eager, which raises where an element is not between 0 and 1, or NaN."""
    import torch

    for name, given in (("input", x), ("target", target)):
        demand(
            ((given >= 0) & (given <= 1)).all(),
            f"RuntimeError: all elements of {name} should be between 0 and 1",
        )
    least = torch.full((), -100, dtype=x.dtype)
    loss = (target - 1) * torch.maximum(torch.log1p(-x), least)
    loss = loss - target * torch.maximum(torch.log(x), least)
    return reduced(loss if weight is None else loss * weight, reduction)


def reduced(loss: Any, reduction: int) -> Any:
    """The loss itself, its mean or its sum."""
    if reduction == _NONE:
        return loss
    return loss.mean() if reduction == _MEAN else loss.sum()


def absolute_error(op: Any, x: Any, target: Any, reduction: int = _MEAN) -> Any:
    """`l1_loss`: the difference of bytes wraps around before its sign is dropped."""
    return reduced((x - target).abs(), reduction)


def cross_entropy(
    op: Any,
    x: Any,
    target: Any,
    weight: Any = None,
    reduction: int = _MEAN,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    """`cross_entropy_loss` of chances: the mean of no classes is NaN, and torch divides
    as if a size that the run decides were never 0.

    `x`: [n, classes, ...] or [classes]; `target`: the same shape, or labels.
    """
    import torch

    classes = x.shape[1 if x.dim() > 1 else 0] if x.dim() else 1
    is_of_chances = target.shape == x.shape and target.is_floating_point()
    if type(classes) is int or reduction != _MEAN or not is_of_chances:
        return NotImplemented
    total = op(x, target, weight, _SUM, ignore_index, label_smoothing)
    sizes = (torch.full((), n, dtype=x.dtype) for n in (x.numel(), classes))
    return total / torch.div(*sizes)


def kl_div(
    op: Any, x: Any, target: Any, reduction: int = _MEAN, *, log_target: bool = False
) -> Any:
    """As eager, to which a chance of 0 adds nothing."""
    import torch

    if not (x.is_floating_point() and target.is_floating_point()):
        return NotImplemented
    if log_target:
        loss = target.exp() * (target - x)
    else:
        loss = torch.xlogy(target, target) - target * x
    return reduced(loss, reduction)


def multi_margin_loss(
    op: Any, x: Any, target: Any, p: Any = 1, margin: Any = 1, weight: Any = None,
    reduction: int = _MEAN,
) -> Any:  # fmt: skip
    """As eager, which adds up what is larger than 0, and so no NaN.

    `x`: [classes] or [rows, classes]; `target`: int64 [] or [rows].
    """
    import torch

    if not 1 <= x.dim() <= 2 or x.shape[-1] == 0 or not x.is_floating_point():
        return NotImplemented
    if type(p) is not int or p not in (1, 2) or target.dim() > 1:
        return NotImplemented
    rows, labels = torch.atleast_2d(x), torch.atleast_1d(target)
    classes = rows.shape[1]
    if labels.shape != rows.shape[:1] or (
        weight is not None and weight.shape != rows.shape[1:]
    ):
        return NotImplemented
    labels = labels.unsqueeze(1)
    fits = (labels >= 0) & (labels < classes)
    demand(fits.all(), "RuntimeError: target out of range")
    with unchecked():
        z = margin - rows.gather(1, labels) + rows
        factor = 1 if weight is None else weight[labels]
    counts = (torch.arange(classes) != labels) & (z > 0)
    z = torch.where(counts, (z if p == 1 else z * z) * factor, 0)
    if reduction == _MEAN:
        return z.mean()
    if reduction == _SUM:
        return z.sum() / classes
    return z.mean(1) if target.dim() else z.mean()


def multilabel_margin_loss(
    op: Any, x: Any, target: Any, reduction: int = _MEAN
) -> tuple[Any, Any]:
    """As eager; torch's own parts count labels behind the first -1 as class 0.

    `x`: [classes] or [rows, classes]; `target`: int64 of the same shape.
    """
    import torch

    if target.shape != x.shape or not 1 <= x.dim() <= 2 or not x.shape[-1]:
        return NotImplemented
    rows, labels = torch.atleast_2d(x), torch.atleast_2d(target)
    count = rows.shape[1]
    place = torch.arange(count)
    end = torch.where(labels == -1, place, count).amin(-1, keepdim=True)
    is_label = place < end
    fits = (labels >= -1) & (labels < count)
    demand(fits.all(), "RuntimeError: argument #2 'target' is out of range")
    safe = torch.where(is_label & fits, labels, 0)
    is_class = (is_label.unsqueeze(-1) & (safe.unsqueeze(-1) == place)).any(1)
    margin = 1 - rows.gather(1, safe).unsqueeze(-1) + rows.unsqueeze(1)
    counts = is_label.unsqueeze(-1) & ~is_class.unsqueeze(1)
    margin = torch.where(counts & (margin > 0), margin, 0).sum((1, 2)) / count
    result = reduced(margin if x.dim() == 2 else margin.squeeze(0), reduction)
    return result, is_class.to(x.dtype).reshape(target.shape)


def soft_margin(op: Any, x: Any, target: Any, reduction: int = _MEAN) -> Any:
    """Of half floats eager's exponential may be infinite, as it is rounded."""
    import torch

    if x.dtype not in (torch.float16, torch.bfloat16):
        return NotImplemented
    result = torch.log1p(torch.exp(-x * target))
    return reduced(result, reduction)


def poisson_loss(
    op: Any, x: Any, target: Any, log_input: bool, full: bool, eps: float,
    reduction: int,
) -> Any:  # fmt: skip
    """`poisson_nll_loss`, which has no lowering, nor a decomposition."""
    loss = x.exp() - target * x if log_input else x - target * (x + eps).log()
    if full:
        rest = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + rest.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


REWRITES = {
    "binary_cross_entropy": binary_cross_entropy,
    "cross_entropy_loss": cross_entropy,
    "kl_div": kl_div,
    "l1_loss": absolute_error,
    "multi_margin_loss": multi_margin_loss,
    "multilabel_margin_loss_forward": multilabel_margin_loss,
    "poisson_nll_loss": poisson_loss,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
