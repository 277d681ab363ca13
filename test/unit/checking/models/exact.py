"""A network whose numbers floats hold, so that nothing depends on the machine."""

import torch
from torch import nn


class Exact(nn.Module):
    """Numbers that floats hold, so that nothing depends on the machine."""

    def forward(self, x):
        y = x * 2
        if y.sum() > 3:
            return y
        return {"y": y - 1, "n": 4}


class Other(Exact):
    """The same weights, none, and another result."""

    def forward(self, x):
        return super().forward(x * 0.5)


def example_inputs():
    return (torch.tensor([[1.0, 0.5]]),)
