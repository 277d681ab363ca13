"""Rows that compute with Python's ints, and with functions of numbers.

What may be too large for a group, or is no number that a function takes, is computed
row by row: so every row has what Python gives, and raises what it raises.
"""

import math

import pytest
import torch
from row_groups import assert_as_eager, counts_of_calls_alone, in_groups
from torch import nn


class OfFloats(nn.Module):
    """Ints that are made of floats, and what is left of them."""

    def forward(self, x, i):
        n = int(x.sum() * 4)
        k = n * 3 + 1
        if k % 2 == 0:
            return x * (k // 3), k // 7, k / 7, bool(n)
        return x + round(x.max().item()), -k % 5, float(k) * 2, n > 0.5


class OfTensors(nn.Module):
    """Ints of any size, divided by each other."""

    def forward(self, x, i):
        a, b = i[0, 0].item(), i[0, 1].item()
        c = a * b - a
        d = a // b if b else a
        if c > 3:
            return c % 7, d, a / 3, a**2, i * d
        return (c & 6) | (a ^ 3), d - b, abs(a) * 1.5, -b + True, i * (a % -5)


class Functions(nn.Module):
    """Python's functions of floats."""

    def forward(self, x, i):
        a, b = x.max().item(), x.min().item()
        r = math.sqrt(a * a + b * b) + math.exp(-abs(a)) + math.sin(b)
        n = math.floor(a) - math.ceil(b) + math.trunc(b)
        if math.log(1 + b * b) > 0.1:
            return r / (1 + b * b), n, r - x.masked_fill(x > 0.5, a), math.tanh(a)
        return math.atan(r), n, torch.zeros_like(x).fill_(b), abs(b) / (2 + a)


class Divides(nn.Module):
    def forward(self, x, i):
        n = int(x[0, 0])
        if x[0, 1] > 0:
            return i[0, 0].item() // n, 1.0
        return i[0, 1].item() % n, x[0, 2].item() / n


class Shifts(nn.Module):
    """Bits of ints, and the third power."""

    def forward(self, x, i):
        a, k = i[0, 0].item(), abs(i[0, 1].item())
        if x[0, 1] > 0:
            return (a << k) % 1000003, a >> k, ~a, ((a > 0) << k) % 7, -7 >> k
        return a << 3, a >> 63, a**3, ~(a > 0), a >> 2


CASES = (OfFloats, OfTensors, Functions, Divides, Shifts)


def given(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 4, generator=generator) * 3
    x[:, 0] = x[:, 0].sign() * (x[:, 0].abs() + 1)  # Something divides by it.
    return x, torch.randint(-9, 9, (count, 4), generator=generator)


@pytest.fixture(scope="module")
def compiled():
    return in_groups(given(1))


@pytest.fixture
def alone(monkeypatch):
    """How many rows each call has computed one by one."""
    return counts_of_calls_alone(monkeypatch)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_groups_give_each_row_what_eager_gives(compiled, alone, case, backend):
    net, paths = compiled(case, backend), set()
    for count in (0, 1, 2, 40):
        x, i = given(count, count)
        if count > 2:
            i[3], i[4] = 0, torch.tensor([7, 0, 1, 1])
            x[3, 1:] = 0.0
        assert_as_eager(net, case, x, i)
        paths |= {tuple(d.taken for d in path) for path in net.paths}
    assert len(paths) > 1
    assert not alone


BEYOND = {
    "more than a small int": (OfFloats, lambda x, i: x.__setitem__((1, 0), 1e12)),
    "no int": (OfFloats, lambda x, i: x.__setitem__((1, 0), math.nan)),
    "no end": (OfFloats, lambda x, i: x.__setitem__((1, 0), math.inf)),
    "a large product": (OfTensors, lambda x, i: i.__setitem__(1, 3_000_000_000)),
    "a large quotient": (
        OfTensors,
        lambda x, i: i.__setitem__(1, torch.tensor([2**62 + 5, 1, 0, 0])),
    ),
    "a function of infinity": (
        Functions,
        lambda x, i: x.__setitem__(1, -math.inf),
    ),
    "a large shift": (
        Shifts,
        lambda x, i: (
            x.fill_(1),
            i.__setitem__(1, torch.tensor([1, 62, 0, 0])),
            i.__setitem__(2, torch.tensor([-1, 63, 0, 0])),
        ),
    ),
    "a large third power": (
        Shifts,
        lambda x, i: (x.fill_(-1), i.__setitem__((1, 0), -(2**20))),
    ),
    "a divisor of 0": (Divides, lambda x, i: x.__setitem__((1, 0), 0.5)),
}


@pytest.mark.parametrize("why", BEYOND)
def test_what_a_group_cannot_compute_is_computed_row_by_row(compiled, alone, why):
    case, change = BEYOND[why]
    net, (x, i) = compiled(case, "cpu"), given(5)
    change(x, i)
    assert_as_eager(net, case, x, i)
    assert set(alone) == {5}  # Also of the host in Python.
