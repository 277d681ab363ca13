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


def mean(values, empty=None):
    """As losses take it: of anything that can be gone over."""
    values = iter(values)
    try:
        n = 1
        total = next(values)
    except StopIteration:
        if empty is None:
            raise ValueError("mean of nothing") from None
        return empty
    for n, value in enumerate(values, 2):  # noqa: B007
        total = total + value
    if n == 1:
        return total
    return total / n


class MeanOfMany(nn.Module):
    """Too many paths for one list each."""

    def forward(self, x):
        found = []
        for part in x[0]:
            if part > 0.3:
                found.append(part.exp())
        return mean(found, x.sum())


class MeanOfFew(nn.Module):
    """Each path knows what is in the list; eager raises where that is nothing."""

    def forward(self, x):
        found = []
        for row in x.view(2, 2):
            if row.sum() > 0.5:
                found.append(row)
        return mean(found)


def mean_in_place(values, empty=0.0):
    """The first item is changed: nobody else has it."""
    values = iter(values)
    try:
        n = 1
        total = next(values)
    except StopIteration:
        return empty
    for n, value in enumerate(values, 2):  # noqa: B007
        total += value
    return total / n


class MeanInPlace(nn.Module):
    def forward(self, x):
        found = []
        for part in x[0]:
            if part > 0.3:
                found.append(part.exp())
        return mean_in_place(found, x.sum())


class AllButOne(nn.Module):
    """The second item is changed, and the others are read."""

    def forward(self, x):
        found = [x.sum().exp(), x.mean() * 3]
        for part in x[0]:
            if part > 0.3:
                found.append(part.exp())
        total = found[1]
        for part in found[2:]:
            total *= 2
            total += part
        return total


class NeverFilled(nn.Module):
    """Shapes that do not fit: what would be appended raises, where it is."""

    def forward(self, x):
        found = []
        if x.sum() > 100:
            found.append(x + torch.zeros(99))
        return mean_in_place(found, x.sum())


class TwoAndRest(nn.Module):
    """An item with a default, one without, and the others."""

    def forward(self, x):
        found = []
        for part in x[0]:
            if part > 0:
                found.append(part * 2)
        parts = iter(found)
        first = next(parts, x.sum())
        second = next(parts)
        total = first - second
        for part in parts:
            total = total * 3 + part
        return total


class GoneOverTwice(nn.Module):
    """The second loop goes on where the first has left."""

    def forward(self, x):
        found = []
        for part in x[0]:
            if part > 0:
                found.append(part * 2)
        parts = enumerate(found)
        total = x.sum()
        for _, part in parts:
            total = total + part
            if total > 3:
                break
        for n, part in parts:
            total = total * n + part
        return total


class ChangesView(nn.Module):
    """The items are rows of the input, which is returned."""

    def forward(self, x):
        y = x + 1
        found = []
        for n in range(4):
            if x[0, n] > 0.3:
                found.append(y[0, n])
        total = found[0]
        for part in found[1:]:
            total += part
        return total, y


class ChangesShared(nn.Module):
    """Two lists hold one tensor."""

    def forward(self, x):
        found, others = [], []
        for part in x[0]:
            if part > 0.3:
                item = part.exp()
                found.append(item)
                others.append(item)
        total = found[0]
        for part in found[1:]:
            total += part
        return total, torch.stack(others)


class ChangesAgain(nn.Module):
    """The item that is changed is read by its number again."""

    def forward(self, x):
        found = []
        for part in x[0]:
            if part > 0.3:
                found.append(part.exp())
        total = found[0]
        for part in found:
            total += part
        return total


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
    MeanOfMany,
    MeanOfFew,
    MeanInPlace,
    AllButOne,
    TwoAndRest,
)
REFUSED = {
    StoredWhileGoneOver: ("DY301", "a `for` loop over a value", "zip(rows"),
    ChangesView: ("DY307", "this changes a tensor", "total += part"),
    ChangesShared: ("DY307", "this changes a tensor", "total += part"),
    ChangesAgain: ("DY307", "this changes a tensor", "total += part"),
    GoneOverTwice: ("DY301", "how far an iterator has gone", "enumerate(found)"),
}
