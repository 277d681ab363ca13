"""What every program starts with: imports, and a base class with layers."""

PRELUDE = """\
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn


class Pair(NamedTuple):
    t: object
    n: int = 1

    def both(self):
        return self.t * 0.5 + self.n


@dataclass
class Box:
    t: object
    n: int = 0
    tag: str = "k"

    def halved(self):
        return Box(self.t * 0.5, self.n // 2, self.tag)


class Block(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.scale = scale

    def forward(self, x):
        y = self.lin(x)
        if self.scale > 0.5:
            return torch.tanh(y) + x
        return y * self.scale


class Base(nn.Module):
    CAP = 1.5

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.gate, self.wide = nn.Linear(4, 1), nn.Linear(4, 8)
        self.tail = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.blocks = nn.ModuleList([Block(0.25), Block(0.75)])
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.heads = nn.ModuleDict({"up": nn.Linear(4, 4), "down": nn.ReLU()})
        self.rate, self.limit, self.flag = 0.75, 2, True
        self.order = (2, 0, 1)
        self.calls, self.total, self.kept, self.seen = 0, 0.5, None, []
        self.register_buffer("last", torch.ones(1, 4))

    @property
    def scale(self):
        return self.rate * 0.5 if self.flag else 2.0

    @staticmethod
    def larger(one, other):
        return one if one.sum() - other.sum() > 0.0137 else other

    @classmethod
    def bound(cls, x):
        if x.abs().max() > cls.CAP:
            return x.clamp(-cls.CAP, cls.CAP)
        return x

    def mix(self, one, other, *, by=0.25):
        return one * by + other * (1 - by)

    def blend(self, first, *rest, bias=None):
        for t in rest:
            first = first * 0.5 + t
        return first if bias is None else first + bias
"""

_SEEN = "        self.calls, self.total, self.kept, self.seen = 0, 0.5, None, []\n"
_MORE = '        self.mode, self.pair = "p", (torch.zeros(1, 4), 0)\n'
NEWER_PRELUDE = PRELUDE.replace(_SEEN, _SEEN + _MORE)
"""With the state that `newer` sets."""
