"""Control flow in the ways that people write it: each class must equal eager.

All take `x`, 1x4 float32. Every decision goes both ways over the test's inputs.
"""

import functools
import itertools

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)


class NestedReturns(Base):
    def forward(self, x):
        if x.sum() > 0:
            y = self.a(x)
            if y.sum() > 0:
                return y
            if x.max() > 1.0:
                y = self.b(y)
                if y[0, 0] > 0:
                    return y * 2
                y = y + 1
            else:
                return y - 3
        else:
            y = self.c(x)
        return y + x


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        if x.mean() > 0:
            return self.linear(x)
        y = x * 2
        if y.max() > 0.5:
            return y
        return y - 1


class ReturnsInCalledModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Part(), Part()
        self.between = nn.Linear(4, 4)

    def forward(self, x):
        y = self.first(x) + 1
        z = self.second(self.between(x))
        return y * z + self.second(x - 1)


def helper(x, k=2):
    if x.sum() > 0:
        return x * k, True
    return x - k, False


class ReturnsInHelper(Base):
    def forward(self, x):
        y, first = helper(x)
        if first:
            y = self.a(y)
        z, second = helper(y, k=3)
        return z if second else self.b(z)


class BreakAndContinue(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        count = 0
        for block in self.blocks:
            x = x + 0.1 * torch.tanh(block(x))
            count += 1
            if x.sum() > 0.5:
                break
            if x[0, 0] < 0:
                continue
            x = x + 0.3
        return x, count


class BooleanOperators(Base):
    def forward(self, x):
        if x.sum() > 0 and x[0, 0] > 0:
            x = x + 0.1
        if x[0, 1] > 0 or x[0, 2] > 0:
            x = x - 0.2
        if not x[0, 3] > 0:
            x = x * 1.5
        s = x.sum()
        if -1 < s < 1:
            x = self.a(x)
        return x


class Choices(Base):
    def forward(self, x):
        y = self.a(x) if x.sum() > 0 else self.b(x)
        k = 3 if x.max() > 0.3 else 5
        return y * k + (1.5 if x.min() < -0.5 else 2.5)


class SharedWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.weight = self.a.weight
        self.again = self.a

    def forward(self, x):
        y = self.a(x)
        if x.sum() > 0:
            y = self.b(y)
        return self.again(y) + self.a(x)


class PlainContainers(nn.Module):
    def __init__(self):
        super().__init__()
        modules = [nn.Linear(4, 4) for _ in range(3)]
        self.blocks = nn.ModuleList(modules)
        self.some = [modules[0], modules[2]]
        self.table = {"x": modules[1], "y": (modules[0], 7)}
        self.activation = torch.tanh

    def forward(self, x):
        if x.sum() > 0:
            x = self.table["x"](x)
        for module in self.some:
            x = self.activation(module(x))
        module, factor = self.table["y"]
        for one, other in zip(self.blocks[:2], reversed(self.blocks), strict=False):
            x = one(x) + other(x)
        return module(x) * factor + len(self.blocks)


class Counters(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        count, seen, flag = 0, torch.zeros(1), False
        for i, block in enumerate(self.blocks):
            if x[0, i] > 0:
                x = torch.cat([x[:, 1:], block(x)[:, :1]], 1)
                count += 1
                seen += 1
            else:
                flag = True
        return x, count, seen, flag, count * 2 + 1, count / 2


class Collected(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        outs = []
        for block in self.blocks:
            outs.append(torch.tanh(block(x)))
        if x.sum() > 0:
            return torch.cat(outs, dim=1), outs
        return torch.stack(outs).flatten(1), outs[::-1]


class StructureByPath(Base):
    def forward(self, x):
        if x.sum() > 1:
            return x, None, 3, "hi", 2.5, True
        if x[0, 0] > 0:
            return {"a": x, "b": [1, 2, (x, x)]}
        if x[0, 1] > 0:
            return None
        return self.a(x)


class InputsAndWeightsReturned(Base):
    def forward(self, x):
        if x.sum() > 0:
            return x
        if x[0, 0] > -0.5:
            return x.view(4)
        if x[0, 1] > 0:
            return self.a.weight
        return x[:, 1:3]


class HostNumbers(Base):
    def forward(self, x):
        p = x.mean().item()
        y = self.a(x) * p
        y = y + float(x[0, 0]) if p > 0 else y / (p - 1)
        n = int(x[0, 1] * 3)
        return y + n, p, n, p * 2 + n, -n, n // 2, n % 3, bool(n)


class NotANumber(Base):
    def forward(self, x):
        x = x / (x.abs() > 0.5)  # inf where small
        x = x - x * (x > 1e30)  # inf - inf is NaN
        kind = 0
        if x[0, 0] > 0:
            kind = 1
        elif x[0, 0] <= 0:
            kind = 2
        elif x[0, 0] != x[0, 0]:
            kind = 3
        f = x[0, 1].item()
        if not f < 0:
            kind += 10
        if f >= 0:
            kind += 100
        return kind, x, torch.isnan(x).any(), x.max(), x.argmax()


class ReturnFromLoop(Base):
    def forward(self, x):
        for i, module in enumerate([self.a, self.b]):
            if x[0, i] > 0.5:
                return module(x), i
        return x, -1


class StaticRecursion(Base):
    def again(self, x, n):
        if n == 0:
            return x
        if x[0, n] > 0:
            return self.again(x + self.a(x), n - 1)
        return x

    def forward(self, x):
        return self.again(x, 2)


class ValuesPassedOn(Base):
    def forward(self, x):
        y = self.a(x)
        z = y if x.sum() > 0 else x
        if x[0, 0] > 0:
            return z, y, x, z
        return y, y


class DeadDecisions(Base):
    def forward(self, x):
        y = x
        if x.sum() > 0:
            pass
        if torch.tensor(1.0) > 0:
            y = y + 1
        if torch.zeros(1) > 0:
            y = self.a(y)
        return y


class KeywordsAndDefaults(Base):
    def scaled(self, x, *, scale=1.0, bias=None):
        x = x * scale
        if bias is not None:
            x = x + bias
        return x

    def forward(self, x, mask=None, return_dict=True):
        y = self.scaled(x, scale=2.0)
        if mask is not None:
            y = y * mask
        if y.sum() > 0:
            y = self.scaled(y, bias=self.a(y))
        return {"y": y} if return_dict else y


class ShapeDecides(Base):
    def forward(self, x):
        batch, channels = x.shape
        assert channels == 4, "an assertion that holds"
        if channels > 3:
            y = self.a(x)
        if x.dim() == 2 and x.size(0) == 1:
            y = y.view(-1)
        half = y.numel() // 2
        y = y[:half] if x.sum() > 0 else y[half:]
        return y.reshape(batch, -1) / len(x), x.shape[0], x.ndim


class BooleansOnHost(Base):
    @torch.no_grad()
    def forward(self, x):
        if bool(x.sum() > 0):
            x = x - 0.5
        f, g = bool((x > 0).any()), x.sum().item() > 0
        if f and not g:
            x = x + 1
        positive = x.sum() > 0
        if positive.item() and isinstance(x, torch.Tensor):
            x = x * 2
        return x, f, g, positive, f != g


class InPlaceOnOwnValues(Base):
    def forward(self, x):
        total = torch.zeros(1, 4)
        y = self.a(x)
        y += 1
        y.relu_()
        z = torch.relu_(self.b(x))
        if x.sum() > 0:
            return y.mul_(2).add_(z)
        for module in (self.a, self.b):
            total += module(x)
        return total, y


class Parent(Base):
    def forward(self, x):
        if x.sum() > 0:
            return self.a(x)
        return x


class ModuleDicts(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.Linear(4, 4)})

    def forward(self, x):
        outs = {}
        for i, (name, module) in enumerate(self.table.items()):
            if x[0, i] > 0:
                outs[name] = module(x)
            else:
                outs[name] = x
        for name in self.table:
            x = self.table[name](x)
        for module in self.table.values():
            x = module(x)
        return outs, x, len(self.table), "a" in self.table


class Child(Parent):
    factor = 3

    def forward(self, x):
        y = super().forward(x)
        if x[0, 0] > 0:
            return y * self.factor
        return super().forward(y - 1) if x[0, 1] > 0 else y


def closure():
    """A model of a class that only exists inside a function."""
    factor = 3

    class Local(Base):
        def forward(self, x):
            if x.sum() > 0:
                return self.a(x) * factor
            return x

    return Local()


class Pyramid(nn.Module):
    """Each map but the first takes the one before it, by an index of the loop."""

    def __init__(self):
        super().__init__()
        self.scales = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, maps):
        outs = []
        for scale, (x, linear) in enumerate(zip(maps, self.scales, strict=True)):
            new = [x, linear(x)]
            if scale > 0:
                new.append(maps[scale - 1])
            outs.append(torch.cat(new, 1)[:, :4])
        return outs


class ListsOfMaps(nn.Module):
    """A list of maps goes from block to block, and out of the loop early."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Pyramid(), Pyramid()])

    def forward(self, x):
        maps = [x, x]
        maps[0] = x * 3
        for k, block in enumerate(self.blocks):
            maps = block(maps)
            if maps[-1].max() + k > 1:
                break
        return maps[-1], maps[0], k


class ListsMadeOnEachSide(nn.Module):
    """Each side hands on a list of its own; it grows afterwards."""

    def forward(self, x):
        maps, pair = [], [x, x * 2]
        if x.sum() > 0:
            maps.append(x)
            maps.append(x + 1)
            pair[1] = x * 5
        else:
            maps = [x * 3, x * 4]
        maps.append(x * 7)
        return maps, pair


class ListChangedBeforeAnExit(nn.Module):
    """The side that goes on changes a list; the other one leaves."""

    def forward(self, x):
        maps, rest = [x, x], [x]
        if x.max() < 0.2:
            return x
        else:  # noqa: RET505
            maps[0] = x * 2
            rest.append(maps[0])
        if x.sum() > 0:
            maps.append(x + 1)
            rest[0] = maps[2]
        else:
            return maps[0]
        return maps, rest


class TwoListsChangedOnOneSide(nn.Module):
    def forward(self, x):
        maps, rest = [x, x], [x]
        pair = (x, 1)
        if x.max() < 0.2:
            maps[0] = x * 2
            rest[0] = x * 3
            pair = (x * 4, 2)
        return maps[0] + rest[0] * pair[1], maps, rest, pair


class ListMadeOfAnother(Base):
    """A list that an expression makes is changed on one side, and handed on."""

    def forward(self, x):
        some, more, rest = [self.a(x)], [x, x * 2], [x, x * 3]
        if x.max() > 0.3:
            some = some + some
            some[-1] = x
            more = list(rest)
            more.append(x + 1)
            rest = rest[1:] * 2
            rest[1] = x - 1
        if x.sum() > 0:
            first, *others = [*some, x]
            others.append(first)
            others[0] = others[0] * 2
            some = others
        return some, more, rest


class DictBuiltByKeywords(Base):
    """`dict(a=...)` in a callee to which a list is given."""

    def parts(self, x, more):
        found = dict(a=more[0])
        return found["a"] + len(found) * x

    def forward(self, x):
        some = [x * 0.5, x]
        y = self.parts(x, more=some) if x.sum() > 0 else self.parts(x, some[1:])
        return y, len(some)


class ListMadeBesideAnExit(Base):
    """A name is given where the other side leaves, and what it holds is changed."""

    def forward(self, x):
        if x.mean() <= 0:
            some = [x, self.a(x)]
        else:
            return x, 1
        some.reverse()
        del some[1:]
        some.append(self.b(x))
        y = some[0]
        for linear in (self.a, self.c):
            if y.max() <= 0.7:
                seen = {"y": y}
            else:
                break
            seen["z"] = linear(y)
            y = seen["y"] + seen["z"]
        return y + some[1], len(some)


def scaled_by(factor):
    def scale(x, shift=None):
        return x * factor if shift is None else x * factor + shift

    return scale


def applied(x, function=None, fallback=torch.relu):
    if function is None or function is fallback or not callable(function):
        function = fallback
    return function(x) if function else x


class FunctionsThatAreMade(Base):
    def forward(self, x):
        scale = functools.partial(applied, function=scaled_by(3))
        if x.sum() > 0 and scale is not None and scale != torch.relu:
            return scale(x)
        return applied(applied(x), lambda v: scaled_by(2)(v, shift=x))


class IteratorsOfItertools(Base):
    def forward(self, x):
        for layer in itertools.chain(
            self.layers, (self.c,), itertools.repeat(self.a, 2)
        ):
            x = layer(x) if x.sum() > 0 else x + 1
        for layer in itertools.chain.from_iterable([self.layers, (self.c,)]):
            x = layer(x)
        y = torch.zeros(2, 2)
        for i, j in itertools.product(range(2), repeat=2):
            y[i, j] = x[0, i] * j + x[0, 2]
        parts = [x, x * 2, x + 1]
        for one, other in itertools.combinations(parts, 2):
            x = x + one * other
        for one, other in itertools.zip_longest(parts, parts[1:], fillvalue=1):
            x = x - one * other
        for one, k in zip(itertools.islice(parts, 1, None), range(9), strict=False):
            x = x * k + one
        pairs = tuple(itertools.pairwise(parts))
        return x, y, pairs[1][0], list(itertools.permutations(range(3), 2))[4]

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([self.b, self.a])


PROGRAMS = [
    *(FunctionsThatAreMade, IteratorsOfItertools),
    *(NestedReturns, ReturnsInCalledModules, ReturnsInHelper, BreakAndContinue),
    *(BooleanOperators, Choices, SharedWeights, PlainContainers, Counters),
    *(Collected, StructureByPath, InputsAndWeightsReturned, HostNumbers),
    *(NotANumber, ReturnFromLoop, StaticRecursion, ValuesPassedOn, DeadDecisions),
    *(KeywordsAndDefaults, ShapeDecides, BooleansOnHost, InPlaceOnOwnValues),
    *(ModuleDicts, Child, closure, ListsOfMaps, ListsMadeOnEachSide),
    *(
        ListChangedBeforeAnExit,
        TwoListsChangedOnOneSide,
        ListMadeOfAnother,
        DictBuiltByKeywords,
        ListMadeBesideAnExit,
    ),
]
