"""Lists of tuples, lists, dicts and records, as long as the data decides."""

import dataclasses
from typing import NamedTuple

import torch
from torch import nn


class Net(nn.Module):
    """Base: a small layer."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)


class Cache(Net):
    """Pairs of keys and values: the last, each in turn, one column of them."""

    def forward(self, x):
        cache = []
        while x.sum() < 3:
            x = x.abs() + 0.4
            cache.append((x * 2, self.fc(x)))
        if len(cache) == 0:
            return x
        k, v = cache[-1]
        y = x
        for a, b in cache:
            y = torch.sin(y + a) + b
        return y, k, v, torch.cat([k for k, v in cache]), cache[0][1], len(cache)


class Returned(Net):
    """Rows of tuples, lists, dicts, and of tuples in tuples."""

    def forward(self, x):
        tuples, lists, dicts, nested = [], [], [], []
        while x.sum() < 3:
            x = x.abs() + 0.4
            tuples.append((x, int(x.argmax()), "seen", None))
            lists.append([x, x.sum().item()])
            dicts.append({"score": x.sum(), 1: x + 1})
            nested.append((x, (x.sum().item(), x + 2)))
        return tuples, lists, {"all": dicts}, nested


class Grown(Net):
    """What is put into the list was read from it, from another, or comes in a row."""

    def forward(self, x):
        out, other = [(x, 1)], []
        while x.sum() < 3:
            x = x.abs() + 0.4
            if x[0, 0] > 1:
                out.append(out[-1])
                other.append((out[0][0], x))
            elif x[0, 1] > 1:
                out.extend([(x, 2), (x + 1, int(x.argmax()))])
            else:
                out += [(x * 3, len(out))]
        y, pairs = x, other + [(x, x)]  # noqa: RUF005
        for i, (a, n) in enumerate(reversed(out)):
            y = torch.sin(y + a * n) + i
        for (a, n), (b, c) in zip(out, pairs):  # noqa: B905
            y = torch.sin(y + a * n - b) + c
        for i, (a, n), c in zip(range(1, 3), out, [x, x + 1, x + 2]):  # noqa: B905
            y = y * 0.5 + a * n * i - c
        return y, out, len(pairs)


class Known(Net):
    """Six branches that may append: one list of a run, not one for each path."""

    def forward(self, x):
        out = []
        for i in range(6):
            if x[0, i % 4] > i * 0.1:
                out.append((x[0, i % 4] * 2, i))
        y = x
        for v, n in out:
            y = torch.sin(y) + v * n
        return y, [n for _, n in out]


class Step(NamedTuple):
    state: torch.Tensor
    number: int


@dataclasses.dataclass
class Found:
    score: torch.Tensor
    name: str


class Records(Net):
    """Named tuples and dataclasses; what they have in common stays a constant."""

    def forward(self, x):
        steps, found = [], []
        while x.sum() < 3:
            x = x.abs() + 0.4
            steps.append(Step(x, 2))
            found.append(Found(x.sum(), "x"))
        y = x
        for step, f in zip(steps, found):  # noqa: B905
            y = torch.sin(y + step.state) ** step.number + f.score
        return y, steps


class Columns(Net):
    """A dict of lists, each of which grows."""

    def forward(self, x):
        log = {"state": [], "sum": []}
        while x.sum() < 3:
            x = x.abs() + 0.4
            log["state"].append(x)
            log["sum"].append(x.sum().item())
        if len(log["sum"]) > 1:
            return log["state"][-1], max(log["sum"])
        return log


def grown(x, make):
    out = []
    while x.sum() < 3:
        x = x.abs() + 0.4
        out.append(make(x))
    return out, x


class ItemSet(Net):
    """The very list that is in the list: it is seen by all who read it."""

    def forward(self, x):
        out, x = grown(x, lambda x: [x, x + 1])
        if len(out) > 0:
            out[0][0] = x * 5
        return out


class ItemGrows(Net):
    def forward(self, x):
        out, x = grown(x, lambda x: [x])
        if len(out) > 0:
            first = out[0]
            first.append(x)
            return len(out[0])
        return x


class EntrySet(Net):
    def forward(self, x):
        out, x = grown(x, lambda x: {"a": x})
        for entry in out:
            entry["a"] = x
        return out


class SharedItem(Net):
    def forward(self, x):
        inner, out = [x, x], []
        while x.sum() < 3:
            x = x.abs() + 0.4
            out.append(inner)
        inner[0] = x
        return out


class HeldItem(Net):
    def forward(self, x):
        inner, out = [], []
        while x.sum() < 3:
            x = x.abs() + 0.4
            inner.append(x)
            out.append((x, inner))
        return out


class OtherLength(Net):
    def forward(self, x):
        out, x = grown(x, lambda x: (x, 2))
        out.append((x,))
        return out[0]


class BestSoFar(Net):
    """A tuple of numbers that a loop of known length replaces, or not."""

    def forward(self, x):
        best, other = None, (0, (0.0, 0))
        for i in range(3):
            score = x[0, i].item()
            if best is None or score > best[0]:
                best = (score, i)
            if score > other[1][0]:
                other = (i, (score, 1))
        return best, other, best[1] + other[0]


PROGRAMS = (Cache, Returned, Grown, Known, Records, Columns, BestSoFar)
REFUSED = {
    ItemSet: ("DY301", "a list cannot be an item", "out.append(make(x))"),
    ItemGrows: ("DY301", "a list cannot be an item", "out.append(make(x))"),
    EntrySet: ("DY301", "a dict cannot be an item", "out.append(make(x))"),
    SharedItem: ("DY205", "changes a list or dict", "inner[0] = x"),
    HeldItem: ("DY205", "changes a list or dict", "inner.append(x)"),
    OtherLength: ("DY301", "a tuple cannot be an item", "out.append((x,))"),
}
