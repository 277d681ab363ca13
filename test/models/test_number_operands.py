"""A Python number beside a tensor has the tensor's dtype, as in eager.

A float is rounded to it and an int wraps around, so what lies exactly on a number of
the program goes the way it goes in eager; numbers beside numbers stay doubles.
"""

import math

import pytest
import torch
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context

LEVELS = ("normal", "typed", "hcfg", "host")


class Compared(torch.nn.Module):
    """Comparisons with a number of the program's, as values and as decisions."""

    def __init__(self, number, dtype):
        super().__init__()
        self.number, self.dtype = number, dtype

    def forward(self, x):
        n, x = self.number, x.to(self.dtype)
        sides = 0
        if x[0] >= n:
            sides += 1
        if x[0] == n:
            sides += 2
        if n > x[0]:
            sides += 4
        found = x == n, x != n, x < n, x <= n, x > n, x >= n
        transposed = n == x, n != x, n < x, n <= x, n > x, n >= x
        named = torch.where(x == n, 1, 0), torch.ge(x, n), x.le(n), torch.less(x, n)
        return sides, found, transposed, named


class ComparedAsBfloat16(torch.nn.Module):
    """The same in a dtype that kernels hand to no one."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def forward(self, x):
        n, y = self.number, x.to(torch.bfloat16)
        found = y == n, y != n, y < n, y <= n, n < y, n <= y
        if y[0] >= n:
            return found
        return found[0], x


class ComparedToInput(torch.nn.Module):
    """The same with a number of the caller's."""

    def forward(self, x, n):
        if x[0] >= n:
            return x == n, n < x, x <= n
        return x != n, n > x, x >= n


class ComparedToItem(torch.nn.Module):
    """The same with an element, as the double that it is."""

    def forward(self, x):
        n = x[1].item() + 1e-9
        if x[0] >= n:
            return x == n, n < x, x <= n
        return x != n, n > x, x >= n


class Items(torch.nn.Module):
    """Elements as numbers beside elements as tensors."""

    def forward(self, x):
        sides = 0
        if x[0].item() >= 0.7:
            sides += 1
        if float(x[0]) < 0.7:
            sides += 2
        if x[0] >= 0.7:
            sides += 4
        if x.max() > 0.7:
            sides += 8
        return sides


def beside(number, dtype):
    """A number in a dtype, what is next to it, and what is at the ends of the dtype."""
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        whole = number if math.isfinite(number) else 0
        near = torch.tensor([int(whole) + k for k in (-1, 0, 1)]).to(dtype)
        ends = torch.tensor([limits.min, limits.max, 0, 1], dtype=dtype)
        return torch.cat([near, ends])
    limits, inf = torch.finfo(dtype), torch.tensor(math.inf, dtype=dtype)
    n = torch.tensor(number, dtype=torch.float64).to(dtype)
    ends = [0.0, -0.0, math.nan, math.inf, -math.inf, limits.max, limits.tiny / 4]
    near = torch.stack([n, n.nextafter(inf), n.nextafter(-inf)])
    return torch.cat([near, torch.tensor(ends, dtype=dtype)])


def check(model, *inputs, one_sided=False):
    """Equal to eager, compiled and in the interpreter, on both sides of decisions."""
    net = dycl.compile(model.eval(), inputs[0], verify=True)
    wanted = [model(*given) for given in inputs]
    taken = set()
    for given, want in zip(inputs, wanted, strict=True):
        torch.testing.assert_close(net(*given), want, rtol=0, atol=0, equal_nan=True)
        taken |= {(d.name, d.taken) for d in net.path}
    asked = {(name, side) for name, *_ in net.decisions for side in (True, False)}
    assert asked
    assert taken == asked or one_sided
    for level in LEVELS:
        module = Parser(new_context(), net.stages[level], level).parse_module()
        with deep_recursion():
            machine = Interpreter(module, {})
            for given, want in zip(inputs, wanted, strict=True):
                torch.testing.assert_close(
                    machine.run(list(given)).value, want, rtol=0, atol=0, equal_nan=True
                )


NUMBERS = (0.7, 16777217, 1e-40, 1e300, math.inf, True)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_rounded_to_bfloat16(number):
    given = beside(number, torch.bfloat16).float()
    check(ComparedAsBfloat16(number), *((given.roll(i),) for i in range(10)))


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_a_number_is_rounded_to_the_dtype_of_the_floats(dtype, number):
    given = beside(number, dtype).float()
    check(Compared(number, dtype), *((given.roll(i),) for i in range(10)))


@pytest.mark.parametrize("number", [300, 2**40, -1, True, 0.5, 3.0000001])
@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64], ids=str)
def test_an_int_wraps_around_in_the_dtype_of_the_ints(dtype, number):
    given = beside(number, dtype)
    inputs = [(given.roll(i),) for i in range(7)]
    # No int is equal to a half.
    check(Compared(number, dtype), *inputs, one_sided=number == 0.5)


@pytest.mark.parametrize("number", [True, False, 1, 300, 0.5])
def test_a_bool_is_an_int_beside_a_number(number):
    inputs = (torch.tensor([True, False]),), (torch.tensor([False, True]),)
    check(Compared(number, torch.bool), *inputs, one_sided=number not in (True, 1))


def test_a_float_of_the_callers_is_rounded():
    x = beside(0.7, torch.float32)
    numbers = 0.7, 0.1, 1e300, math.nan
    check(ComparedToInput(), *((x.roll(i), n) for i in range(10) for n in numbers))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.float32], ids=str)
def test_an_int_of_the_callers_has_the_dtype_of_the_tensor(dtype):
    x = torch.tensor([44, 1, -3, 0]).to(dtype)
    given = [(x, 44), (x, 300), (x, 2**40 + 44), (-x, 300), (x, 0), (x, -212)]
    check(ComparedToInput(), *given)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_ints_are_compared_with_a_float_of_the_callers_as_float32(dtype):
    x = torch.tensor([16777217, 16777216, 3], dtype=dtype)
    given = [(x, 16777217.0), (x, 3.0000001), (x.flip(0), 3.0000001), (-x, 0.5)]
    check(ComparedToInput(), *given)


def test_an_item_is_a_double_that_is_rounded_beside_a_tensor():
    x = beside(0.7, torch.float32)
    check(ComparedToItem(), *((x.roll(i),) for i in range(10)))


def test_items_stay_doubles():
    x = beside(0.7, torch.float32)[:3]
    rows = [x, x.roll(1), x.roll(2), -x, x[:1].expand(3)]
    check(Items(), *((row.clone(),) for row in rows))
