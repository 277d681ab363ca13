"""What the inputs of dynamic sizes are called, and sizes with a sign."""

import functools

import pytest
import torch
from torch import nn

import dycl
from tools.size_sweep.comparing import same_at_every_size


def doubled(function):
    @functools.wraps(function)
    def run(self, *args, **kwargs):
        return function(self, *args, **kwargs) * 2

    return run


class Decorated(nn.Module):
    """The function that is called has other parameters than those it shows."""

    @doubled
    def forward(self, x, y):
        return x + y if x.sum() > 0 else x - y


@pytest.mark.parametrize("named", [False, True])
def test_a_decorated_forward(named):
    n, model = dycl.Dim("n", max=9), Decorated().eval()
    x, y = torch.randn(4, 3), torch.randn(4, 3)
    shapes = {"x": {0: n}, "y": {0: n}} if named else ({0: n}, {0: n})
    net = dycl.compile(model, (x, y), dynamic_shapes=shapes)
    assert [given.name for given in net.inputs] == ["x", "y"]
    taken = set()
    for size in (0, 1, 2, 9):
        x, y = torch.randn(size, 3), torch.randn(size, 3)
        for given in ((x.abs(), y), (-x.abs(), y)):
            torch.testing.assert_close(net(*given), model(*given))
            taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}


def test_rows_of_a_decorated_forward():
    model = Decorated().eval()
    x, y = torch.randn(5, 3), torch.randn(5, 3)
    net = dycl.compile(model, (x[:1], y[:1]), rows=True)
    wanted = [model(x[i : i + 1], y[i : i + 1]) for i in range(5)]
    torch.testing.assert_close(net(x, y), torch.cat(wanted))


def test_sizes_with_a_sign():
    def counted(x):
        n = x.size(0)
        down, by_two = torch.arange(0, -n, -1), torch.arange(3, -n, -2)
        return down, by_two, torch.arange(-n, n), x[-n:], x.new_zeros(4, +n)

    same_at_every_size(counted, ("n", 3))
