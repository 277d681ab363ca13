"""NumPy and `math` on numbers of the input; each network decides."""

import math

import numpy as np
import torch
from torch import nn


class Functions(nn.Module):
    def forward(self, x):
        s = x.sum().item()
        k = np.clip(s, 0, 1)
        t = np.exp(-abs(s)) + np.tanh(s) * np.sqrt(abs(s)) + np.log1p(abs(s))
        t = t - np.floor(s) + np.maximum(s, 0.5) + np.abs(np.sin(s)) / np.sqrt(64)
        if np.exp(s) > 2.0 and k > 0.75:
            return x * t + k
        if np.isnan(np.log(s)) and int(np.floor(s)) < -1:
            return x * int(np.ceil(s)), math.floor(np.sign(s))
        return x + float(t)


class OfLists(nn.Module):
    def forward(self, x):
        a = [x[0, 0].item(), x[0, 1].item(), x[0, 2].item()]
        if np.max(a) > 0.5:
            return x * np.mean(a), float(np.std(a)), int(np.argmax(a))
        if np.sum(a) > -1.0:
            return x - np.min(a), float(np.median(a)), int(np.argmin(a))
        return x * float(np.prod(a)) / 2.0, 0.0, 0


class LogOfZero(nn.Module):
    """NumPy gives numbers where `math` raises."""

    def forward(self, x):
        s = max(x.sum().item(), 0.0)
        t = np.log(s)
        if t < -1000:
            return x
        return x * np.sqrt(-s - 1.0), float(t)


class Limits(nn.Module):
    """What NumPy says of a dtype is known when the model is compiled."""

    def forward(self, x):
        low = float(np.finfo(torch.tensor(0, dtype=x.dtype).numpy().dtype).min)
        y = x.masked_fill(x < 0, np.finfo(np.float32).max)
        return y if y.sum() > np.iinfo(np.int16).max else x.masked_fill(x > 0, low)


class MixedExtremes(nn.Module):
    """The smaller of an int and a float keeps its kind; of equal ones, the first."""

    def forward(self, x):
        n = max(1, x.sum().item())
        k = min(x.sum().item(), 2, 5.5)
        return (x / n if n > 3 else x * k), n, k, max(2, 2.0), min(True, x[0, 0].item())


class Attributes(nn.Module):
    """Floats of NumPy's that `__init__` has set count as Python's."""

    def __init__(self):
        super().__init__()
        self.c, self.root = 10 - 10 * np.log(1 + 5.0), np.sqrt(4.0)

    def forward(self, x):
        if x.sum() > self.root and isinstance(self.c, float):
            return x - self.c, float(self.root)
        return self.root * x + self.c / self.root, float(self.c)


class AsksForNumpys(Attributes):
    def forward(self, x):
        y = x if isinstance(self.c, np.floating) else x + 1
        return y if x.sum() > 0 else -y


class ComparesWithNumPys(nn.Module):
    def __init__(self):
        super().__init__()
        self.low, self.count, self.table = np.float64(0.3), np.int64(2), np.arange(3.0)

    def forward(self, x):
        mean, positive = x.mean().item(), int((x > 0).sum())
        if mean > np.log(2.0) or self.low > x.max().item():
            return x * 2
        if positive > self.count and not mean < self.table[0]:
            return x[:, : positive % self.count + 1]
        return x * float(mean == self.low)


PROGRAMS = [
    ComparesWithNumPys,
    *(AsksForNumpys, Functions, OfLists, LogOfZero, Limits, MixedExtremes),
    Attributes,
]


class Divides(nn.Module):
    def forward(self, x):
        s = np.exp(x.sum().item())
        return x * (1.0 / s)


class AddsTruths(nn.Module):
    def forward(self, x):
        s = np.exp(x.sum().item())
        t = np.exp(x.max().item())
        return x * ((s > 1) + (t > 1))


REFUSED = {
    Divides: ("DY309", "dividing by zero raises nothing", "1.0 / s"),
    AddsTruths: ("DY309", "a bool is not a number", "(s > 1) + (t > 1)"),
}
