"""`y[:k] += v` with a tensor `k` of one int: as eager, for each `k`."""

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import CompileErrors
from dycl.ir.interpreter import Interpreter
from dycl.ir.placing_parser import parse_text
from dycl.tools.same import new_context


class Counted(nn.Module):
    """Each write with bounds at the ends, inside, below zero, and beyond the end."""

    def forward(self, x):
        k = (x > 0).sum()
        y = x.clone()
        y[:k] += 1
        y[k:] *= 2
        y[k - 3 : k + 2] -= 0.5
        y[(x < 0).sum().view(1) :] /= 4
        return y


class OfInts(nn.Module):
    """The bound is one of the elements that are written: it is another afterwards."""

    def forward(self, x):
        y = x.clone()
        k = y[0]
        y[:k] += 1
        return y


def inputs():
    for count in range(9):
        x = torch.linspace(0.5, 2, 8)
        x[count:] *= -1
        yield x
    yield torch.tensor([float("nan"), 0.0, -0.0, float("inf"), 1, -1, 2, -2])


@pytest.mark.parametrize("host", ["native", "python"])
def test_equals_eager(host):
    model = Counted().eval()
    net = dycl.compile(model, (torch.ones(8),), host=host)
    for x in inputs():
        torch.testing.assert_close(net(x), model(x), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("level", ["normal", "typed"])
def test_interpreters_equal_eager(level):
    model = Counted().eval()
    net = dycl.compile(model, (torch.ones(8),))
    machine = Interpreter(parse_text(new_context(), net.stages[level], level), {})
    for x in inputs():
        result = machine.run([x.clone()]).value
        torch.testing.assert_close(result, model(x), rtol=0, atol=0, equal_nan=True)


def test_a_bound_that_the_write_may_change_is_refused():
    with pytest.raises(CompileErrors, match="DY307"):
        dycl.compile(OfInts().eval(), (torch.ones(8, dtype=torch.int64),))
