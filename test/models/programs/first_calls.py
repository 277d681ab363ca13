"""A library puts hooks on the layers of a model when it is first asked for states."""

from contextvars import ContextVar

import torch
from torch import nn

COLLECTED = ContextVar("collected", default=None)


class Base(nn.Module):
    """The class of the library that models derive from."""


def collect(module, args, output):
    collected = COLLECTED.get()
    if collected is not None:
        collected.append(output)


def install(model):
    """Once for a model."""
    if getattr(model, "_is_installed", False):
        return
    for layer in model.layers:
        layer.register_forward_hook(collect)
    model._is_installed = True


class States(Base):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x, states=False):
        collected = []
        if states:
            install(self)
            token = COLLECTED.set(collected)
        for layer in self.layers:
            x = layer(x)
        if states:
            COLLECTED.reset(token)
        return x, tuple(collected)


class EarlyExit(nn.Module):
    """The first state that is sure decides."""

    def __init__(self):
        super().__init__()
        self.body = States()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        _, states = self.body(x, states=True)
        for state in states:
            p = self.head(torch.relu(state)).softmax(-1)
            if p.max() > 0.55:
                break
        return p
