"""Lists that a few decisions fill: each path knows what is in them."""

import torch
from torch import nn


class Sides(nn.Module):
    """Rows go to one of two lists; of each that is not empty, the mean."""

    def forward(self, x):
        high, low = [], []
        for row in x.view(2, 2):
            if row.sum() > 0.5:
                high.append(row)
            else:
                low.append(row * 2)
        means = []
        if high:
            means.append(torch.stack(high).mean(0))
        if low:
            means.append(torch.stack(low).mean(0))
        return torch.stack(means)


class Groups(nn.Module):
    """The data says to which of three lists a row goes."""

    def forward(self, x):
        groups = [[], [], []]
        for row in x.view(2, 2):
            groups[int(row.sum().clamp(0, 2))].append(row)
        return torch.cat([torch.stack(g).sum(0) for g in groups if len(g) > 0])


class OrElse(nn.Module):
    """Behind a test of the list, on both sides."""

    def forward(self, x):
        found = []
        for row in x.view(2, 2):
            if row.sum() > 0.5:
                found.append(row)
        if found:
            return torch.stack(found).sum(0)
        return x[0, :2]


class StackOfNone(nn.Module):
    """Eager raises where the list is empty, and only there."""

    def forward(self, x):
        found = []
        for row in x.view(2, 2):
            if row.sum() > 0.5:
                found.append(row)
        return torch.stack(found)


class FirstOfNone(nn.Module):
    def forward(self, x):
        found = []
        if x.sum() > 1:
            found.append(x)
        return found[0]


class NoKey(nn.Module):
    def forward(self, x):
        found = {}
        if x.sum() > 1:
            found["a"] = x
        return found["a"]


class TooShort(nn.Module):
    def forward(self, x):
        sizes = (1, 2)
        if x.sum() > 1:
            sizes = (1, 2, 3)
        return x * sizes[2]


class StoredWhileGoneOver(nn.Module):
    """The second turn reads what the first has stored."""

    def forward(self, x):
        rows = [x, x]
        for row, n in zip(rows, (1, 2), strict=True):
            y = row * 2 + n
            if y.mean() < 2:
                x = y
                rows = rows
            else:
                rows[-1] = y
        return x, rows[1]


PROGRAMS = (
    Sides,
    Groups,
    OrElse,
    StackOfNone,
    FirstOfNone,
    NoKey,
    TooShort,
)
REFUSED = {StoredWhileGoneOver: ("DY301", "a `for` loop over a value", "zip(rows")}
