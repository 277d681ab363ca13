"""Loops that carry tensors whose first iterations make them as large as an input."""

import pytest
import torch

from tools.size_sweep.comparing import same_at_every_size

SIZES = (3, 0, 1, 2, 5)


def broadcast_once(x):
    """One row becomes as many as there are in `x`; that it is not entered is a join."""
    total, count = torch.zeros(1, 4), 0
    while x.abs().sum() > 1 and count < 3:
        total = total + x
        x = x * 0.5
        count += 1
    return total, count


def nowhere_else(x):
    return broadcast_once(x * 0)


def longer_each_time(x):
    """What grows by `x` in each iteration has a size that the run counts."""
    rows, count = torch.zeros(1, 4), 0
    while x.abs().sum() > 1 and count < 3:
        rows = torch.cat([rows, x])
        x = x * 0.5
        count += 1
    return rows, count


@pytest.mark.parametrize(
    "function",
    [broadcast_once, nowhere_else, longer_each_time],
    ids=lambda function: function.__name__,
)
def test_carried_sizes(function):
    same_at_every_size(function, ("n", 4), SIZES)
