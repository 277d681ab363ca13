"""Statistics that torch computes with decisions on its weights."""

import math
from typing import Any

import torch


def cov(
    input: Any, *, correction: Any = 1, fweights: Any = None, aweights: Any = None
) -> Any:
    """`torch.cov`: [variables, observations] -> [variables, variables]; of one
    variable, [observations], a number.

    Raises RuntimeError: more than two dims, weights below zero, of another size or of
    the wrong dtype.
    """
    if input.dim() > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input "
            f"with {input.dim()} dimensions"
        )
    if input.dtype == torch.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    if fweights is not None and not _is_integral(fweights):
        raise RuntimeError("cov(): expected fweights to have integral dtype")
    if aweights is not None and not aweights.is_floating_point():
        raise RuntimeError("cov(): expected aweights to have floating point dtype")
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    count = rows.size(1)
    weights = None
    for kind, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            if given.dim() > 1 or given.numel() != count:
                raise RuntimeError(
                    f"cov(): expected {kind} to have the same numel as there are "
                    f"observations in the input but got {given.numel()} != {count}"
                )
            if (given < 0).any():
                raise RuntimeError(f"cov(): {kind} cannot be negative")
            weights = given if weights is None else weights * given
    if weights is None:
        centred = rows - rows.sum(1, keepdim=True) / count
        products = centred @ centred.transpose(0, 1)
        return (products / max(count - correction, 0)).squeeze()
    total = weights.sum()
    if total == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    centred = rows - (rows * weights).sum(1, keepdim=True) / total
    products = centred @ (centred * weights).transpose(0, 1)
    if aweights is None or correction == 0:
        freedom = total - correction
    else:
        freedom = total - correction * (weights * aweights).sum() / total
    return (products / freedom.clamp(min=0)).squeeze()


def _is_integral(input: Any) -> bool:
    return not input.is_floating_point() and input.dtype != torch.bool


def corrcoef(input: Any) -> Any:
    """`torch.corrcoef`: `cov` divided by the deviations, from -1 to 1."""
    found = cov(input)
    if found.dim() == 0:
        return found / found
    deviation = found.diagonal().sqrt()
    return (found / deviation.unsqueeze(1) / deviation.unsqueeze(0)).clamp(-1, 1)


def gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """`F.gaussian_nll_loss`: of tensors that can be broadcast, var also a float.

    Raises ValueError: a variance below zero, of another size, or another reduction;
    RuntimeError: a variance that is no float.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch.ones_like(input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif not _stretches(input.shape, var.shape):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    if not var.is_floating_point():
        raise RuntimeError("result type Float can't be cast to that of var")
    var = var.clamp(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss


def _stretches(shape: Any, other: Any) -> bool:
    """Whether all sizes but one are equal, and that one is 1 in the other."""
    if len(shape) != len(other):
        return False
    differ = [i for i in range(len(shape)) if shape[i] != other[i]]
    return len(differ) == 1 and other[differ[0]] == 1
