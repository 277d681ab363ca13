"""Networks of which a GPU, engines and the processor compute a part each."""

import torch
from torch import nn


def turned(x):
    return x / 4 + torch.linalg.svdvals(x.reshape(2, -1))[0] / 4


class Parts(nn.Module):
    """Singular values have no template for CUDA, and no engine takes them; decisions
    read what each device has made."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 8)
        self.register_buffer("shift", torch.tensor(0.25))

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum() > 4:
            return y, x
        best = y.topk(4)[0] if x.max() < 0.5 else y[:, :4] * 2
        if best.mean() < 0.3:
            return self.second(y), best
        z = turned(self.second(y) - self.shift)
        return z, best.topk(2)[0] + z[:, :2]


class Rounds(nn.Module):
    """A loop that carries values between kernels of the GPU and of the processor, with
    one that stays as it is, and a list."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x, y):
        seen = []
        count = 0
        while x.sum() < 12 and count < 5:
            best = turned(x.topk(2)[0])
            x = x + self.step(y).sigmoid() + best.sum()
            seen.append(best)
            count += 1
        if len(seen) > 2:
            return x, seen[0] + seen[-1], count
        return x, y * 2, count


class Carried(nn.Module):
    """A loop that carries two values on the GPU, joins of them and of a weight, numbers
    of each kind, and results from everywhere."""

    def __init__(self):
        super().__init__()
        self.first, self.step = nn.Linear(4, 4), nn.Linear(4, 4)
        self.other = nn.Parameter(torch.randn(1, 4))

    def forward(self, x, rounds: int, scale: float, swaps: bool):
        y = self.first(x)
        h, n = y, 0
        while n < rounds:
            new = self.step(h).tanh() * scale + n
            if swaps:
                h, y = new, h
            else:
                h, y = new + y, new
            n += 1
        chosen = self.other if scale > 2 else h
        shown, best = self.step(chosen).sin(), turned(x)
        if best.sum() > 0.4:
            return shown, self.other, h, y, torch.ones(2, 3)
        return chosen, shown * best.sum(), x, best, y


class Remembers(nn.Module):
    """State that either side changes."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.hidden, self.count = torch.zeros(1, 4), 0

    def forward(self, x):
        self.hidden = self.first(self.hidden).tanh() + x
        self.count += 1
        best = turned(self.hidden)
        if best.sum() > 0.6:
            self.hidden = self.hidden * 0.5
            return best, self.hidden
        return self.first(x), self.hidden


class Descends(nn.Module):
    """A recursion with kernels of the GPU and of the processor."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)

    def down(self, x, n):
        if n <= 0:
            return x
        y = self.down(self.first(x).tanh(), n - 1)
        if turned(y).sum() > 0.1:
            return y + 1
        return y * 2

    def forward(self, x, n: int):
        return self.down(x, n)


def parts():
    torch.manual_seed(0)
    model = Parts().eval()
    torch.manual_seed(3)
    x = torch.randn(1, 6)
    flat = torch.full((1, 6), -0.1)
    return model, [(v,) for v in (x, 9 * x.abs(), -x, x.clamp(max=0.4), flat, 3 * x)]


def rounds():
    torch.manual_seed(0)
    model = Rounds().eval()
    y = torch.randn(1, 4)
    scales = (0.01, 0.3, 1.0, 2.0, 9.0)
    return model, [(torch.rand(1, 4) * scale, y) for scale in scales]


class Ways(nn.Module):
    """Rows of which each goes its own way."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.then, self.other = nn.Linear(8, 3), nn.Linear(8, 3)

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum() > 2.2:
            return self.then(y)
        return self.other(y) * 2

    def goes_then(self, row):
        return bool(self.first(row).relu().sum() > 2.2)


def ways():
    torch.manual_seed(0)
    model = Ways().eval()
    return model, torch.randn(40, 4)
