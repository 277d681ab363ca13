"""What a program asks of the elements of parameters and buffers is asked of each run.

Weights may be changed after compiling, so nothing that their elements say is a
constant. Each program runs on weights that answer either way.
"""

import operator

import pytest
import torch
from torch import nn

import dycl


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor(0))
        self.register_buffer("on", torch.tensor([False]))
        self.register_buffer("mask", torch.tril(torch.ones(4, 4)))
        self.scale = nn.Parameter(torch.tensor([0.0]))


def compares(self, x):
    return x * 2 if self.step == 0 else x


def differs(self, x):
    return x * 3 if self.step != 0 else x * 4


def asks(self, x):
    if self.on:
        return x * 2
    return x if not self.scale else x + 1


def by_functions(self, x):
    if any([self.on, self.scale]):
        return x * 2
    if operator.eq(self.step, 0) or bool(self.on):
        return x * 3
    return x


def is_among(self, x):
    return x * 3 if self.step in (1, 2) else x * 4


def elementwise(self, x):
    y = x.masked_fill(self.mask == 0, -1.0)
    y = torch.where(self.mask != self.mask.t(), y, -x)
    return y + (self.on == False).float() + (self.step == self.step)  # noqa: E712


def is_there(self, x):
    if self.scale != None:  # noqa: E711
        x = x + 1
    if self.scale == None or self.step in (None, "x"):  # noqa: E711
        x = x * 2
    return x


PROGRAMS = [compares, differs, asks, by_functions, is_among, elementwise, is_there]
WEIGHTS = [
    {},
    {"step": torch.tensor(2)},
    {"on": torch.tensor([True])},
    {"scale": torch.tensor([0.5]), "mask": torch.ones(4, 4)},
]


@pytest.mark.parametrize("forward", PROGRAMS, ids=lambda f: f.__name__)
def test_same(forward):
    model = type("Program", (Net,), {"forward": forward})().eval()
    x = torch.rand(4, 4, generator=torch.Generator().manual_seed(0))
    net = dycl.compile(model, (x,))
    for weights in WEIGHTS:
        state = model.state_dict() | weights
        model.load_state_dict(state)
        net.load_weights(state)
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x))
