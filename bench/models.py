"""Networks of any number of decisions, for the scale run."""

import torch
from torch import nn


class Block(nn.Module):
    """A gate that looks at the mean, and a small linear layer behind it."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 1)

    def forward(self, x):
        """Shape 1x4 in and out, float32."""
        if torch.sigmoid(self.gate(x)).mean() > 0.5:
            x = x + 0.1 * torch.tanh(self.fc(x))
        return x


class Gated(nn.Module):
    """`count` gated blocks in a row."""

    def __init__(self, count):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(count))

    def forward(self, x):
        """Shape 1x4 in and out, float32."""
        for block in self.blocks:
            x = block(x)
        return x


class Exits(nn.Module):
    """`count` layers with an exit behind each."""

    def __init__(self, count):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(count))
        self.threshold = 0.9

    def forward(self, x):
        """Shape 1x4 in and out, float32."""
        for layer in self.layers:
            x = torch.relu(layer(x)) + 0.1 * x
            if x.max() > self.threshold:
                return x * 2
        return x


def built(model, seed=0):
    """The model in eval mode, with seeded weights."""
    torch.manual_seed(seed)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.6)
    return model.eval()
