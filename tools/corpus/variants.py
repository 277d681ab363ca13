"""Inputs of the shapes that a program came with, made to send decisions other ways."""

import torch
from torch.utils import _pytree as pytree

from tools.fuzz.inputs import constants

FIRST = 3
"""So many inputs every program is run on: as given, and two redrawn."""


def variants(arguments, source=""):
    """Arguments of the same structure, shapes and dtypes: FIRST usual ones, odd ones.

    Usual ones are the given one and two redrawn within the range of what is given.
    Odd ones: other signs and scales, equal elements, NaN, infinities, and the numbers
    that `source` compares with. Integers stay what they may index.
    """
    yield arguments
    generator = torch.Generator().manual_seed(0)
    changes = [_redrawn(generator), _redrawn(generator)]
    changes += [_times(-1), _times(100), _times(0.01), _times(0), _filled(1)]
    changes += [_redrawn(generator, wide=True), _filled(float("nan"))]
    changes += [_filled(float("inf"))]
    changes += [_filled(number) for number in constants(source)]
    for change in changes:
        yield pytree.tree_map_only(torch.Tensor, change, arguments)


def _redrawn(generator, wide=False):
    def change(x):
        if x.dtype == torch.bool:
            return torch.rand(x.shape, generator=generator) < 0.5
        if x.numel() == 0 or x.is_complex():
            return x.clone()
        low, high = x.min().item(), x.max().item()
        if not x.is_floating_point():
            return torch.randint(
                int(low), int(high) + 1, x.shape, generator=generator
            ).to(x.dtype)
        drawn = torch.randn if wide else torch.rand
        drawn = drawn(x.shape, generator=generator, dtype=torch.float64)
        scaled = drawn * 3 if wide else drawn * (high - low) + low
        return scaled.to(x.dtype)

    return change


def _times(factor):
    def change(x):
        if x.dtype == torch.bool:
            return ~x if factor < 0 else x & bool(factor)
        is_index = not x.is_floating_point()
        return x.clone() if is_index and factor else x * factor

    return change


def _filled(number):
    return lambda x: torch.full_like(x, number) if x.is_floating_point() else x.clone()
