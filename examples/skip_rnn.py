"""Skip RNN: a recurrent cell that decides at each step whether to look at the input.

Input 12x1x8 float32 (steps, batch, features); result: logits 1x4 and the number of
steps that updated the state. A skipped step costs one addition. Campos et al., ICLR
2018.
"""

import torch
from torch import nn


class SkipRNN(nn.Module):
    """A GRU cell and an update probability that grows while steps are skipped."""

    def __init__(self, features=8, hidden=24, classes=4):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(features, hidden)
        self.update = nn.Linear(hidden, 1)
        self.head = nn.Linear(hidden, classes)

    def forward(self, steps):
        h = steps.new_zeros(1, self.hidden)
        update_prob = 1.0
        delta = 0.0
        used = 0
        for x in steps:
            if round(update_prob) == 1:
                h = self.cell(x, h)
                delta = torch.sigmoid(self.update(h)).item()
                update_prob = delta
                used += 1
            else:
                update_prob = min(update_prob + delta, 1.0)
        return self.head(h), used


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    model = SkipRNN().eval()
    model.update.weight.data *= 6  # some states ask for the next step, some do not
    return model


def example_inputs(seed=0):
    """Return one random sequence, 12x1x8 float32."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(12, 1, 8, generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(24)])]
