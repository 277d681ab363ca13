"""Programs that are no graph as a whole, and what parts of them are."""

import torch
from torch import nn


class Collects(nn.Module):
    """A graph ahead of a list that grows, one in each iteration, one behind it."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        seen = []
        n = 0
        y = self.a(x).relu()
        if y.sum() > 1:
            y = self.b(y)
        while x.sum() < 9:
            step = self.a(x).abs() if x.max() > 1 else self.b(x).exp()
            x = x + step + 1
            seen.append(x)
            n += 1
        print("rounds", n)
        if y.max() > 0.5:
            y = self.a(y) + x if y.min() > -0.3 else y - x
        return y, seen, n


class Prints(nn.Module):
    """Returns out of the middle of a graph, and numbers that go in and come out."""

    def forward(self, x, rate: float):
        n = int(x.sum().item())
        print("n is", n)
        y = x * rate + n
        if y.max() > 30:
            return y - 1, n
        y = y * y.sum()
        total = y.sum().item() + n
        if total > 100:
            return y, total
        count = 2 if y.min() < 0 else 3
        print("total", total, count)
        z = y * count + total
        return (z / 2 if z.max() > 4 else -z), count


class Stops(nn.Module):
    """What stops a graph, and is then done by the host, from where the graph began."""

    def forward(self, x):
        print("first", x.max().item())
        y = (x * 2).softmax(-1) + x
        if y.sum() > 50:
            raise ValueError(f"too much: {y.max().item()}")
        if y.max() < 0:
            print("below", int(y.max().item() * 9))
            y = y + 1
        n = 4
        while x.sum() > 0:
            n = n * n + 1
            x = x - 1
        return y * (n % 7), n


class Deep(nn.Module):
    """State, and a list that outer and inner loops fill."""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(3)

    def forward(self, x):
        kept = x
        seen = []
        while x.sum() < 20:
            inner = x
            while inner.max() < 5:
                old = inner
                inner = (inner + kept) * 1.5
                inner = inner + old.sum() if inner.min() < 1 else inner - old * 0.5
                seen.append(inner)
            kept = x
            x = x + inner
        self.total = self.total + x
        if self.total.sum() > 90:
            self.total = self.total * 0
        return kept, x, seen, self.total * 2
