"""Sets that the model or its file holds."""

import torch
from torch import nn

NAMES = {"mean", "max"}
KINDS = frozenset((1, "first"))


class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.skipped = {"bias", "scale"}
        self.global_layers = {1, 3, 5}
        self.none = set()
        self.options = {"up": {1, 2}, "down": [frozenset((3,))]}

    def forward(self, x):
        name = "bias" if x.sum() > 0 else "weight"
        if name in self.skipped:
            x = x * 2
        if int(x.abs().sum()) in self.global_layers:
            x = x + 100
        for i in range(6):
            if i in self.global_layers:
                x = x + i
        if "mean" in NAMES and 1 in KINDS and not self.none:
            x = x - 1
        if 2 in self.options["up"] and 3 in self.options["down"][0]:
            x = x * 3
        return x


class Operators(nn.Module):
    def __init__(self):
        super().__init__()
        self.names = {"a", "mean"}
        self.numbers = {7, 1, 3}

    def forward(self, x):
        both = self.names | {"c"}
        common = self.names & NAMES
        rest = self.numbers - {1}
        if x.sum() > 0:
            x = x * len(both) + len(common) * 10 + len(rest) * 100
        for name in sorted(self.names.union(NAMES)):
            x = x + len(name)
        for number in self.numbers:
            x = x * 2 + number
        same = self.names <= both and self.names.isdisjoint({"z"})
        kinds = isinstance(self.names, set), isinstance(KINDS, frozenset)
        return x, same, kinds, self.numbers == {3, 1, 7}


class Tables(nn.Module):
    """A table for each kind of layer, as transformers makes its rotary embeddings."""

    def __init__(self):
        super().__init__()
        self.layers = ["sliding", "full", "sliding"]
        self.register_buffer("full", torch.linspace(-1, 1, 4))
        self.register_buffer("sliding", torch.linspace(2, 0, 4))

    def table(self, x, kind):
        factor = 2 if kind == "full" else 3
        return x * getattr(self, kind), factor * x.mean()

    def forward(self, x):
        tables = {}
        for kind in set(self.layers):
            tables[kind] = self.table(x, kind)
        for kind in self.layers:
            scale, shift = tables[kind]
            x = x * scale + shift
            if x.sum() > 0:
                x = x - 1
        return x


class Decided(nn.Module):
    """A decision in each iteration, and three items of a set that the file holds."""

    def __init__(self):
        super().__init__()
        self.names = frozenset(("a", "b", "c"))

    def forward(self, x):
        found = {name: 0 for name in sorted(self.names)}
        for name in self.names:
            limit = len(name) + ord(name) - 97
            found[name] = x * 2 if x.sum() > limit else x - limit
        return found["a"] + found["b"] * found["c"]


class Counts(nn.Module):
    """Whole numbers are summed up; their sum has no order."""

    def forward(self, x):
        count = 0
        for number in {100, 20}:
            count += number
        return x * count if x.sum() > 0 else x


class Repeated(nn.Module):
    """Two such loops, one of them in each of two iterations."""

    def forward(self, x):
        shifts, total = {}, 0
        for kind in {"p", "q"}:
            shifts[kind] = x.mean() * ord(kind)
        for i in range(2):
            found = {kind: x * (ord(kind) + i) for kind in {"a", "b"}}
            total = total + found["a"] - shifts["q"]
            if total.sum() > 0:
                x = x - found["b"]
        return total


PROGRAMS = [Held, Operators, Tables, Decided, Counts, Repeated]
