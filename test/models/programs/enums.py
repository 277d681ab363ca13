"""Enums: loops over their classes, members by value and by name."""

import enum

import torch
from torch import nn


class Level(enum.Enum):
    HIGH = "h"
    LOW = 1
    MIDDLE = 2.5
    SMALL = 1  # an alias

    def scale(self):
        return len(self.name)


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Shift(enum.Enum):
    UP = (1, 2)
    DOWN = (-1, 0)


class GoneOver(nn.Module):
    """In the order of the definition, without aliases."""

    def forward(self, x):
        for i, level in enumerate(Level):
            if x.sum() > i:
                x = x * (i + 1) + level.scale()
        return x, [level.name for level in Level], len(Level)


class ByValue(nn.Module):
    def __init__(self):
        super().__init__()
        self.level, self.shift = "h", [-1, 0]

    def forward(self, x):
        if x.sum() > 0:
            return x * Level(True).value, Level(self.level) is Level.HIGH
        up, down = Shift(tuple(self.shift)).value
        return x * Number(2) + up - down, Level(Level.SMALL) is Level.LOW


class Chosen(nn.Module):
    def forward(self, x):
        level = list(Level)[1] if x.sum() > 0 else Level(2.5)
        match level:
            case Level.LOW:
                return x * level.value
            case Level.MIDDLE:
                return x - level.value
        return torch.zeros(4)


class Depth(enum.IntEnum):
    SHALLOW = 0
    MIDDLE = 1
    DEEP = 2


class Reach(float, enum.Enum):
    NEAR = 0.25
    FAR = 1.5


class Doubling(enum.IntEnum):
    """Has an operator of its own."""

    ONE = 1

    def __add__(self, other):
        return other * 2


class BesideNumbers(nn.Module):
    """Members are compared with, and added to, numbers that a run knows."""

    def forward(self, x):
        count = int((x > 0).sum().item()) // 2
        if count == Depth.SHALLOW:
            return x, Depth.MIDDLE - count
        if count >= Depth.DEEP:
            return x * 2, Depth.DEEP * count
        return x + Depth.MIDDLE, count + Depth.DEEP


class BesideFloats(nn.Module):
    def forward(self, x):
        largest = x.max().item()
        if largest > Reach.FAR:
            return x, largest - Reach.FAR
        return (x if largest > Reach.NEAR else -x), Doubling.ONE + largest


PROGRAMS = [GoneOver, ByValue, Chosen, BesideNumbers, BesideFloats]


class ByData(nn.Module):
    def forward(self, x):
        return x * Number(int(x[0, 0] > 0) + 1).value


class NoMember(nn.Module):
    def forward(self, x):
        return x * Level(7).value


REFUSED = {
    ByData: (
        "DY201",
        "which member of `Number` this is",
        "Number(int(x[0, 0] > 0) + 1)",
    ),
    NoMember: ("DY201", "no member of `Level`", "Level(7)"),
}
