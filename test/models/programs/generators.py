"""Generator functions: gone over by loops, and by what Python has for iterables."""

import torch
from torch import nn


class Net(nn.Module):
    """Base: a few small layers."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def blocks(self, limit):
        for number, layer in enumerate(self.layers):
            if number == limit:
                return
            yield layer

    def pieces(self, x):
        yield x
        y = x * 2
        yield y
        if x.sum() > 0:
            yield y + 1

    def halves(self, x):
        while x.abs().sum() > 0.5:
            yield x
            x = x / 2


class Blocks(Net):
    """Modules, one after the other; the loop ends early, or goes to the next one."""

    def forward(self, x):
        seen = 0
        for block in self.blocks(2):
            x = block(x)
            if x.sum() > 0.4:
                continue
            seen += 1
            if x.sum() < -0.4:
                break
        else:
            seen += 10
        return x, seen


class Tensors(Net):
    """As many as the data decides, one of them on one path only."""

    def forward(self, x):
        s, last = torch.zeros(4), None
        for h in self.halves(x):
            s = s + h[0]
        for piece in self.pieces(x):
            last = piece if last is None else last + piece
        first, *others = self.pieces(x + 0.1)
        return s, last, torch.cat([*self.pieces(x)]), first, others


class Endless(nn.Module):
    """The data ends the loop; what the function would do after that it does not."""

    def forever(self, x):
        while True:
            x = x * 1.5
            yield x
            assert x.sum() < 8

    def forward(self, x):
        n = 0
        for h in self.forever(x.abs() + 0.1):
            n += 1
            if h.sum() > 10:
                return h, n
        return n


class Delegated(Net):
    """`yield from` of generators and lists; a recursion over a known tree."""

    def tree(self, x, depth):
        yield x
        if depth > 0:
            yield from self.tree(x * 0.5, depth - 1)
            yield from [x - 1, x - 2]

    def forward(self, x):
        s = x
        for i, piece in enumerate(self.tree(x, 2), 1):
            if piece.sum() > 2:
                break
            s = s + piece * i
        return s, len(list(self.tree(x, 1)))


class Builtins(Net):
    """`zip`, `map`, `filter`, `any`, `all`, `next`, `sum`, `sorted`, `dict`."""

    def numbers(self, x):
        for i in range(3):
            yield int(x[0, i] > 0) + i

    def forward(self, x):
        names = ["a", "b"]
        table = dict(zip(names, self.pieces(x)))  # noqa: B905
        rows = [p * n for p, n in zip(self.numbers(x), [x, x + 1])]  # noqa: B905
        some = any(n > 2 for n in self.numbers(x)), all(self.numbers(x))
        first = next(self.pieces(x)), next(self.blocks(0), None)
        odd = list(filter(lambda n: n % 2, self.numbers(x)))
        ordered = sorted(self.numbers(-x)), max(self.numbers(x))
        total = sum(map(lambda n: n * 2, self.numbers(x)))
        return table, rows, some, first, odd, ordered, total


class Interleaved(nn.Module):
    """What the function does and what the loop does come in Python's order."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def counted(self, x, log):
        for i in range(3):
            self.count += 1
            log.append(("made", self.count))
            yield x + self.count
            log.append(("behind", i))

    def forward(self, x):
        log = []
        for y in self.counted(x, log):
            log.append(("used", self.count))
            self.count = self.count * 2 % 7
            if y.sum() > 6:
                break
        return y, log


class Asked(Net):
    """One item, and then another one."""

    def forward(self, x):
        pieces = self.pieces(x)
        first = next(pieces)
        return first + next(pieces)


class Guarded(nn.Module):
    def items(self, x):
        try:
            yield x
        finally:
            self.done = True

    def forward(self, x):
        for y in self.items(x):
            x = y + 1
        return x


PROGRAMS = (Blocks, Tensors, Endless, Delegated, Builtins, Interleaved)
REFUSED = {
    Asked: ("DY103", "how far this generator has gone", "pieces = self.pieces(x)"),
    Guarded: ("DY103", "yield inside of `try`", "yield x"),
}
