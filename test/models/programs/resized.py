"""Networks whose calls with other sizes are compared with eager's."""

import torch
from torch import nn


class Sides(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        if x.sum() > 0:
            return self.layer(x)
        return x.tanh()


class OneSide(Sides):
    def forward(self, x):
        return self.layer(x)


class Shorter(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x[1:]
        return x


class Quotients(nn.Module):
    def forward(self, x):
        return x // -torch.ones_like(x)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x + self.calls if x.sum() > 0 else x


class Raising(nn.Module):
    def forward(self, x):
        if x.size(0) > 5:
            raise ValueError("too large")
        return x * 2 if x.sum() > 0 else x


class Hooked(Sides):
    """The hook of a copy would read what the model itself has counted."""

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.layer.register_forward_hook(lambda m, args, output: output * self.calls)


class Growing(nn.Module):
    """A sum of no elements never grows."""

    def forward(self, x):
        while x.sum() < 8:
            x = x + 1
        return x


class Weighed(Sides):
    """Its weight is one that a hook computes, with a gradient."""

    def __init__(self):
        super().__init__()
        self.layer = nn.utils.weight_norm(self.layer)


class Doubling(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class GivesDoubled(nn.Module):
    def forward(self, x):
        found = Doubling()
        found["x"] = x
        return found


class Unknown(dict):
    """What it has not is a KeyError, also for `copy`."""

    __getattr__ = dict.__getitem__


class Uncopied(Sides):
    def __init__(self):
        super().__init__()
        self.settings = Unknown()


class Writing(nn.Module):
    def forward(self, x):
        x += 1
        return x


class Structured(nn.Module):
    def forward(self, batch, scale):
        x, mask = batch["x"], batch["mask"]
        return (x * mask).sum(0) * scale if x.sum() > 0 else x.sum(0)
