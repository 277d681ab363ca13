"""Distances of all rows of a tensor from each other, or from those of another."""

from typing import Any

from dycl.analysis.torch_fixes.indices import unchecked

_FEW = 25
"""From more rows on, eager's `cdist` multiplies matrices."""


def distances(op: Any, x: Any, y: Any, p: float, mode: int | None = None) -> Any:
    """`cdist`: by products of matrices where eager does so; of as many rows as a run
    decides by differences, which are as exact as eager's of few rows."""
    rows = x.shape[-2], y.shape[-2]
    is_large = all(type(n) is int for n in rows) and max(rows) > _FEW
    if p == 2 and (mode == 1 or (mode in (None, 0) and is_large)):
        ones = x.pow(2).sum(-1, keepdim=True), y.pow(2).sum(-1, keepdim=True)
        squares = ones[0] + ones[1].transpose(-1, -2)
        return (squares - 2 * (x @ y.transpose(-1, -2))).clamp(min=0).sqrt()
    gaps = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == float("inf"):  # Eager's largest gap is that of those that are numbers.
        gaps = gaps.masked_fill(gaps.isnan(), 0)
    return _norm(gaps, p)


def open_distances(
    op: Any, x: Any, y: Any, p: float = 2, compute_mode: int | None = None
) -> Any:
    """The same of dynamic rows, before torch asks how many there are in the example."""
    if all(type(n) is int for n in (x.shape[-2], y.shape[-2])):
        return NotImplemented
    return distances(op, x, y, p, compute_mode)


def pair_distances(op: Any, x: Any, p: float = 2) -> Any:
    """`pdist`: each row from each later one."""
    import torch

    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1).unbind(0)
    with unchecked():
        return _norm((x[first] - x[second]).abs(), p)


def _norm(x: Any, p: float) -> Any:
    """Along the last dim, of what is not negative."""
    if x.shape[-1] == 0:
        return x.sum(-1)
    if p == 0:
        return x.ceil().clamp(max=1).sum(-1)  # NaN stays NaN.
    if p == 1:
        return x.sum(-1)
    if p == 2:
        return x.pow(2).sum(-1).sqrt()
    if p == float("inf"):
        return x.amax(-1)
    return x.pow(p).sum(-1).pow(1 / p)


REWRITES = {
    "_cdist_forward": distances,
    "cdist": open_distances,
    "_pdist_forward": pair_distances,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
