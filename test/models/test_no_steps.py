"""Loops over the parts of a tensor that has none along that dimension."""

import pytest
import torch

import dycl
from dycl.tools.same import value_difference


class Steps(torch.nn.Module):
    def forward(self, x):
        h = torch.zeros(4)
        for step in x.unbind(1):
            h = torch.tanh(h + step.sum(0))
        return h


class Counted(torch.nn.Module):
    def forward(self, x):
        h, count = torch.zeros(4), 0
        for place, step in enumerate(x.unbind(1)):
            if step.sum() > 0:
                h = h + step.sum(0)
            count += place
        return h, count


class Pairs(torch.nn.Module):
    def forward(self, x):
        h = x.sum(1)
        for one, other in zip(x.unbind(1), x.split(1, 1), strict=False):
            h = h + one * other.sum()
        doubled = [step * 2 for step in torch.unbind(x, 1)]
        return h, len(doubled)


@pytest.mark.parametrize("made", [Steps, Counted, Pairs])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_as_many_steps_as_there_are(made, steps):
    torch.manual_seed(0)
    model, x = made().eval(), torch.randn(2, steps, 4)
    net = dycl.compile(model, (x,))
    for one in (x, -x, x.abs()):
        assert value_difference(model(one), net(one), 1e-6) is None
