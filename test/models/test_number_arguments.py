"""Operators with a number as an argument, on what lies on it and beside it: to the bit.

What eager rounds, where it divides, what an infinity and a NaN become.
"""

import math

import pytest
import torch
import torch.nn.functional as F

import dycl


class Close(torch.nn.Module):
    def forward(self, x, y):
        if torch.isclose(x, y).all():
            return torch.isclose(x, y, rtol=0.1, atol=0.7)
        return torch.isclose(x, y, equal_nan=True), torch.isclose(x, y, rtol=0, atol=0)


class Shrunk(torch.nn.Module):
    """Activations with thresholds, computed in `dtype`."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        y = x.to(self.dtype)
        found = (
            F.threshold(y, 0.1, 0.7),
            F.softshrink(y, 0.1),
            F.hardshrink(y, 0.1),
            F.hardtanh(y, -0.1, 0.7),
            F.hardsigmoid(y),
            F.hardswish(y),
            F.celu(y, 0.7),
            torch.clamp(y, 0.1, 0.7),
            torch.where(y == 0.1, 0.7, y),
            y.masked_fill(y == 0.1, 0.7),
            y.masked_fill(y >= 0.7, 300),
            torch.rad2deg(y),
            torch.deg2rad(y),
        )
        floats = [one.float() for one in found]
        if y[0] > 0.1:
            return floats[0], floats
        return floats[1], floats


class Remainders(torch.nn.Module):
    """Divisions by a number that the dtype does not have."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        y = x.to(self.dtype)
        found = (y % 0.1).float(), torch.fmod(y, 0.7).float()
        if y[0] >= 0.7:
            return found
        return found[::-1]


class Small(torch.nn.Module):
    """int8 beside numbers, and tensors of rank 0, that are larger."""

    def forward(self, x):
        other = torch.tensor(300)
        found = torch.maximum(x, other), x == other, x + other, torch.minimum(x, other)
        more = torch.remainder(x, 300), x // 300, torch.fmod(x, 300), x + 300, x * 300
        if x.sum() > 0:
            return found, more
        return more, found


class Ints(torch.nn.Module):
    def forward(self, x):
        if x[0] > 0.5:
            return F.hardtanh(x, -1.5, 2.5), torch.isclose(x, x + 1, rtol=0.3)
        return torch.isclose(x, -x), torch.rad2deg(x)


class Bools(torch.nn.Module):
    def forward(self, x, y):
        if (x == True).any():  # noqa: E712
            return x.masked_fill(y, 300), x.masked_fill(y, 0.0), torch.isclose(x, y)
        return x.masked_fill(y, 0.5), x > False, y >= True


class Converted(torch.nn.Module):
    def forward(self, x):
        if x[0] > 1:
            return x.to(torch.int16), x.to(torch.int8), x.to(torch.int32)
        return x.to(torch.int8), x.to(torch.int16), x.to(torch.int64)


class Between(torch.nn.Module):
    def forward(self, x, y):
        if x[0] < y[0]:
            return torch.lerp(x, y, 0.75), torch.lerp(x, y, 0.25)
        return torch.lerp(y, x, 0.75), x.lerp(y, 0.5)


def near(dtype, *numbers):
    """Numbers in a dtype, what is next to them, zeros, the infinite and NaN."""
    inf = torch.tensor(math.inf, dtype=dtype)
    given = torch.tensor(numbers, dtype=torch.float64).to(dtype)
    found = [given, given.nextafter(inf), given.nextafter(-inf), -given]
    odd = [0.0, -0.0, math.nan, math.inf, -math.inf, torch.finfo(dtype).tiny / 4]
    return torch.cat([*found, torch.tensor(odd, dtype=dtype)])


def check(model, *inputs):
    net, taken = dycl.compile(model.eval(), inputs[0], verify=True), set()
    for given in inputs:
        found, wanted = net(*given), model(*given)
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)
        taken |= {(d.name, d.taken) for d in net.path}
    assert taken == {(name, side) for name, *_ in net.decisions for side in (0, 1)}


def test_an_infinity_is_close_to_itself_alone():
    x = near(torch.float32, 0.7, 300.0)
    check(
        Close(),
        (x, x.flip(0)),
        (x.nan_to_num(1.0), x.nan_to_num(1.0)),
        (x, x),
        (x, x + 1e-9),
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_activations_on_their_thresholds(dtype):
    x = near(dtype, 0.1, 0.7, 3.0).float()
    check(Shrunk(dtype), *((x.roll(i),) for i in range(4)), (-x,))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_remainders_by_a_number_in_the_dtype(dtype):
    x = near(dtype, 0.7, 0.1, 0.3).float()
    check(Remainders(dtype), (x,), (x.roll(1),), (-x,))


def test_int8_beside_what_is_larger():
    x = torch.tensor([-128, -85, -84, -1, 0, 1, 43, 44], dtype=torch.int8)
    check(Small(), (x,), (x + 80,))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_ints_beside_floats(dtype):
    x = torch.tensor([1, 0, -1, 3, 40, -7], dtype=dtype)
    check(Ints(), (x,), (x.flip(0),), (x.roll(1),))


def test_bools_beside_numbers():
    x = torch.tensor([True, False, True, False])
    y = torch.tensor([True, True, False, False])
    check(Bools(), (x, y), (y, x), (x & ~x, y), (x & ~x, ~y))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_floats_become_ints_that_wrap_around(dtype):
    numbers = 40_000.0, 300.0, 3e9, 1e20, 0.5
    x = torch.cat([near(dtype, *numbers), torch.zeros(1, dtype=dtype)])
    check(Converted(), (x,), (x.flip(0),), (-x,))


def test_lerp_keeps_the_end_that_it_is_nearer_to():
    x = torch.tensor([1.0, math.inf, -math.inf, 2.0, math.nan, 0.0])
    y = torch.tensor([2.0, 1.0, 4.0, math.inf, 1.0, -0.0])
    check(Between(), (x, y), (y, x))
