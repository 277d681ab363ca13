"""Adaptive computation time: an RNN that ponders each step until it is sure.

Input 5x1x6 float32 (steps, batch, features); result: outputs 5x1x3, the number of
ponderings of each step (list of int), and the remainder summed up (float). Graves,
arXiv 1603.08983, equations 5-14.
"""

import torch
from torch import nn


class ACT(nn.Module):
    """A GRU cell run until its halting probabilities add up to almost one."""

    def __init__(self, features=6, hidden=16, outputs=3, epsilon=0.05, limit=8):
        super().__init__()
        self.epsilon, self.limit = epsilon, limit
        self.cell = nn.GRUCell(features + 1, hidden)
        self.halt = nn.Linear(hidden, 1)
        self.output = nn.Linear(hidden, outputs)
        self.register_buffer("start", torch.zeros(1, hidden))

    def forward(self, steps):
        state = self.start
        outputs, ponderings, cost = [], [], 0.0
        for x in steps:
            halted = 0.0
            n = 0
            mean_state = torch.zeros_like(state)
            while True:
                first = torch.ones(1, 1) if n == 0 else torch.zeros(1, 1)
                state = self.cell(torch.cat([x, first], dim=1), state)
                p = torch.sigmoid(self.halt(state)).item()
                n += 1
                if halted + p >= 1 - self.epsilon or n == self.limit:
                    break
                halted += p
                mean_state = mean_state + p * state
            remainder = 1 - halted
            state = mean_state + remainder * state
            cost += n + remainder
            outputs.append(self.output(state))
            ponderings.append(n)
        return torch.stack(outputs), ponderings, cost


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    model = ACT().eval()
    model.halt.weight.data *= 4
    return model


def example_inputs(seed=0):
    """Return one random sequence, 5x1x6 float32."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(5, 1, 6, generator=generator) * 2,)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(24)])]
