"""Rows that divide Python's floats and raise them to powers.

Where Python raises, rows are computed one by one, and the first that raises says so.
"""

import itertools
import math

import pytest
import torch
from row_groups import assert_as_eager, counts_of_calls_alone, in_groups
from torch import nn


class Divides(nn.Module):
    """The signs of zeros are those of what they divide."""

    def forward(self, x, i):
        a, b, k = x[0, 0].item(), x[0, 1].item(), i[0, 0].item()
        if x[0, 2] > 0:
            return a // b, a % b, k // b, k % b, x.new_full((1,), a // b).reciprocal()
        return a // 0.1, a % -2, not a, b // k, x.new_full((1,), a % b).reciprocal()


class Powers(nn.Module):
    def forward(self, x, i):
        a, b = x[0, 0].item(), x[0, 1].item()
        if x[0, 2] > 0:
            return a**2, abs(a) ** 0.5, a**3, 2**b, not i[0, 0].item()
        return abs(a) ** b, a**-1, math.pow(a, 2)


class Functions(nn.Module):
    """Of two numbers."""

    def forward(self, x, i):
        a, b = x[0, 0].item(), x[0, 1].item()
        if x[0, 2] > 0:
            return math.fmod(a, b), x.new_full((1,), math.fmod(a, b)).reciprocal()
        return math.atan2(a, b), x * math.atan2(b, i[0, 0].item())


CASES = (Divides, Powers, Functions)
NUMBERS = (1.0, -2.5, 0.5, 3.0, -0.1, 7.0, -1.0)


def given(numbers):
    """Each number with each, on both sides."""
    pairs = list(itertools.product(numbers, numbers, (1.0, -1.0)))
    i = torch.tensor([[3 - k % 7 or 5] for k in range(len(pairs))])
    return torch.tensor(pairs), i


@pytest.fixture(scope="module")
def compiled():
    x, i = given(NUMBERS)
    return in_groups((x[:1], i[:1]))


@pytest.fixture
def alone(monkeypatch):
    return counts_of_calls_alone(monkeypatch)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_groups_give_each_row_what_python_gives(compiled, alone, case, backend):
    net, paths = compiled(case, backend), set()
    x, i = given(NUMBERS)
    for count in (len(x), 2, 1, 0):
        assert_as_eager(net, case, x[:count], i[:count])
        paths |= {tuple(d.taken for d in path) for path in net.paths}
    assert len(paths) == 2
    assert not alone


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_rows_at_the_ends_of_floats_have_what_python_gives(compiled, case):
    net = compiled(case, "cpu")
    x, i = given((0.0, -0.0, math.inf, -math.inf, math.nan, 1e30, -1.0, 2.0, 1e-3))
    raised = 0
    for row in range(len(x)):
        pair = torch.stack([x[row], torch.tensor([1.0, 2.0, x[row, 2]])])
        numbers = torch.stack([i[row], torch.tensor([2])])
        assert_as_eager(net, case, pair, numbers)
        alone = case()
        try:
            alone(pair[:1], numbers[:1])
        except (ValueError, ZeroDivisionError, OverflowError):
            raised += 1
    assert 0 < raised < len(x)


RAISING = {
    "a zero that divides": (Divides, [3.0, 0.0, 1.0]),
    "a zero that leaves nothing": (Divides, [3.0, 0.0, -1.0]),
    "a power of zero": (Powers, [0.0, 2.0, -1.0]),
    "a large power": (Powers, [1.0, 2000.0, 1.0]),
    "what infinity leaves": (Functions, [math.inf, 2.0, 1.0]),
}


@pytest.mark.parametrize("why", RAISING)
def test_the_first_row_that_raises_says_so(compiled, alone, why):
    case, row = RAISING[why]
    x, i = given(NUMBERS[:2])
    x[3] = torch.tensor(row)
    assert_as_eager(compiled(case, "cpu"), case, x, i)
    assert set(alone) == {len(x)}
