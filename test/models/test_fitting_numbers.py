"""A number of the run that does not fit the dtype it becomes raises what eager raises.

Where eager wraps it around or rounds it to infinity, so does the compiled network.
"""

import math

import pytest
import torch
import torch.nn.functional as F
from xdsl.parser import Parser

import dycl
from dycl.diag import CompileErrors
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context

LEVELS = ("normal", "typed", "hcfg", "host")


class Filled(torch.nn.Module):
    """What becomes elements of `x`, one way a call."""

    WAYS = 10

    def forward(self, x, way: int, n: int):
        if way == 0:
            return torch.full((3,), n, dtype=x.dtype), x.new_full((), n)
        if way == 1:
            return torch.tensor(n, dtype=x.dtype), x.new_tensor([1, n])
        if way == 2:
            y = x.clone()
            y[1] = n
            return y
        if way == 3:
            y = x.clone()
            y[1:] = n
            return y.fill_(n)
        if way == 4:
            return x.masked_fill(x > 0, n)
        if way == 5:
            return torch.where(x > 0, x, n)
        if way == 6:
            return x.clone().fill_(n)
        if way == 7:
            return x.index_fill(0, torch.tensor([1]), n)
        if way == 8:
            return x + n, n - x, x * n, x == n, x < n
        return torch.full_like(x, n)


class FilledWithFloats(Filled):
    def forward(self, x, way: int, n: float):
        return super().forward(x, way, n)


class Bounded(torch.nn.Module):
    """What elements are compared with, or multiplied by."""

    WAYS = 6

    def forward(self, x, way: int, n: int):
        if way == 0:
            return x.clamp(min=n)
        if way == 1:
            return torch.clamp_max(x, n)
        if way == 2:
            return x.clamp(n, 5)
        if way == 3:
            return torch.add(x, x, alpha=n)
        if way == 4:
            return torch.sub(x, x, alpha=n)
        return F.pad(x.float(), (1, 0), value=float(n))


class BoundedByFloats(torch.nn.Module):
    WAYS = 8

    def forward(self, x, way: int, n: float):
        if way == 0:
            return x.clamp(min=n), torch.clamp_max(x, n)
        if way == 1:
            return x.clamp(n, 5.0), x.clamp(max=n)
        if way == 2:
            return torch.add(x, x, alpha=n), torch.sub(x, x, alpha=n)
        if way == 3:
            return F.pad(x, (1, 0), value=n)
        if way == 4:
            return torch.addcmul(x, x, x, value=n)
        if way == 5:
            return F.leaky_relu(x, n), F.elu(x, n)
        if way == 6:
            return F.threshold(x, n, 1.5), F.threshold(x, 1.5, n)
        return torch.lerp(x, x + 1, n), F.softplus(x, 1.0, n)


def outcome(function, given):
    """What a call gives, or the error's class and text."""
    try:
        return function(*given)
    except Exception as error:
        return type(error), str(error)


def check(model, x, numbers):
    """Equal to eager, compiled and in the interpreter, for every way and number."""
    net = dycl.compile(model.eval(), (x, 0, numbers[0]), verify=True)
    given = [(x, way, n) for way in range(model.WAYS) for n in numbers]
    wanted = [outcome(model, one) for one in given]
    for one, want in zip(given, wanted, strict=True):
        same(outcome(net, one), want, one)
    for level in LEVELS:
        module = Parser(new_context(), net.stages[level], level).parse_module()
        with deep_recursion():
            machine = Interpreter(module, {})
            for one, want in zip(given, wanted, strict=True):
                run = outcome(lambda *a: machine.run([*a]).value, one)  # noqa: B023
                same(run, want, one)
    return [one for one in wanted if isinstance(one, tuple) and one[0] is RuntimeError]


def same(found, want, given):
    if isinstance(want, tuple) and want[0] is RuntimeError:
        assert found == want, given
        return
    torch.testing.assert_close(
        found, want, rtol=1e-6, atol=1e-6, equal_nan=True, msg=str((given, found, want))
    )


def ends(dtype):
    """Numbers at the ends of a dtype, and beside them."""
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    return [3, low, high, low - 1, high + 1, -high, -high - 1, 2**62, -(2**62)]


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32])
def test_an_int_that_does_not_fit_raises(dtype):
    x = torch.tensor([1, 0, 3]).to(dtype)
    assert len(check(Filled(), x, ends(dtype))) > 20


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32])
def test_a_bound_that_does_not_fit_raises(dtype):
    x = torch.tensor([1, 0, 3]).to(dtype)
    assert len(check(Bounded(), x, ends(dtype))) > 10


FLOATS = (0.5, -0.0, 70000.0, -7e4, 65504.0, 1e39, -1e39, 3e38, -1.0)
SPECIAL = (math.nan, math.inf, -math.inf)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_float_that_does_not_fit_raises(dtype):
    x = torch.tensor([1.5, 0.0, -3.0]).to(dtype)
    assert len(check(FilledWithFloats(), x, (*FLOATS, *SPECIAL))) > 5
    if dtype != torch.bfloat16:  # whose sums eager rounds by rules of its own
        assert len(check(BoundedByFloats(), x, (*FLOATS, *SPECIAL))) > 5


class FloatsAsInts(torch.nn.Module):
    WAYS = 3

    def forward(self, x, way: int, n: float):
        if way == 0:
            return torch.full((3,), n, dtype=torch.int32), torch.where(x > 0, n, x)
        if way == 1:
            return x.clone().fill_(n), x.masked_fill(x > 1, n)
        return torch.tensor(n, dtype=x.dtype)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_a_float_that_is_no_int_of_the_dtype_raises(dtype):
    x = torch.tensor([1, 0, 3]).to(dtype)
    numbers = (0.5, -0.5, 200.7, -1.0, 3e9, 1e300, *SPECIAL)
    assert len(check(FloatsAsInts(), x, numbers)) > 10


class ItemAsElement(torch.nn.Module):
    """A number that comes from a tensor of the dtype fits."""

    def forward(self, x):
        m = x.max().item()
        if m > 1:
            return x.masked_fill(x < 0, m)
        return x


def test_what_was_read_from_the_dtype_is_not_checked():
    net = dycl.compile(ItemAsElement().eval(), (torch.ones(3),))
    assert "dycl.checked" not in net.stages["typed"]
    for x in (torch.tensor([2.0, -1.0]).repeat(2)[:3], torch.zeros(3)):
        assert torch.equal(net(x), ItemAsElement()(x))


class Bytes(torch.nn.Module):
    def forward(self, x, n: int):
        if x.sum() > 3:
            return x.clamp(max=n)
        return x


def test_bytes_have_no_bound_of_the_run():
    with pytest.raises(CompileErrors, match=r"convert them first, with `x\.int\(\)`"):
        dycl.compile(Bytes().eval(), (torch.ones(3, dtype=torch.uint8), 3))


class KnownBytes(torch.nn.Module):
    def forward(self, x):
        y = x.clamp(max=-1), x.clamp(-3), F.threshold(x, -3, 7)
        return y if x.sum() > 3 else y[::-1]


def test_a_known_bound_of_bytes_wraps_around():
    model = KnownBytes().eval()
    net = dycl.compile(model, (torch.ones(3, dtype=torch.uint8),))
    for row in ([0, 254, 255], [0, 1, 2]):
        x = torch.tensor(row, dtype=torch.uint8)
        torch.testing.assert_close(net(x), model(x), rtol=0, atol=0)
