"""Whether two results differ by rounding only, judged by eager with other roundings.

`sqrt` of what cancels, say, makes an error of 1e-7 one of 1e-4, and whether eager makes
it is chance. So a difference that is too large is held against what eager gives when
each op's result is moved by up to one unit in the last place, at random: the
stochastic arithmetic of Vignes' CESTAC. What moves that far has no digits to compare.
"""

import copy

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

_RUNS = 4
_MOST = 4
"""So many times what eager moves by ours may differ,"""
_LARGEST = 0.05
"""but by no larger part of the result: what moves by more may hide another path."""


def is_rounding(ours, wanted, model, args, kwargs):
    """Whether ours differs from eager's by about what eager moves by itself."""
    wanted, ours = pytree.tree_leaves(wanted), pytree.tree_leaves(ours)
    if len(ours) != len(wanted):
        return False
    moved = [0.0] * len(wanted)
    for seed in range(_RUNS):
        try:
            found = pytree.tree_leaves(_moved(model, args, kwargs, seed))
        except Exception:
            return False
        if len(found) != len(wanted):
            return False
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            moved[place] = max(moved[place], _distance(one, other))
    for one, other, most in zip(ours, wanted, moved, strict=True):
        size = other.abs().max().item() if _is_float(other) and other.numel() else 0
        if not _distance(one, other) <= min(_MOST * most, _LARGEST * size):
            return False
    return True


def _moved(model, args, kwargs, seed):
    torch.manual_seed(0)
    args, kwargs = copy.deepcopy((args, kwargs))
    with torch.no_grad(), _Noise(seed):
        return model(*args, **kwargs)


def _is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _distance(one, other):
    """The largest difference of two leaves; infinite where they do not compare."""
    if not _is_float(one) or not _is_float(other):
        plain = not isinstance(other, torch.Tensor)
        alike = one == other if plain else torch.equal(one, other)
        return 0.0 if alike else float("inf")
    if one.shape != other.shape or not torch.equal(one.isfinite(), other.isfinite()):
        return float("inf")
    found = (one.double() - other.double())[other.isfinite()].abs()
    return found.max().item() if found.numel() else 0.0


class _Noise(TorchDispatchMode):
    """Moves what an op computes by up to one unit in the last place."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run the op; what only views or writes is left as it is."""
        result = func(*args, **(kwargs or {}))
        if func.is_view or func._schema.is_mutable:
            return result
        return pytree.tree_map_only(torch.Tensor, self.moved, result)

    def moved(self, x):
        """The tensor times `1 + e`, with `e` between minus and plus one unit."""
        if not x.is_floating_point() or x.numel() == 0:
            return x
        drawn = torch.rand(x.shape, generator=self.generator, dtype=torch.float64)
        unit = torch.finfo(x.dtype).eps
        return (x.double() * (1 + (drawn * 2 - 1) * unit)).to(x.dtype)
