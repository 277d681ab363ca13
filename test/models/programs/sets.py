"""Sets that the model or its file holds."""

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


PROGRAMS = [Held, Operators]
