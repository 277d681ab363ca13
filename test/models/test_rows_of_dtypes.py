"""Rows of tensors of several dtypes, and of tensors and numbers of other kinds."""

import math

import pytest
import torch
from row_groups import assert_parts_as_eager, in_groups
from torch import nn


class Masks(nn.Module):
    """Truths that elements are multiplied by."""

    def forward(self, x, i):
        n, k = x[0, 0].item(), i[0, 0].item()
        if n > 0.5:
            return x * (x > n), i * (x > 0), (x > 0) * n, x + (i > k)[0, 1]
        return (x > 0) * k, (i > 0) + k, (x > 0) == k, i & (x > 0)


class Kinds(nn.Module):
    """Ints and floats; a tensor without dimensions counts less."""

    def forward(self, x, i):
        wide = x[0, 1].double()
        if x[0, 0] > 0.5:
            return x * i, x + wide, i + x[0, 2], torch.where(x > 0, x, i), x**i
        return i / x, torch.maximum(x, i), x.double() - x, torch.where(x > 0, i, wide)


class Numbers(nn.Module):
    """Ints of tensors, and floats of rows."""

    def forward(self, x, i):
        n, k = x[0, 0].item(), i[0, 0].item()
        if n > 0.5:
            return i * n, n - i, i / n, i > n, i / k
        return i + n, i == n, i <= n, x % n, x.remainder(k)


class Scaled(nn.Module):
    def forward(self, x, i):
        n, k = x[0, 0].item(), i[0, 0].item()
        if n > 0.5:
            return x.add(x, alpha=n), torch.full_like(x, n), i.add(i, alpha=k)
        return x.sub(x[0], alpha=k), torch.full_like(i, k), torch.full_like(x, k)


CASES = (Masks, Kinds, Numbers, Scaled)
X = torch.tensor(
    [
        *([2.0, 1.0, -3.0], [0.5, 0.5, 1.0], [1.5, -2.5, 4.0], [-1.0, 2.0, 0.0]),
        *([3.0, math.nan, math.inf], [0.0, -math.inf, -0.0], [1e30, 1.0, 1.0]),
        *([-0.5, 0.25, -2.0], [math.nan, 7.0, 7.0], [0.75, 3.0, -3.0]),
    ]
)
INTS = torch.tensor(
    [
        *([2, 1, -3], [5, -5, 2], [1, 2**24 + 1, 1], [-4, 2, 5], [7, 7, 9]),
        *([-1, 2**53 + 1, 3], [2, 1, 1], [-2, -2, 1], [3, 1, 2], [1, 2, 2]),
    ]
)


@pytest.fixture(scope="module")
def compiled():
    return in_groups((X[:1], INTS[:1]))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_row_has_what_eager_gives(compiled, case, backend):
    assert_parts_as_eager(compiled(case, backend), case, X, INTS)
