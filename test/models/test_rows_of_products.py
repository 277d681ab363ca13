"""Rows of sums of products, and of copies and parts of matrices."""

import math

import pytest
import torch
import torch.nn.functional as F
from row_groups import assert_parts_as_eager, in_groups
from torch import nn


class Products(nn.Module):
    """Of rows with each other, and with what is the same for all."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.linspace(-2.0, 2.0, 12).view(4, 3))

    def forward(self, x, i):
        if x[0, 0] > 0:
            outer = torch.outer(x[0], self.weights[0])
            return torch.einsum("bi,ij->bj", x, self.weights), outer
        whole = torch.einsum("i, i->", x[0], x[0])
        return torch.einsum("ij,kj->ik", self.weights.t(), x), whole


class Copies(nn.Module):
    def forward(self, x, i):
        if x[0, 0] > 0:
            return x.repeat(1, 2), x.repeat(2, 3, 1), x[0, 1].repeat(2), x[0].repeat(2)
        pairs = x.view(2, 2)
        return pairs.repeat_interleave(3, 0), i.repeat(0, 1), x.repeat_interleave(2, 1)


class Parts(nn.Module):
    def forward(self, x, i):
        pairs = x.view(2, 2)
        if x[0, 0] > 0:
            return x.tril(), pairs.triu(1), pairs[None].tril(-1), F.glu(pairs, 0)
        return i.triu(), F.glu(x), x.cumprod(1), pairs.cumprod(0)


class Losses(nn.Module):
    def forward(self, x, i):
        if x[0, 0] > 0:
            return F.mse_loss(x, x * 2), F.mse_loss(x[0, 0], x[0, 1])
        ones = torch.ones(2, 2)
        of_pairs = F.mse_loss(x.view(2, 2), ones, reduction="none")
        return F.mse_loss(ones.view(1, 4), x, reduction="sum"), of_pairs


CASES = (Products, Copies, Parts, Losses)
X = torch.tensor(
    [
        *([2.0, 1.0, -3.0, 0.5], [-0.5, 0.5, 1.0, 2.0], [1.5, -2.5, 4.0, 1.0]),
        *([0.0, 2.0, 0.0, -1.0], [3.0, math.nan, 1.0, 0.0], [-1.0, math.nan, 2.0, 5.0]),
        *([1.0, math.inf, -0.0, 0.0], [-math.inf, 1.0, 1.0, 1.0]),
    ]
)
INTS = torch.arange(32).view(8, 4) - 16


@pytest.fixture(scope="module")
def compiled():
    return in_groups((X[:1], INTS[:1]))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_row_has_what_eager_gives(compiled, case, backend):
    assert_parts_as_eager(compiled(case, backend), case, X, INTS)
