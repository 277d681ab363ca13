"""Operands that are numbers of the caller's: an op takes them as they are."""

import pytest
import torch

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


def test_an_int_as_exponent_of_a_float_is_refused():
    """LLVM has no such power for ints of 64 bits, and went on with any number."""
    with pytest.raises(CompileErrors, match=r"write `x \*\* float\(n\)`"):
        dycl.compile(Power().eval(), (torch.ones(2), 3))
