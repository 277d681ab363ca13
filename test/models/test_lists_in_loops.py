"""A list that a loop over it changes: the loop sees the new items, or it is refused."""

import pytest
import torch
from torch import nn

import dycl


class Reversed(nn.Module):
    def forward(self, x):
        items = [t + 1 for t in [x, x * 2]]
        for t in reversed(items):
            items[0] = x
            x = t
        return x


class Wrapped(nn.Module):
    def forward(self, x):
        items = [t + 1 for t in [x, x * 2]]
        for _, t in enumerate(reversed(items)):
            items[0] = x
            x = t
        return x


class Read(nn.Module):
    def forward(self, x):
        items = [t + 1 for t in [x, x * 2]]
        for i, t in enumerate(reversed(items)):
            x = x + items[i] * t * len(items)
        return x


@pytest.mark.parametrize("make", [Reversed, Wrapped])
def test_a_store_in_the_loop_is_refused(make):
    with pytest.raises(dycl.CompileErrors, match="DY205"):
        dycl.compile(make().eval(), (torch.ones(1, 4),), backend="reference")


def test_reads_in_the_loop():
    model, x = Read().eval(), torch.rand(1, 4)
    net = dycl.compile(model, (x,), backend="reference", host="python")
    torch.testing.assert_close(net(x), model(x))


class StoresBeyondItsEnd(nn.Module):
    def forward(self, x):
        *items, _ = (x, x)
        if x.max() > 0:
            x = sum(items)
        else:
            items[1] = x
        return {"x": x}


def test_a_sum_that_may_be_0_beside_a_path_that_raises():
    model = StoresBeyondItsEnd().eval()
    net = dycl.compile(model, (torch.ones(1, 4),), backend="reference")
    torch.testing.assert_close(net(torch.ones(1, 4)), model(torch.ones(1, 4)))
    for run in (net, model):
        with pytest.raises(IndexError, match="list assignment index out of range"):
            run(-torch.ones(1, 4))
