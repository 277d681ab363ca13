"""The networks that are run: small, so that what a call costs is most of the time."""

import torch


class Exits(torch.nn.Module):
    """An early exit, and a skipped block."""

    def __init__(self):
        super().__init__()
        self.stem, self.exit = torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)
        self.gate, self.rest = torch.nn.Linear(16, 1), torch.nn.Linear(16, 4)

    def forward(self, x):
        h = self.stem(x).relu()
        p = self.exit(h).softmax(-1)
        if p.max() > 0.5:
            return p
        if self.gate(h).item() > 0:
            h = h + self.stem(h)
        return self.rest(h)


class Decoder(torch.nn.Module):
    """A loop that the data ends, and a list that grows in it."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = torch.nn.Linear(16, 16), torch.nn.Linear(16, 8)

    def forward(self, h):
        states = []
        while len(states) < 20:
            h = self.cell(h).tanh()
            states.append(h)
            if self.head(h).argmax().item() == 0:
                break
        return torch.cat(states)


class Counter(torch.nn.Module):
    """State that lives from call to call."""

    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(1, 16)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        self.mean = 0.5 * self.mean + 0.5 * x
        if self.calls % 3 == 0:
            return self.mean * 2
        return self.mean + x


def inputs():
    """Some that take both sides of the decisions: float32 (1, 16)."""
    torch.manual_seed(7)
    return [scale * torch.randn(1, 16) for scale in (0.1, 1, 3, 10) for _ in range(8)]
