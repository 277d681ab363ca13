"""Models that keep a tensor of another size after each call."""

import torch
import torch.nn.functional as F
from torch import nn


class Window(nn.Module):
    """The rows of the last calls; half of them go once there are too many."""

    def __init__(self, most=10):
        super().__init__()
        self.most = most
        self.register_buffer("rows", torch.zeros(0, 4))

    def forward(self, x):
        self.rows = torch.cat([self.rows, x])
        if self.rows.shape[0] > self.most:
            self.rows = self.rows[self.rows.shape[0] // 2 :]
        return self.rows.sum(0) if self.rows.sum() > 0 else self.rows.sum() * 2


class Attention(nn.Module):
    """A cache of keys and values, which the first call makes."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(4, 4) for _ in range(3))
        self.cache = None

    def forward(self, x):
        k, v = self.k(x), self.v(x)
        if self.cache is not None:
            k = torch.cat([self.cache[0], k])
            v = torch.cat([self.cache[1], v])
        self.cache = (k, v)
        y = F.scaled_dot_product_attention(self.q(x)[None], k[None], v[None])[0]
        if x.sum() > 0:
            return y * 2
        return y


class KeptRows(nn.Module):
    """Rows that the data picks."""

    def __init__(self):
        super().__init__()
        self.rows = {"all": torch.zeros(1, 4), "count": 0}

    def forward(self, x):
        found = x[x[:, 0] > 0]
        self.rows["all"] = torch.cat([self.rows["all"], found])
        if found.shape[0] > 0:
            self.rows["count"] += 1
            return self.rows["all"].mean(0)
        return self.rows["all"].sum(0) + self.rows["count"]


class LastInput(nn.Module):
    """Of one row or two at first, and of any number of them later."""

    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 4)

    def forward(self, x):
        y = x.sum(0) + self.last.sum(0)
        self.last = torch.cat([x, self.last])[:5]
        if x.sum() > 0:
            self.last = self.last[1:]
            return y
        return y - self.last[0]


class KeysAndValues(nn.Module):
    """Two caches, which attention asks to be of one size, and a mask of that size."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 2, 0, 4))
        self.register_buffer("values", torch.zeros(1, 2, 0, 4))

    def forward(self, x):
        x = x.expand(1, 2, -1, 4)
        self.keys = torch.cat([self.keys, x], dim=2)
        self.values = torch.cat([self.values, x * 2], dim=2)
        new, past = x.size(2), self.keys.size(2) - x.size(2)
        mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)
        y = F.scaled_dot_product_attention(x, self.keys, self.values, attn_mask=mask)
        if x.sum() > 0:
            return y * 2
        return y


class Nested(nn.Module):
    """Tensors of dynamic size in a list, in a tuple of it, and in a dict of that."""

    def __init__(self):
        super().__init__()
        first = torch.zeros(0, 4)
        self.kept = [first, (first.clone(), {"a": first.clone(), 0: 1})]

    def forward(self, x):
        rows, (second, rest) = self.kept
        rows, second = torch.cat([rows, x]), torch.cat([x, second])
        third = torch.cat([rest["a"], x, x])
        self.kept = [rows, (second, {"a": third, 0: rest[0] + 1})]
        if x.sum() > 0:
            return rows.sum(0) + third.mean(0)
        return rows - second


PROGRAMS = (Window, Attention, KeptRows, LastInput, KeysAndValues, Nested)
