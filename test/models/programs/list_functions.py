"""Functions of lists whose length the data decides, and what they are compared with."""

import torch
from torch import nn


def numbers(x):
    """Ints in no order, some of them equal; as many as it takes."""
    found = []
    while x.sum() < 7:
        x = x.abs() + 0.3
        found.append((int(x.argmax()) * 5 + len(found) * 4 + 3) % 7)
    return found, x


class Ordered(nn.Module):
    """Sorted by the items, by a key, from the greatest on; in place."""

    def forward(self, x):
        found, x = numbers(x)
        pairs = [(n % 2, i) for i, n in enumerate(found)]
        rows = [(n, x + n) for n in found]
        down = sorted(found, reverse=True)
        found.sort()
        found.append(7)
        by_key = sorted(rows, key=lambda row: -row[0])
        found.reverse()
        pairs.sort(key=lambda pair: pair[0], reverse=True)
        return found, down, sorted(found, key=lambda n: n % 3), by_key, pairs


class Found(nn.Module):
    """How often an item is there, where, and what is the most."""

    def forward(self, x):
        found, x = numbers(x)
        most = max((n for n in found if n < 4), default=9, key=lambda n: -n)
        least = min((n for n in found if n < 4), default=9, key=lambda n: (n - 1) ** 2)
        found += [3, 4, int(x.argmax())]
        return found.count(4), found.count(int(x.argmax())), most, least, found.index(3)


class Compared(nn.Module):
    """Equality of lists and tuples, and what `*` makes of them."""

    def forward(self, x):
        found, x = numbers(x)
        other, x = numbers(x - 0.4)
        is_same = found == other, found[:2] != [1, 5], tuple(found[:2]) == (3, 0)
        return is_same, found * 2, len(other) * [x], [0] * len(found), tuple(found)


class Unpacked(nn.Module):
    """Names for items, and one for the others."""

    def forward(self, x):
        found, x = numbers(x)
        first, *others = [5, *found]
        *front, last = [x, *[x + n for n in found]]
        others.append(first)
        pairs = [(x, 0), *[(x * n, n) for n in found]]
        rows, places = zip(*pairs)  # noqa: B905
        return others, torch.cat([*front, last]), torch.cat(rows), places


class Applied(nn.Module):
    """`list` of what is gone over by number, and slices with a step."""

    def forward(self, x):
        found, x = numbers(x)
        found.extend(n + 1 for n in found[:2])
        low = list(filter(lambda n: n < 3, found))
        high = list(map(lambda n, m: n * m, found, found[1:]))
        several = (
            list(enumerate(found, 1)),
            list(zip(found, low)),  # noqa: B905
            list(range(len(low))),
        )
        return (
            low,
            high,
            several,
            found[::2],
            found[-2::-2],
            found[1:4:2],
            len(set(low)),
        )


def raising(name, read):
    """A network in which a list is asked for what is there for some inputs only."""

    def forward(self, x):
        found, _ = numbers(x)
        return read(found)

    return type(name, (nn.Module,), {"forward": forward})


def two(found):
    first, second = found
    return first, second


def three(found):
    first, second, *others = found
    return first, second, others


def turned(found):
    first, second = zip(*[(n, -n) for n in found])  # noqa: B905
    return first, second


class Halves(nn.Module):
    """Of floats, which may be NaN."""

    def forward(self, x):
        found = []
        while x.sum() < 3:
            x = x.abs() + 0.4
            found.append(float(x[0, 0] - len(found)))
        return sorted(found)


PROGRAMS = (
    Ordered,
    Found,
    Compared,
    Unpacked,
    Applied,
    raising("NotThere", lambda found: found.index(5)),
    raising("NotBehind", lambda found: found.index(2, 1)),
    raising("LeastOfNone", lambda found: min(found, key=lambda n: -n)),
    raising("NotTwo", two),
    raising("TooFew", three),
    raising("TurnedNone", turned),
)
