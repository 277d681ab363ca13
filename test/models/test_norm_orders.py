"""Norms whose order a run decides: eager has a way of its own for some of them.

Of order 0 it counts, of an infinite one it takes an extreme, of one element the
absolute value, and of none it raises for some.
"""

import math

import pytest
import torch

import dycl
from dycl.runtime import InputError

ORDERS = (2.0, 0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, math.nan)


class Ints(torch.nn.Module):
    def forward(self, x, k):
        n = int(k.sum())
        return x.norm(p=n), torch.linalg.vector_norm(x, n), torch.dist(x, x.flip(0), n)


class Floats(torch.nn.Module):
    def forward(self, x, p: float):
        return x.norm(p), torch.linalg.vector_norm(x, p, dim=0, dtype=torch.float64)


class Whole(torch.nn.Module):
    def forward(self, x, p: float):
        return torch.linalg.vector_norm(x, p)


class Sizes(torch.nn.Module):
    def forward(self, x):
        n = x.size(0)
        return torch.norm(x, n, dim=1), x.norm(n - 1), torch.dist(x, x * 2, n)


def rows(*elements, dtype=torch.float32):
    return torch.tensor(elements, dtype=dtype)


def test_of_ints():
    k = torch.tensor([2])
    net = dycl.compile(Ints().eval(), (rows(1.5, -2.0, 3.0, 0.0), k))
    for n in (2, 0, 1, -1, 3, -2):
        for x in (rows(1.5, -2, 3, 0), rows(0, -0.0, 2, math.nan), torch.zeros(4)):
            given = x, torch.tensor([n])
            found, wanted = net(*given), Ints()(*given)
            torch.testing.assert_close(found, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
@pytest.mark.parametrize("count", [4, 1])
def test_of_floats(dtype, count):
    given = rows(1.5, -2.0, 3.0, 0.0, dtype=dtype)[:count]
    net = dycl.compile(Floats().eval(), (given, 2.5))
    for x in (given, -given, given * 0, given * math.inf):
        for p in ORDERS:
            found, wanted = net(x, p), Floats()(x, p)
            torch.testing.assert_close(found, wanted, equal_nan=True)


def test_one_element_is_not_squared():
    net = dycl.compile(Whole().eval(), (rows(1.0), 1.0))
    assert net(rows(-3e38), 2.0) == rows(3e38)
    assert net(rows(-3e38), math.nan) == rows(3e38)


def test_of_any_number_of_rows():
    n = dycl.Dim("n", max=9)
    net = dycl.compile(
        Whole().eval(), (torch.ones(2, 1), 2.5), dynamic_shapes={"x": {0: n}, "p": None}
    )
    raised = 0
    some = torch.ones(3, 1)
    for x in (some, torch.zeros(0, 1), -some[:1], torch.zeros(1, 1)):
        for p in ORDERS:
            try:
                wanted = Whole()(x, p)
            except RuntimeError:
                with pytest.raises((InputError, RuntimeError), match="empty tensor"):
                    net(x, p)
                raised += 1
            else:
                torch.testing.assert_close(net(x, p), wanted, equal_nan=True)
    assert raised == 3


def test_of_sizes():
    n = dycl.Dim("n", max=9)
    net = dycl.compile(
        Sizes().eval(), (torch.ones(2, 3),), dynamic_shapes={"x": {0: n}}
    )
    for count in (1, 2, 3, 9):
        x = torch.linspace(-1, 2, 3 * count).view(count, 3)
        torch.testing.assert_close(net(x), Sizes()(x))
