"""Functions of `functools` and `itertools`, slices that are assigned, formats."""

import functools
import itertools
import operator

import torch
from torch import nn


class Reduces(nn.Module):
    def forward(self, x):
        parts = [x, x + 1, x * 3]
        if x.sum() > 0:
            return functools.reduce(torch.add, parts)
        product = functools.reduce(lambda a, b: a * b, parts, torch.ones(1, 4))
        return functools.reduce(operator.add, [t.sum() for t in parts]) * product


class ReducesNothing(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return functools.reduce(torch.add, [], x)
        return functools.reduce(torch.add, [])


class Accumulates(nn.Module):
    def forward(self, x):
        y = x
        for s in itertools.accumulate([x, x + 1, x * 2]):
            if s.sum() > 0:
                y = y + s
        for s in itertools.accumulate([1.0, 2.0], lambda a, b: a - b, initial=10.0):
            y = y * s
        return y, list(itertools.accumulate([1, 2, 3], operator.mul))


class TakesWhile(nn.Module):
    """The predicate is a decision, and is not asked again."""

    def forward(self, x):
        parts = [x, x + 0.5, x + 1]
        for t in itertools.takewhile(lambda v: v.sum() < 1, parts):
            x = x + t
        return x


class Selects(nn.Module):
    def forward(self, x):
        y = x
        for s in itertools.starmap(lambda a, b: a * b, [(x, 2.0), (x, 3.0)]):
            y = y + s
        for s in itertools.chain.from_iterable([[1, 2], (3,)]):
            y = y * s
        numbers = [1, 2, 3, 1]
        kept = (
            list(itertools.dropwhile(lambda v: v < 3, numbers)),
            list(itertools.filterfalse(lambda v: v < 3, numbers)),
            list(itertools.filterfalse(None, [0, 1, 0])),
            list(itertools.compress(numbers, [1, 0, 1])),
        )
        return (y, kept) if y.sum() > 0 else kept


class StoresSlices(nn.Module):
    def forward(self, x):
        items = [x, x + 1, x + 2]
        other = items
        items[1:] = [x * 5, x * 6, x * 7]
        items[1:1] = items
        items[::2] = [t * 2 for t in items[::2]]
        if x.sum() > 0:
            items[0:2] = [x]
            items[len(items) :] = (x, x)
        else:
            items[:1] = []
            items[-1:] = other[:2]
            items[:] = reversed(items)
        return torch.cat(other), len(other)


class ExtendsLists(nn.Module):
    """`[1] * n` of a length that is known later is made item by item."""

    def forward(self, x):
        view = list(x.shape)
        view[1:] = [1] * (len(view) - 1)
        pad = [0] * (2 * (x.dim() - 1))
        pad.extend([3] * (len(pad) - 1))
        named = {"a": x, "b": x + 1}
        keys = ["c"]
        keys.extend(named)
        keys += {"d": x}
        keys[1:2] = named
        scale = torch.ones(x.size(0)).view(view)
        return (x * scale, pad) if x.sum() > 0 else (keys, view)


class DeletesSlices(nn.Module):
    def forward(self, x):
        items = [x, x + 1, x + 2, x + 3, x + 4]
        del items[0]
        if x.sum() > 0:
            del items[:2]
        else:
            del items[::2], items[-1]
        items[1:] += [x * 2]
        return items


class Upwards:
    def __init__(self, end):
        self.end = end
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.end:
            raise StopIteration
        self.at += 1
        return self.at


class FromTheStart:
    def __init__(self, items):
        self.items = items
        self.at = 0

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at == len(self.items):
            raise StopIteration()
        self.at = self.at + 1
        return self.items[self.at - 1]


class OwnIterators(nn.Module):
    def forward(self, x):
        numbers = Upwards(4)
        for k in numbers:
            x = x + k
            if k == 2:
                break
        for k in numbers:
            x = x * k
        again = iter(Upwards(3))
        if x.sum() > 144:
            x = x - next(again)
        return x * next(again)


class OwnIteratorOfTensors(nn.Module):
    def forward(self, x):
        count = 0
        for part in FromTheStart([x, x - 1, x + 2]):
            if part.sum() > 0:
                continue
            count += 1
        return x * count


class OwnIteratorBegunAgain(nn.Module):
    def forward(self, x):
        parts, y = FromTheStart([x, x + 1]), 0
        for part in parts:
            y = y + part
        for part in parts:
            y = y * part
        return y if x.sum() > 0 else -y


class OwnIteratorsInFunctions(nn.Module):
    def forward(self, x):
        y = x if x.sum() > 0 else -x
        for k, part in zip(Upwards(3), [x, y], strict=False):
            y = y + k * part
        for i, k in enumerate(Upwards(2)):
            y = y + i * k
        return y, sum(Upwards(3)), [k for k in Upwards(3)]


class OwnIteratorOfTheInput(nn.Module):
    def forward(self, x):
        y = x
        for k in Upwards(int(x.abs().sum())):
            if (y * k).sum() > 40:
                break
            y = y + k
        return y


class CountsAndCycles(nn.Module):
    def forward(self, x):
        y = x
        for i, part in zip(itertools.count(1), [x, x + 1], strict=False):
            y = y + i * part
        for a, b in zip([1, 2, 3], itertools.cycle([x, -x]), strict=False):
            y = y + a * b
        number = itertools.count(5, 2)
        if x.sum() > 0:
            y = y * next(number)
        return y * next(number)


class OfOtherLength(nn.Module):
    def forward(self, x):
        items = [x, x + 1, x + 2]
        items[::2] = [x]
        return items[0]


class FormatOfTheInput(nn.Module):
    def forward(self, x):
        return f"{x.sum().item():.{int(x.argmax())}f}"


PROGRAMS = [
    Reduces,
    ReducesNothing,
    Accumulates,
    TakesWhile,
    Selects,
    StoresSlices,
    ExtendsLists,
    DeletesSlices,
    OwnIterators,
    OwnIteratorOfTensors,
    OwnIteratorBegunAgain,
    OwnIteratorsInFunctions,
    OwnIteratorOfTheInput,
    CountsAndCycles,
]
REFUSED = {
    OfOtherLength: (
        "DY112",
        "attempt to assign sequence of size 1",
        "items[::2] = [x]",
    ),
    FormatOfTheInput: ("DY301", "a format that the input decides", 'return f"'),
}
