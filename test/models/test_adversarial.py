"""Networks that the first DyCL got wrong or crashed on: right here, on both sides."""

import pytest
import torch
from torch import nn

import dycl


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))


class StaleFlag(Base):
    def forward(self, x):
        flag = 0
        y = self.layers[0](x)
        flag = y.sum()
        if flag > 0:
            return y
        return -y


class ConstantReassignedInABranch(Base):
    def forward(self, x):
        mask = 0
        if x.sum() > 0:
            mask = 1
            x = self.layers[0](x)
        if mask == 0:
            x = self.layers[1](x)
        return x


class RangeWithAStart(Base):
    def forward(self, x):
        for i in range(1, 4):
            if x.sum() > 0:
                x = self.layers[i](x) * i
        return x


class LoopOverLayers(Base):
    def forward(self, x):
        outs = []
        for layer in self.layers:
            x = layer(x)
            outs.append(x)
            if x.mean() > 0.1:
                break
        return outs


class ConditionalExpression(Base):
    def forward(self, x):
        return self.layers[0](x) if x.sum() > 0 else self.layers[1](x) * 2


class Gate(Base):
    def forward(self, x):
        if x.sum() > 0:
            return self.layers[0](x)
        return x * 0.5


class BranchInACalledModule(Base):
    def __init__(self):
        super().__init__()
        self.gates = nn.ModuleList([Gate(), Gate()])

    def forward(self, x):
        return self.gates[1](self.gates[0](x) + 0.25) * 3


class BreakAndContinue(Base):
    def forward(self, x):
        for i, layer in enumerate(self.layers):
            if x[0, i] > 0:
                continue
            x = layer(x)
            if x.sum() > 0:
                break
        return x


class LoopInsideABranch(Base):
    def forward(self, x):
        if x.sum() > 0:
            for layer in self.layers[1:3]:
                x = layer(x)
        return x


MODELS = {
    StaleFlag: 1,
    ConstantReassignedInABranch: None,
    RangeWithAStart: 3,
    LoopOverLayers: None,
    ConditionalExpression: 1,
    BranchInACalledModule: 2,
    BreakAndContinue: None,
    LoopInsideABranch: 1,
}
"""Model -> how many decisions are left, where that is part of the point."""


def inputs():
    generator = torch.Generator().manual_seed(1)
    few = [torch.randn(1, 4, generator=generator) for _ in range(12)]
    return [torch.ones(1, 4), -torch.ones(1, 4), *few]


@pytest.mark.parametrize("model", MODELS, ids=lambda cls: cls.__name__)
def test_same_values_on_both_sides(model) -> None:
    network = model().eval()
    compiled = dycl.compile(network, (torch.zeros(1, 4),))
    taken = set()
    for x in inputs():
        with torch.no_grad():
            want = network(x)
        torch.testing.assert_close(compiled(x), want, rtol=1e-5, atol=1e-6)
        taken.update((d.line, d.taken) for d in compiled.path)
    lines = {line for line, _ in taken}
    assert lines
    assert all((line, side) in taken for line in lines for side in (True, False))
    if MODELS[model] is not None:
        assert len(compiled.decisions) == MODELS[model]
