"""Sizes of a run as elements of tensors, and as items that Python goes over."""

import math

import pytest
import torch

from tools.size_sweep.comparing import same_at_every_size


def rows(x):
    """In tensors of their own."""
    n = x.shape[1]
    return (
        *(torch.tensor(x.shape), torch.tensor(x.size()).prod()),
        *(torch.as_tensor(x.shape[1:]).float() * 2, torch.tensor(list(x.shape))),
        *(torch.tensor([[n, 1.5], [2, 3]]), torch.LongTensor([n, 3])),
    )


def like_another(x):
    """In tensors of the dtype of another."""
    n = x.shape[1]
    return x.new_tensor([n, 2]), x.new_tensor(n), x.new_tensor([[n - 9, 1.5], [2, 3]])


def scaled(x):
    """As detectors scale boxes."""
    return x / x.new_tensor([x.shape[1], x.shape[1] + 1, 16])


def searched(x):
    """`index` and `count`, where the answer is a decision."""
    sizes = list(x.shape)
    return (
        *(x.shape.index(3), x.shape.count(3), x.shape[1:].index(3)),
        *(sizes.index(3), sizes.count(3), (x.shape[1], 4).count(4)),
        *(x.shape.index(3, 1), (7, x.shape[1], 16, 4).index(16, -3)),
    )


def not_there(x):
    """ValueError at all sizes but one."""
    return x * x.shape.index(7), x * [*x.shape, 1][1:].index(7)


def folded(x):
    """One number of all sizes."""
    return (
        *(max(x.shape), min(x.shape[1:]), sum(x.shape), sorted(x.shape)),
        *(math.prod(x.shape), math.prod(x.shape[1:], start=2), all(x.shape)),
        math.prod([x.shape[1], 2.5]),
    )


def parted(x):
    """`*` takes what is left over."""
    *outer, last = x.shape
    first, *inner = x.shape
    heads = x.reshape(*outer, last, 1), x.reshape(inner), x.new_ones(inner[0], first)
    return heads, len(outer), outer[-1]


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (rows, (1, "n", 3)),
        (like_another, (1, "n", 3)),
        (scaled, (1, "n", 3)),
        (searched, (1, "n", 3, 16)),
        (not_there, (1, "n", 3)),
        (folded, (2, "n", 3)),
        (parted, (1, "n", 3)),
    ],
)
def test_equals_eager(function, shape):
    same_at_every_size(function, shape)
