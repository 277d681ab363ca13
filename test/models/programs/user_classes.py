"""Classes of the user's whose methods Python's own syntax calls."""

import enum
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import nn


class Ranked(NamedTuple):
    """Has operators of its own in the place of a tuple's."""

    score: int
    weight: float = 2.0

    def __eq__(self, other):
        return self.score == other.score

    def __lt__(self, other):
        return self.weight > other.weight

    def __bool__(self):
        return self.score > 2

    def __contains__(self, value):
        return value == "zz"

    def __mul__(self, factor):
        return Ranked(self.score * factor, self.weight)

    def __neg__(self):
        return Ranked(-self.score, self.weight)

    __hash__ = None


class Shown(NamedTuple):
    """Has items of its own in the place of a tuple's."""

    value: torch.Tensor
    factor: float = 2.0

    def __iter__(self):
        return iter((self.factor, self.value, 1))

    def __len__(self):
        return 7

    def __getitem__(self, index):
        return 5.0 + index


class ComparesConstantTuples(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2 if Ranked(1, 2.0) == Ranked(1, 3.0) else x * 3
        y = x + 1 if Ranked(1, 2.0) < Ranked(1, 3.0) else x + 2
        y = y + (10 if Ranked(1) else 20) + (100 if "zz" in Ranked(1) else 200)
        return y * (Ranked(3) * 3).score + (1 if 1 in Ranked(1) else 2)


class ComparesTuples(nn.Module):
    def forward(self, x):
        mine, other = Ranked(int(x.sum()), 1.0), Ranked(2, 2.0)
        if mine == other:
            return x * 2
        if mine < other:
            return x * 3
        if not mine:
            return x * 4
        return (-mine).score


class GoesOverTuples(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            a, b, c = Shown(x)
            return a * b + c + len(Shown(x))
        return list(Shown(x)), Shown(x)[1] * x


@dataclass(order=True)
class Ordered:
    rank: int
    note: str = field(default="", compare=False)
    size: float = 0.0


@dataclass
class Half:
    left: torch.Tensor
    right: torch.Tensor
    steps: int = 0

    def __iter__(self):
        return iter((self.left, self.right))

    def __call__(self, x):
        return self.left * x

    def __add__(self, other):
        return Half(
            self.left + other.left, self.right + other.right, self.steps + other.steps
        )


class ComparesDataclasses(nn.Module):
    def forward(self, x):
        mine, other = Ordered(int(x.sum()), "a", 1.0), Ordered(1, "b", 1.0)
        if mine == other:
            return x * 2
        if mine < Ordered(2, "", 2.0):
            return x
        return x - 1 if mine != Ordered(3, "", 1.0) else x - 2


class TakesDataclassesApart(nn.Module):
    def forward(self, x):
        half = Half(x, x + 1, 1)
        if x.sum() > 0:
            left, right = half + half
            return left * right + (half + half).steps
        return half(x)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Mode(enum.Enum):
    FAST = "f"
    EXACT = "e"
    SLOW = "e"  # another name of EXACT


class EnumsByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = "SLOW"

    def forward(self, x):
        if x.sum() > 0:
            return x * Level["HIGH"]
        if Mode[self.mode] is Mode.EXACT:
            return x + Level["LOW"].value, Mode["FAST"].name
        return x


class Parts(enum.Flag):
    LEFT = enum.auto()
    RIGHT = enum.auto()


class InFlags(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = Parts.LEFT

    def forward(self, x):
        return x * 2 if Parts.LEFT in self.parts else x


class Raised(nn.Module):
    """Has a `__call__` of its own around torch's, which calls `forward`."""

    def forward(self, x, scale=2.0):
        return x * scale if x.sum() > 0 else x

    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs) + 1


class RaisedTwice(Raised):
    def forward(self, x, scale=3.0):
        return super().forward(x, scale) - 5

    def __call__(self, x):
        return super().__call__(x, scale=4.0) * 2


class CallsTorchsCall(nn.Module):
    def __init__(self):
        super().__init__()
        self.raised = Raised()
        self.twice = RaisedTwice()

    def forward(self, x):
        return self.raised(x), self.raised(x, scale=7.0), self.twice(x)


class CallsTorchsCallWithHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.raised = Raised()
        self.raised.register_forward_hook(lambda module, args, result: result * 7)

    def forward(self, x):
        return self.raised(x)


PROGRAMS = [
    CallsTorchsCall,
    EnumsByName,
    ComparesConstantTuples,
    ComparesTuples,
    GoesOverTuples,
    ComparesDataclasses,
    TakesDataclassesApart,
]
REFUSED = {
    InFlags: ("DY301", "`in` of an object of", "Parts.LEFT in self.parts"),
    CallsTorchsCallWithHooks: ("DY119", "`super().__call__`", "super().__call__("),
}
