"""Operands that are numbers of the caller's: an op takes them as they are."""

import pytest
import torch
import torch.nn.functional as F

import dycl
from dycl.diag import CompileErrors


class Compared(torch.nn.Module):
    def forward(self, x, n: int):
        if x.sum() > n:
            return x > n, x % n, torch.add(x, x, alpha=n)
        return x == n, torch.div(x, n, rounding_mode="trunc"), x.sub(x, alpha=2)


class ComparedToFloat(torch.nn.Module):
    def forward(self, x, n: float):
        if x.sum() > n:
            return x > n, x % n, x**n
        return x == n, torch.div(x, n, rounding_mode="trunc"), torch.remainder(x, n)


class Power(torch.nn.Module):
    def forward(self, x, n: int):
        if x.sum() > 0:
            return x**n
        return x


class Divided(torch.nn.Module):
    def forward(self, x, k, n: int):
        if k.sum() > 0:
            return x // n, n / x, n % x, n // x, torch.fmod(x, n), x.clone().fmod_(n)
        return k % n, k // n, n % (k * 2 + 1), n // (k * 2 + 1), k / n, k.fmod(n)


class DividedByFloat(torch.nn.Module):
    def forward(self, x, k, n: float):
        if k.sum() > 0:
            return x // n, n / x, n % x, n // x, torch.fmod(x, n), x % n
        return k % n, k // n, n % (k * 2 + 1), n // (k * 2 + 1), k / n, k.fmod(n)


@pytest.mark.parametrize(
    ("model", "numbers"), [(Compared(), (3, -2, 9)), (ComparedToFloat(), (2.5, -0.5))]
)
def test_equals_eager_for_every_number(model, numbers):
    x = torch.tensor([5.5, -2.0, 3.0])
    net = dycl.compile(model.eval(), (x, numbers[0]))
    taken = set()
    for n in numbers:
        for given in (x, -x, x * 2):
            torch.testing.assert_close(
                net(given, n), model(given, n), rtol=1e-6, atol=0, equal_nan=True
            )
            taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}


@pytest.mark.parametrize("model", [Divided(), DividedByFloat()])
def test_divisions_equal_eager(model):
    """By a number and of one, with zeros on either side, to the bit."""
    x = torch.tensor([5.5, -2.0, 3.0, 0.25, -7.0, 1e8, float("nan")])
    kind = float if isinstance(model, DividedByFloat) else int
    net = dycl.compile(model.eval(), (x, torch.arange(-3, 4), kind(2)))
    taken = set()
    for n in map(kind, (3, -3, -1, 7, 0)):
        for whole in (torch.arange(-3, 4), torch.arange(1, 8), -torch.arange(1, 8)):
            given = (x, whole, n * 0.7 if kind is float else n)
            found, wanted = _result(net, given), _result(model, given)
            taken |= {decision.taken for decision in net.path}
            if isinstance(wanted, str):
                assert found == wanted
                continue
            for one, other in zip(found, wanted, strict=True):
                assert one.dtype == other.dtype
                torch.testing.assert_close(
                    one, other, rtol=1e-6, atol=0, equal_nan=True
                )
    assert taken == {True, False}


def _result(function, given):
    try:
        return function(*given)
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_int_as_exponent_of_a_float(dtype):
    """LLVM has no such power for ints of 64 bits, and went on with any number."""
    inf = float("inf")
    x = torch.tensor([1.5, -2.0, 0.0, -0.0, inf, -inf, float("nan")], dtype=dtype)
    net, taken = dycl.compile(Power().eval(), (x, 3)), set()
    for given in (x, x[:4].repeat(2)[:7], -x[:4].repeat(2)[:7]):
        for n in (3, 2, 1, 0, -1, -2, 7, 10_000):
            torch.testing.assert_close(net(given, n), Power()(given, n), equal_nan=True)
            taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}


def test_an_int_as_exponent_of_a_half_float_is_refused():
    with pytest.raises(CompileErrors, match=r"write `x \*\* float\(n\)`"):
        dycl.compile(Power().eval(), (torch.ones(2, dtype=torch.float16), 3))


class Narrow(torch.nn.Module):
    """An int that wraps around, and a float that is rounded, beside few bits."""

    def forward(self, x):
        n, f = 0, 0.1
        if x[0] > 1:
            n, f = 300, 1.7
        if x[1] > 1:
            n, f = n - 7, -0.3
        whole = x * n, x + n, n - x, x - n, x == n, x < n
        return whole, x * f, x + f, f - x, x / f, x > f


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16]
)
def test_numbers_beside_narrow_dtypes(dtype):
    rows = [0, 0, 77], [2, 0, 100], [0, 2, 33], [3, 4, 44]
    calls = [torch.tensor(row).to(dtype) for row in rows]
    net = dycl.compile(Narrow().eval(), (calls[0],))
    for x in calls:
        ours, eager = (torch.utils._pytree.tree_leaves(f(x)) for f in (net, Narrow()))
        for one, other in zip(ours, eager, strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=0)


class Extremes(torch.nn.Module):
    """Tests that ranges of sizes settle, one that they do not, and sizes of these."""

    def forward(self, x):
        n, m = x.shape
        y = x.sum() if max(n, m) <= 512 else x.prod()
        if min(n, m, 3) > 3:
            y = y * 7
        if max(n, m) > 100:
            y = y * 3
        if min(n, m) == 0:
            y = y + 5
        return y, torch.ones(max(n, 41)), x[: min(n, 50)] + x, torch.ones(max(n, m))


def test_the_largest_of_sizes_is_in_their_ranges():
    sizes = ({0: dycl.Dim("n", max=40), 1: dycl.Dim("m", max=512)},)
    model = Extremes().eval()
    net = dycl.compile(model, (torch.ones(5, 8),), dynamic_shapes=sizes)
    assert len(net.decisions) == 2
    for n, m in ((5, 8), (0, 4), (3, 0), (40, 512), (40, 3), (1, 100), (2, 101)):
        x = torch.arange(1.0 * n * m).view(n, m).cos()
        for found, wanted in zip(net(x), model(x), strict=True):
            torch.testing.assert_close(found, wanted)
        assert [each.taken for each in net.path] == [m > 100, 0 in (n, m)]


class BesideSizes(torch.nn.Module):
    """No shape depends on these numbers, which are no sizes then."""

    def forward(self, x, index, n: int):
        square = torch.outer(x, x)
        whole = x.long()
        powers = x**n, torch.pow(x.abs() + 1, n), square ** x.size(0), torch.pow(n, x)
        stored = x.index_fill(0, index, n), x.scatter(0, index, n), x.clone().fill_(n)
        bits = whole & n, whole | n, whole ^ n
        ends = F.pad(x, (1, 1), value=n), torch.full((x.size(0),), n) + x
        places = square.triu(n), square.tril(n), x.roll(n, 0)
        sums = torch.lerp(x, x + 1, n), torch.addmm(square, square, square, beta=n)
        curves = F.threshold(x, n, 2), F.elu(x, n), F.hardshrink(x, n)
        return powers, stored, bits, ends, places, sums, curves


def test_numbers_beside_sizes_that_a_call_decides_may_be_below_zero():
    k = torch.export.Dim("k", min=2, max=9)
    x, model, index = torch.tensor([1.5, -2.0, 3.0]), BesideSizes(), torch.tensor([1])
    shapes = {"x": {0: k}, "index": None, "n": None}
    net = dycl.compile(model.eval(), (x, index, 4), dynamic_shapes=shapes)
    for n in (4, 2, 1, 0, -1, -3):
        for given in (x, torch.tensor([0.5, 2.0, -1.0, 4.0]), x[:2]):
            torch.testing.assert_close(
                net(given, index, n), model(given, index, n), equal_nan=True
            )
