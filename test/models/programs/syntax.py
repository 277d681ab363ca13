"""Constructs of Python, one or a few in each program; each decides on its input."""

import typing
from collections import OrderedDict, defaultdict
from dataclasses import dataclass

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("ramp", torch.arange(4.0))
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))


# ---- names that have a value on some paths only


class BoundByTheSamePredicate(Net):
    def forward(self, x):
        p = x.sum() > 0
        if p:
            y = x * 2
        x = x + 1
        if p:
            x = x + y
        q = x.sum().item()
        if q > 1:
            z = self.fc(x)
        x = x * 3
        if q > 1:
            return x + z
        return x


class BoundAfterAnExit(Net):
    def forward(self, x):
        p = bool(x.sum() > 0)
        if p:
            y = self.fc(x)
        x = x + 1
        if not p:
            return x
        return x + y


class GrowsTuple(Net):
    def extended(self, x, state):
        out = (self.fc(x), state)
        before = out
        out += (None,) if self.training else (x, None)
        return (*out, len(before))

    def forward(self, x, state=None):
        y, state, x, none, n = self.extended(x, state)
        if state is not None or none is not None:
            y = y + state[1]
        return y * n if y.sum() > 0 else x


class WalrusInAnd(Net):
    def forward(self, x):
        if (a := x.sum()) > 0 and (b := x.max()) > 1:
            return x * a + b
        if x.sum() > -1 or (c := x.min()) > -2:
            return x - a
        return x - c


# ---- match


class MatchNumbers(Net):
    def forward(self, x):
        k = int(x.abs().sum().item())
        match k:
            case 0:
                return x
            case 1 | 2:
                y = x * 2
            case n if n > 6:
                y = x * n
            case other:
                y = x + other
        return y


class MatchStructures(Net):
    def __init__(self):
        super().__init__()
        self.kind = "wide"

    def forward(self, x):
        match self.kind:
            case "narrow":
                return x
            case "wide" | "very wide" as kind:
                x = x * len(kind)
        match x.shape:
            case [_]:
                return x
            case (rows, columns):
                x = x + rows * columns
        match [x, x * 2, x * 3], {"a": x, "b": 2}:
            case [[first, *rest], {"a": y, "c": _}]:
                return first + y
            case [[first, *rest], {"a": y, **more}]:
                x = first + rest[-1] * y * more["b"]
        match self.fc:
            case nn.Conv2d():
                return x
            case nn.Linear(in_features=4, out_features=n) as layer:
                x = layer(x) * n
        match None:
            case True | 1:
                return x
            case None:
                x = x + 1
        match 2.5:
            case int() | str():
                return x
            case float(number):
                x = x * number
        return x if x.sum() > 0 else -x


@dataclass
class Step:
    kind: str
    value: object


class MatchRecords(Net):
    def forward(self, x):
        step = Step("scale", x * 2) if x.sum() > 0 else Step("skip", x)
        match step:
            case Step("scale", value):
                return value + 1
            case Step(kind="skip", value=value):
                return value


# ---- what is asked of classes


class Kinds(Net):
    def forward(self, x):
        s = x.sum().item()
        outs = (x, s)
        assert isinstance(outs, tuple)
        assert not isinstance(s, (int, str))
        if type(x) is torch.Tensor and type(s) is float and isinstance(outs[1], float):
            x = x + 1
        if isinstance([x], (list, Step)) and type(outs) == tuple:  # noqa: E721
            x = x * 2
        if not isinstance(3, Step):
            x = x - 1
        return x if s > 0 else -x


class Limits(Net):
    def forward(self, x):
        y = x.masked_fill(x > 0, torch.finfo(x.dtype).min)
        z = x * torch.finfo(torch.float32).eps + torch.iinfo(torch.int16).max
        return y.max(), z if x.sum() > 0 else -z


# ---- modules and parameters


class Walks(Net):
    def forward(self, x):
        count = len([m for m in self.modules() if isinstance(m, nn.Linear)])
        for name, child in self.named_children():
            if name == "fc":
                x = child(x)
        for name, module in self.named_modules():
            if name.startswith("blocks."):
                x = module(x)
        for name, tensor in self.named_parameters():
            if name.endswith("bias"):
                x = x + tensor
        for parameter in self.fc.parameters():
            x = x + parameter.sum()
        for _, buffer in self.named_buffers():
            x = x + buffer
        dtype = next(self.parameters()).dtype
        names = ", ".join(n for n, _ in self.blocks.named_children())
        own = sum(p.numel() for p in self.parameters(recurse=False))
        x = x.to(dtype) * count + own
        return (x if x.sum() > 0 else -x), names


# ---- operators of the user's classes


class Value:
    def __init__(self, k):
        self.k = k

    def __add__(self, other):
        return self.k + other

    def __radd__(self, other):
        return other - self.k

    def __rmul__(self, other):
        return other * self.k * 2

    def __eq__(self, other):
        return isinstance(other, Value) and self.k == other.k

    def __lt__(self, other):
        return self.k < other

    def __neg__(self):
        return -self.k

    def __abs__(self):
        return abs(self.k)

    def __getitem__(self, index):
        return self.k * index

    def __hash__(self):
        return 1


class Counter:
    def __init__(self):
        self.count = 0

    def __iadd__(self, other):
        self.count += other
        return self

    def __setitem__(self, key, value):
        self.count = value + key


class Operators(Net):
    def __init__(self):
        super().__init__()
        self.v = Value(2.0)
        self.w = Value(2.0)
        self.counter = Counter()

    def forward(self, x):
        y = self.v + x
        y = y + self.v
        y = 3 + self.v + y * self.v
        y = y + self.v[2] + abs(self.v)
        if self.v == self.w:
            y = y + 1
        if self.v != 3:
            y = y + -self.v
        counter = self.counter
        counter += 2
        counter[1] = counter.count
        if self.v < x.sum() * 4:
            return y, counter.count
        return x, counter.count


def schätze(x, *, größe=1):
    return x * größe


class NamesBeyondAscii(Net):
    """In values, functions, keywords, attributes, keys and kernels."""

    def __init__(self):
        super().__init__()
        self.ψ = nn.Linear(4, 4)
        self.register_buffer("μ", torch.ones(4))
        self.zähler = 0

    def forward(self, x):
        σ = x.std()
        ŷ = schätze(self.ψ(x), größe=2)
        self.zähler += 1
        while ŷ.sum() < 3:
            ŷ = ŷ.abs() + self.μ
        if σ > 1:
            return {"größe": ŷ, "名前": σ, "n": self.zähler}
        return {"größe": x, "名前": σ, "n": self.zähler}


class NamesForASize(Net):
    """The `try` is decided by the number of names for the sizes."""

    def forward(self, x):
        try:
            a, b, c, d = x.size()
        except ValueError:
            a, b = x.size()
            c = d = 1
        try:
            e, *f = x.shape
        except ValueError:
            e = 0
        if x.sum() > 0:
            return x * a * b + e
        return x * c * d - len(f)


class GuardsWhatTorchTakes(Net):
    """No number makes these raise, and of the shapes torch has been asked."""

    def forward(self, x):
        try:
            y = torch.einsum("ij,kj->ik", x, x) + torch.zeros(x.shape[0], x.shape[0])
        except RuntimeError:
            return x
        return y if x.sum() > 0 else -y


class RaisesFrom(Net):
    def forward(self, x):
        try:
            scale = {"a": 2.0}["b"]
        except KeyError as error:
            scale = 3.0
            if x.sum() > 4:
                raise ValueError("too much") from error
        return x * scale


class OrderedDicts(nn.Module):
    """They are read and written as dicts, and returned as what they are."""

    def forward(self, x):
        parts = OrderedDict()
        parts["a"] = x
        parts["b"] = x * 2 if x.sum() > 0 else x - 1
        parts.update(typing.OrderedDict([("c", x + 1)]))
        total = x * 0
        if isinstance(parts, torch.Tensor) or not isinstance(parts, dict):
            return x
        for name, part in parts.items():
            total = total + part * len(name)
        if x.sum() > 0:
            del parts["c"]
            return total, {"inside": parts}
        return parts


class DefaultDicts(nn.Module):
    """What is missing is set by the factory, also on one side."""

    def forward(self, x):
        found, counts = defaultdict(list), defaultdict(int)
        found["a"].append(x)
        for row in x:
            counts["small" if row.numel() < 3 else "large"] += 1
        if x.sum() > 0:
            found["b"].append(x + 1)
            found["a"].append(x * 2)
        return found, counts["none"], dict(counts), sum(found["a"])


class HandsOnOrderedDict(nn.Module):
    def forward(self, x):
        return isinstance(OrderedDict(a=x), dict)


class HandsOnDefaultDict(nn.Module):
    def forward(self, x):
        return isinstance(defaultdict(int), dict)


class OneTextOnAllPaths(nn.Module):
    """A loop is left by several ways, each with a text of its own that is the same."""

    def forward(self, x):
        name = "a"
        for part in (x, x * 2):
            if part.max() > 3:
                break
            if part.min() > 0:
                name = name.lower()
        known = name.startswith("a") and not name.isupper()
        index = 1 if x.sum() > 0 else name.find("a")
        return x * (name.count("a") + known), name.title(), index


PROGRAMS = [
    OneTextOnAllPaths,
    HandsOnOrderedDict,
    HandsOnDefaultDict,
    OrderedDicts,
    DefaultDicts,
    BoundByTheSamePredicate,
    BoundAfterAnExit,
    GrowsTuple,
    WalrusInAnd,
    MatchNumbers,
    MatchStructures,
    MatchRecords,
    Kinds,
    Limits,
    Walks,
    Operators,
    NamesBeyondAscii,
    NamesForASize,
    RaisesFrom,
]


class UnboundAfterAll(Net):
    def forward(self, x):
        if x.sum() > 0:
            y = x * 2
        if x.max() > 0:
            x = x + y
        return x


class Declines(Value):
    def __add__(self, other):
        if isinstance(other, int):
            return self.k
        return NotImplemented


class OperatorDeclines(Net):
    def __init__(self):
        super().__init__()
        self.v = Declines(2.0)

    def forward(self, x):
        return self.v + x


class NamesInOr(Net):
    def forward(self, x):
        match x.shape[0]:
            case (1 as n) | (2 as n):
                return x * n


class UpdatesInTry(nn.Module):
    """What each round of the passes wrote in front of the update was there for ever."""

    def forward(self, x):
        found = {"a": x}
        try:
            found.update(a=x * 2)
        except ValueError:
            x = x + 1
        return x + found["a"]


class SortsInTry(nn.Module):
    def forward(self, x):
        found = [x, x * 2, x * 3]
        try:
            found.sort(key=lambda v: float(v.sum()))
        except ValueError:
            x = x + 1
        return x + found[0]


REFUSED = {
    UpdatesInTry: ("DY107", "this may raise", "found.update(a=x * 2)"),
    SortsInTry: ("DY107", "this may raise", "found.sort(key=lambda v"),
    UnboundAfterAll: ("DY303", "`y` is read here", "x = x + y"),
    OperatorDeclines: ("DY112", "for +: 'Declines' and 'Tensor'", "return self.v + x"),
    NamesInOr: ("DY102", "(1 as n) | (2 as n)", "case (1 as n)"),
}
