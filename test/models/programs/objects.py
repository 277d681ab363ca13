"""Objects made and called as models do it: each decides on its input."""

from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 1)

    def is_open(self, x):
        return self.gate(x).sum() > 0


# ---- dataclasses and named tuples


@dataclass
class Output:
    logits: torch.Tensor
    loss: Any = None
    hidden: list = field(default_factory=list)
    name: str = "out"

    def __getitem__(self, index):
        return self.to_tuple()[index]

    def __len__(self):
        return len(self.to_tuple())

    def to_tuple(self):
        return (self.logits, self.loss) if self.loss is not None else (self.logits,)

    @property
    def best(self):
        return self.logits.argmax(-1)

    @staticmethod
    def of(x):
        return Output(x)


@dataclass(frozen=True, kw_only=True, slots=True)
class Frozen:
    x: torch.Tensor
    scale: float = 2.0


@dataclass
class Wider(Output):
    extra: tuple = (1, 2)


class Pair(NamedTuple):
    first: torch.Tensor
    second: Any = None

    def swapped(self):
        return Pair(self.second, self.first)

    @property
    def total(self):
        return self.first + self.second


Triple = namedtuple("Triple", "a b c", defaults=[3])  # noqa: PYI024


class DataclassOutput(Base):
    def forward(self, x):
        hidden = [x]
        if self.is_open(x):
            hidden.append(self.fc(x))
            return Output(hidden[-1], hidden=hidden)
        return Output(logits=x, loss=x.sum(), name="closed")


class OneDataclassOfBothSides(Base):
    def forward(self, x):
        if self.is_open(x):
            out = Output(self.fc(x), loss=x.sum())
        else:
            out = Output(x * 2, loss=x.mean())
        return out


class Inner(Base):
    def forward(self, x):
        if self.is_open(x):
            return Output(self.fc(x), loss=x.sum())
        return Output(logits=x)


class DataclassOfACalledModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Inner(), Inner()

    def forward(self, x):
        out = self.one(x)
        again = self.two(out.logits)
        if out.loss is not None and again.loss is None:
            again = replace(again, loss=out.loss * 2)
        if len(again) == 2:
            return again[1] + again[0], again.best
        return again.to_tuple()[0], Output.of(x).best


class FrozenKeywordOnly(Base):
    def forward(self, x):
        made = Frozen(x=self.fc(x))
        if self.is_open(x):
            made = Frozen(x=made.x * made.scale, scale=0.5)
        return made


class InheritedDataclass(Base):
    def forward(self, x):
        out = Wider(self.fc(x), extra=(x, None))
        if isinstance(out, Output) and not isinstance(out, (tuple, Pair)):
            return out if self.is_open(x) else out.extra
        return x


class NamedTuples(Base):
    def forward(self, x):
        pair = Pair(x, self.fc(x))
        if self.is_open(x):
            pair = pair.swapped()
        first, second = pair
        if pair[0].sum() > 1:
            return Triple(first, b=pair.total)
        if isinstance(pair, tuple) and len(pair) == 2:
            return Triple(*pair, c=torch.cat(pair))._replace(a=1)
        return second


class NamedTupleOfNamedTuples(Base):
    def forward(self, x):
        pairs = [Pair(x, i) for i in range(2)]
        for i in range(2):
            if self.is_open(pairs[i].first + i):
                pairs[i] = pairs[i]._replace(second=self.fc(x))
            else:
                pairs[i] = Pair(x, x)
        return Pair(pairs[-1], second={"all": tuple(pairs[:2])})


class CarriedThroughALoop(Base):
    def forward(self, x):
        state = Pair(x, torch.zeros(1, 4))
        count = 0
        while state.first.abs().sum() > 1 and count < 5:
            state = Pair(state.first * 0.5, second=state.second + state.first)
            count += 1
            if self.is_open(state.second):
                break
        return state, count


class RecordOrNone(Base):
    def forward(self, x):
        out = None
        if self.is_open(x):
            out = Output(self.fc(x))
        return out if out else x


RECORDS = [
    DataclassOutput,
    OneDataclassOfBothSides,
    DataclassOfACalledModule,
    FrozenKeywordOnly,
    InheritedDataclass,
    NamedTuples,
    NamedTupleOfNamedTuples,
    CarriedThroughALoop,
    RecordOrNone,
]

# ---- what a module holds, and what is asked of it


class ParameterDict(Base):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterDict(
            {"a": nn.Parameter(torch.ones(4)), "b": nn.Parameter(torch.arange(4.0))}
        )

    def forward(self, x):
        if self.is_open(x):
            for key in self.scales:
                x = x + self.scales[key]
        else:
            for key, scale in self.scales.items():
                x = x * scale if key == "b" else x
        return x - self.scales["b"] if "a" in self.scales else x


class ParameterList(Base):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList(nn.Parameter(torch.ones(4) * i) for i in (2, 3))

    def forward(self, x):
        for i, scale in enumerate(self.scales):
            x = x + scale * i
        return x * self.scales[-1] if self.is_open(x) else x * len(self.scales)


class Children(Base):
    def __init__(self):
        super().__init__()
        act = nn.Tanh()
        self.body = nn.Sequential(nn.Linear(4, 4), act, nn.Linear(4, 4), act)

    def forward(self, x):
        for layer in self.body.children():
            x = layer(x)
        if self.is_open(x):
            for name, layer in self.body.named_children():
                if name != "1":
                    x = layer(x)
        return x


class CalledSlices(Base):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))

    def forward(self, x):
        return self.body[1:](x) if self.is_open(x) else self.body[:-1](x)


class KindsOfValues(Base):
    def forward(self, x):
        if type(self.fc) is nn.Linear and callable(self.fc):
            x = x + 0.1
        if isinstance(self.gate, (nn.Conv2d, nn.Linear)):
            x = x + 0.2
        if isinstance(x, (list, torch.Tensor)) and not isinstance(x, nn.Parameter):
            x = x + 0.3
        if x.device.type != "cpu" or x.is_cuda or x.device != torch.device("cpu"):
            x = x * 0
        return x if self.is_open(x) else -x


class Modes(Base):
    def forward(self, x):
        if self.training or torch.jit.is_scripting() or torch.jit.is_tracing():
            x = x * 0
        if torch.is_grad_enabled() or x.requires_grad:
            x = x * 0
        with torch.no_grad():
            y = self.fc(x)
            if self.is_open(y):
                return y
        return x


class Slotted:
    __slots__ = ("by", "limit")

    def __init__(self):
        self.by, self.limit = 2.0, 0

    def __bool__(self):
        return self.limit > 0

    def __getattr__(self, name):
        if name == "extra":
            return 7
        raise AttributeError(name)

    def scale(self, x):
        return x * self.by


class PlainObject(Base):
    def __init__(self):
        super().__init__()
        self.rule = Slotted()

    def forward(self, x):
        if self.rule:
            return x * 0
        return self.rule.scale(x) if self.is_open(x) else x + self.rule.extra


ASKED = [
    ParameterDict,
    ParameterList,
    Children,
    CalledSlices,
    KindsOfValues,
    Modes,
    PlainObject,
]

PROGRAMS = [*RECORDS, *ASKED]
