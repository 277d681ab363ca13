"""Functions that keep what they give, and cached properties."""

from functools import cache, cached_property, lru_cache

import torch
from torch import nn


@lru_cache(maxsize=32)
def centres(height, width, dtype=torch.float32, device=None):
    ys = torch.arange(0.5, height, dtype=dtype, device=device) / height
    xs = torch.arange(0.5, width, dtype=dtype, device=device) / width
    grid = torch.stack(torch.meshgrid(ys, xs, indexing="ij"), dim=-1)
    return grid.flatten(0, 1)


class Coordinates(nn.Module):
    def forward(self, x):
        c = centres(2, x.shape[1] // 2, dtype=x.dtype, device=x.device)
        if x.sum() > 0:
            return c.sum(1) * x
        return c.sum(-1) + x


def twice(n):
    return n * 2


@cache
def odd(n):
    return twice(n) + 1


class Numbers(nn.Module):
    def forward(self, x):
        return x * odd(x.shape[1]) + odd(int(x.abs().sum()))


class Method(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = -2.0

    @cache  # noqa: B019
    def mask(self, n):
        m = torch.full((n, n), self.low)
        m[0] = 1
        return m.triu_(1)

    @staticmethod
    @lru_cache(8)
    def places(size, device):
        h, w = size
        grid = torch.meshgrid(torch.arange(h, device=device), torch.arange(w))
        return grid[0].flatten(), grid[1].flatten()

    def forward(self, x):
        if x.sum() > 0:
            return x @ self.mask(4)
        a, b = self.places((2, 2), x.device)
        return (x + a) @ self.mask(x.shape[-1]) + b


class Decides(nn.Module):
    @cache  # noqa: B019
    def offset(self, n):
        if n > 3:
            return torch.ones(4) * n
        return torch.zeros(4)

    def forward(self, x):
        return x + self.offset(int(x.abs().sum()))


class Config:
    def __init__(self):
        self.n = 3

    @cached_property
    def double(self):
        return 2 * self.n


class Property(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = Config()
        self.fc = nn.Linear(4, 4)

    @cached_property
    def scale(self):
        return torch.arange(4).float()

    @cached_property
    def total(self):
        return self.fc.weight.sum(0)

    def forward(self, x):
        if x.sum() > 0:
            return x * self.scale * self.config.double
        return x + self.scale + self.total


PROGRAMS = [Coordinates, Numbers, Method, Decides, Property]
