"""Dataclasses that are changed after they were made, or do something when they are."""

from dataclasses import InitVar, dataclass, field
from typing import ClassVar

import torch
from torch import nn


@dataclass
class State:
    h: torch.Tensor
    steps: int = 0
    trace: list = field(default_factory=list)
    score: torch.Tensor | None = None

    def bump(self, by):
        self.h = self.h + by
        self.steps += 1


@dataclass(order=True)
class Level:
    major: int
    minor: int


@dataclass
class Scaled:
    x: torch.Tensor
    factor: InitVar[int] = 3
    count: ClassVar[int] = 7
    y: torch.Tensor = field(init=False)
    notes: dict = field(init=False, default_factory=dict)

    def __post_init__(self, factor):
        if self.x.sum() > 8:
            raise ValueError(f"too large for {factor}")
        self.y = self.x * factor
        self.notes["factor"] = factor


@dataclass
class Parent:
    x: torch.Tensor

    def __post_init__(self):
        self.mean = self.x.mean()


@dataclass(slots=True)
class Slotted:
    a: torch.Tensor
    b: int = 2


@dataclass
class Child(Parent):
    y: float = 2.0

    def __post_init__(self):
        super().__post_init__()
        self.x = self.x * self.y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)


class Layer(Net):
    def forward(self, state):
        h = self.fc(state.h)
        if h.sum() > 0:
            state.h = h
        else:
            state.bump(-h)
        state.trace.append(h.mean())
        return state


class Threaded(nn.Module):
    """A state that layers are handed, each of which changes it."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(2)])

    def forward(self, x):
        state = State(x)
        for layer in self.layers:
            state = layer(state)
        return state


class OneSided(Net):
    def forward(self, x):
        state = State(x)
        same = state
        if x.sum() > 0:
            same.score = self.fc(x).sum()
        return (state.h if state.score is None else state.h * state.score), same.steps


class InALoop(Net):
    def forward(self, x):
        state = State(h=x)
        while state.h.abs().sum() > 1 and state.steps < 6:
            state.h = state.h * 0.5
            state.steps += 1
        return state.h, state.steps


class EitherOne(Net):
    def forward(self, x):
        state = State(x) if x.sum() > 0 else State(-x, 5)
        state.steps += 1
        return state


class SetByName(Net):
    """What was read before is what it was before."""

    def forward(self, x):
        state = State(x)
        before = state.h
        for name, value in {"h": x * 2, "steps": 3}.items():
            setattr(state, name, value)
        return (state, before) if x.sum() > 0 else state.h * state.steps + before


class Compared(Net):
    def forward(self, x):
        one, other = Level(1, 2), Level(1, 3)
        one.major = 2 if x.sum() > 0 else 1
        y = x + (1 if one < other else 2) + (10 if one == other else 20)
        return y + (100 if one != Level(2, 2) else 200)


class PostInit(Net):
    def forward(self, x):
        scaled = Scaled(x, factor=4)
        if scaled.y.sum() > 0:
            return scaled, Scaled(x).y * Scaled.count
        return Child(x, y=3.0)


class Records(Net):
    """Of a class that is changed nowhere an instance stays a record in a loop."""

    def forward(self, x):
        level, n = Level(0, 0), 0
        while x.abs().sum() > n and n < 4:
            n += 1
            level = Level(n, level.major)
        slotted = Slotted(x)
        slotted.b = n
        return level, slotted.a * slotted.b


class MadeInALoop(Net):
    def forward(self, x):
        n = 0
        while x.abs().sum() > 1 and n < 5:
            state = State(x)
            state.h = state.h / 2
            x, n = state.h, n + 1
        return x


PROGRAMS = [
    *(Threaded, OneSided, InALoop, EitherOne, SetByName, Compared, Records),
]
RAISING = [PostInit]
REFUSED = {MadeInALoop: ("DY201", "makes a new object in a loop", "State(x)")}
