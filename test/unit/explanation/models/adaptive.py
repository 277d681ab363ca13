import torch
from torch import nn


class Adaptive(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.verbose = False

    def forward(self, x):
        assert x.ndim == 2  # settled
        if self.verbose:  # settled
            print("start")
        for block in self.blocks:  # settled
            x = block(x)
            if x.max() > 0.5:  # kept
                return x * 2
        scale = 2.0 if x.sum() > 0 else 3.0  # settled
        steps = 0
        while x.sum() < 1 and steps < 5:  # kept
            x = x + 0.5
            steps += 1
        if x.min() < -1:  # kept
            raise ValueError(f"after {steps} steps")
        return x * scale


def build():
    return Adaptive().eval()


def example_inputs():
    return (torch.zeros(1, 4),)


model, inputs = build(), example_inputs()
