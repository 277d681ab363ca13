"""A number of the run is an operand of what torch or DyCL writes as several ops.

It may be NaN, infinite, negative, or larger than the size: no trace with a sample of it
says so.
"""

import math

import pytest
import torch
import torch.nn.functional as F

import dycl
from dycl.diag import CompileErrors

FLOATS = (0.5, 0.0, -0.0, 2.0, -1.25, -0.5, math.nan, math.inf, -math.inf, 300.7)
INTS = (1, 0, -1, 5, 6, 7, -6, -13, 2**40)


class Bounds(torch.nn.Module):
    def forward(self, x, f: float):
        if x.sum() > 3:
            return x.clamp(min=f), x.clamp(max=f), x.clamp(f, 1.0), x.clamp(-1.0, f)
        return (
            torch.clamp_min(x, f),
            torch.clamp_max(x, f),
            x.clip(f),
            x.clamp(f, f + 1),
        )


class BoundsOfInts(torch.nn.Module):
    def forward(self, x, f: float):
        k = x.nan_to_num(0, 0, 0).int()
        if x.sum() > 3:
            return k.clamp(min=f), k.clamp(f, 2.5)
        return k.long().clamp(max=f)


class Activations(torch.nn.Module):
    def forward(self, x, f: float):
        if x.sum() > 3:
            return F.leaky_relu(x, f), F.elu(x, f), F.hardshrink(x, f)
        return F.threshold(x, f, 2.0), F.threshold(x, 0.5, f), torch.xlogy(x, f)


class Between(torch.nn.Module):
    def forward(self, x, f: float):
        if x.sum() > 3:
            return torch.lerp(x, x + 1, f), torch.nan_to_num(x, f), x**f
        ends = torch.linspace(f, 1.0, 5), torch.linspace(2.0, f, 4)
        return torch.nan_to_num(x, 0.0, f, f), torch.copysign(x, f), *ends


class Turned(torch.nn.Module):
    def forward(self, x, n: int):
        if x.sum() > 3:
            return x.roll(n, 0), torch.roll(x, (n, 1), (1, 0)), x.roll(n)
        return x.roll(-n, 1), x.roll((2, n), (0, 0))


class Bits(torch.nn.Module):
    def forward(self, x, n: int):
        k = x.nan_to_num(0, 0, 0).int()
        if x.sum() > 3:
            return k & n, k | n, k ^ n, n & k
        return k << n, k >> n, k.to(torch.int8) >> n, n << k.abs()


X = torch.tensor([[1.5, -2.0, 0.25], [math.nan, math.inf, -0.0]])
LARGE = torch.tensor([[1.5, 2.0, 7.25], [-0.5, 0.0, -0.0]])


@pytest.mark.parametrize(
    ("model", "numbers"),
    [
        *((model, FLOATS) for model in (Bounds, BoundsOfInts, Activations, Between)),
        *((model, INTS) for model in (Turned, Bits)),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_equals_eager_for_every_number(model, numbers):
    model = model().eval()
    net = dycl.compile(model, (X, numbers[0]))
    taken = set()
    for n in numbers:
        for x in (X, LARGE, -LARGE):
            found, wanted = net(x, n), model(x, n)
            torch.testing.assert_close(
                found, wanted, rtol=1e-6, atol=1e-6, equal_nan=True, msg=str((n, x))
            )
            taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}


def test_the_larger_of_two_zeros_is_the_element():
    model = Bounds().eval()
    net = dycl.compile(model, (X, 0.5))
    x = torch.tensor([[-0.0, 0.0, 1.0], [0.0, -0.0, 1.0]])
    for f in (0.0, -0.0):
        for found, wanted in zip(net(x, f), model(x, f), strict=True):
            assert torch.equal(found.signbit(), wanted.signbit())


def close(x, f: float):
    return torch.isclose(x, x, atol=f) if x.sum() > 0 else x


def shrunk(x, f: float):
    return F.softshrink(x, f) if x.sum() > 0 else x


def within(x, f: float):
    return F.hardtanh(x, f, 5.0) if x.sum() > 0 else x


def product(x, f: float):
    return torch.addr(x, x[:, 0], x[0], alpha=f) if x.sum() > 0 else x


@pytest.mark.parametrize("function", [within, product])
def test_what_asks_for_the_number_is_refused(function):
    """A bound above the other is an error."""
    with pytest.raises(CompileErrors, match="in a way that has no lowering"):
        dycl.compile(function, (X, 0.5))


@pytest.mark.parametrize("function", [close, shrunk])
def test_what_raises_for_some_numbers_is_refused(function):
    with pytest.raises(CompileErrors, match="torch does not take every number: "):
        dycl.compile(function, (X, 0.5))
