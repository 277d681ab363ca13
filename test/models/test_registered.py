"""`register_buffer` while the network runs, and tensors that have no gradients."""

import copy

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.diag import CompileErrors
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context


class Mask(nn.Module):
    """Registered as None; a call makes it, by a method, for the size that it needs."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", None, persistent=False)

    def of(self, n):
        if self.mask is not None and self.mask.shape[-1] >= n:
            return self.mask[:n, :n]
        mask = torch.ones(n, n, dtype=torch.bool).triu(1)
        self.register_buffer("mask", mask, persistent=False)
        return mask

    def forward(self, x):
        if x.sum() > 0:
            x = x.reshape(4, 1)
            return (x @ x.T).masked_fill(self.of(4), -1e9).softmax(-1)
        return x * 2 if self.mask is None else x * 3


class Grid(nn.Module):
    """Not registered before."""

    def forward(self, x):
        if not hasattr(self, "grid"):
            self.register_buffer("grid", tensor=torch.arange(4.0))
        if x.sum() > 0:
            return x * self.grid
        return x + self.grid


class SetBefore(nn.Module):
    """On some paths eager raises KeyError: the attribute exists, and is no buffer."""

    def forward(self, x):
        if x.sum() > 0:
            self.grid = torch.ones(4)
        if x.max() > 1:
            self.register_buffer("grid", x[0] * 2)
        return x + self.grid


class SetByName(SetBefore):
    def forward(self, x):
        if x.sum() > 0:
            setattr(self, "gr" + "id", torch.ones(4))
        self.register_buffer("grid", x[0] * 2)
        return x + self.grid


class Attribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = torch.ones(4)

    def forward(self, x):
        self.register_buffer("grid", x[0])
        return x + self.grid


class Gradients(nn.Module):
    """What a run computes has none."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        if y.grad is not None:
            y = y * 0
        return y if y.sum() > 0 else x


def rows(count):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, 4, generator=generator) for _ in range(count)]


@pytest.mark.parametrize("make", [Mask, Grid, Gradients])
def test_calls_equal_eager(make):
    torch.manual_seed(0)
    model = make().eval()
    calls = sorted(rows(6), key=lambda x: x.sum() > 0) + rows(20)
    net = dycl.compile(copy.deepcopy(model), (calls[0],), verify=True)
    levels = ("normal", "host")
    machines = [
        Interpreter(
            Parser(new_context(), net.stages[level]).parse_module(), net.weights
        )
        for level in levels
    ]
    states, taken = [{} for _ in machines], set()
    for x in calls:
        with torch.no_grad():
            expected = model(x)
        torch.testing.assert_close(net(x), expected, rtol=1e-4, atol=1e-5)
        taken |= {(d.line, d.taken) for d in net.path}
        for machine, state in zip(machines, states, strict=True):
            result = machine.run([x], state=state)
            state |= result.state
            found = torch.as_tensor(result.value)
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert taken == {(line, t) for *_, line in net.decisions for t in (False, True)}


@pytest.mark.parametrize("make", [SetBefore, SetByName, Attribute])
def test_what_may_be_no_buffer_is_refused(make):
    with pytest.raises(CompileErrors, match="register_buffer") as caught:
        dycl.compile(make().eval(), (rows(1)[0],))
    assert caught.value.errors[0].code == "DY201"
