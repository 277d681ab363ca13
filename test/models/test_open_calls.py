"""Calls whose shapes hang on sizes of a run, equal to eager at every size."""

import pytest
import torch

from tools.size_sweep.comparing import same_at_every_size

ONE = torch.arange(24.0).reshape(1, 2, 4, 3) / 10
OTHER = torch.arange(24.0).reshape(1, 2, 3, 4)


def many_by_one(x):
    """Of no batches there are no products."""
    return x @ ONE, OTHER @ x.transpose(2, 3)


def heads_by_one(x):
    """Both a batch and a length of the run."""
    scores = x.transpose(1, 2) @ ONE[:, :, :, :1]
    return torch.cat([scores, x.new_zeros(x.size(0), 2, x.size(1), 2)], -1)


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (many_by_one, ("n", 2, 3, 4)),
        (many_by_one, ("n", 2, "n", 4)),
        (heads_by_one, ("n", "n", 2, 4)),
    ],
)
def test_products(function, shape):
    same_at_every_size(function, shape)
