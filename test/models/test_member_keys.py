"""Members of `IntEnum` and `StrEnum` as keys of a dict that `forward` builds.

A member and its number are one key: the first stays, the last value counts.
"""

import enum

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Kind(enum.StrEnum):
    LEAF = "leaf"


class Plain(enum.Enum):
    ONE = 1


def stored(a, b):
    d = {}
    d[Level.LOW] = a
    d[1] = b
    return len(d), d[1], d[Level.LOW], *d.values()


def displayed(a, b):
    d = {1.0: a, Level.LOW: b, Level.HIGH: a, 2: a + b}
    members = Level.HIGH in d, 2 in d, 3 in d
    got = d.get(2), d.get(Level.HIGH), d.get(True), d.get(3, b)
    return len(d), *members, *got


def taken_out(a, b):
    d = {1: a, Level.HIGH: b, "leaf": a}
    first = d.pop(2)
    del d[Level.LOW]
    d[2] = a * 3
    return len(d), first, d.pop(Level.HIGH, a), d.pop(Level.HIGH, b), d[Kind.LEAF]


def joined(a, b):
    d = {"leaf": a, 2: b}
    now = d.setdefault(Kind.LEAF, b)
    d.update({Kind.LEAF: a + 1})
    d |= {Level.HIGH: a}
    both = d | {Level.LOW: b, 1: a}
    return len(d), now, d["leaf"], d[2], len(both), both[1], *d


def in_tuples(a, b):
    d = {(Level.LOW, 2): a}
    d[1, Level.HIGH] = b
    return len(d), d[1, 2], d[Level.LOW, Level.HIGH]


def of_constants(a, b):
    d = {Level.LOW: 1.5, 1: 2.5, 3: 0.5}
    return len(d), a * d[1], b * d[Level.LOW]


def chosen(a, b):
    d = {1: a, 2: b}
    key = Level.LOW if a.sum() > 0 else Level.HIGH
    d[key] = a + b
    return len(d), d[key], d[1], d[2]


def on_one_side(a, b):
    d = {Level.LOW: a}
    if a.sum() > 0:
        d[1] = b
    return len(d), d[Level.LOW], d[1]


def in_loop(a, b):
    d = {Level.LOW: a}
    while d[1].sum() < 5:
        d[1] = d[Level.LOW] + 1
    return len(d), d[1]


def apart(a, b):
    d = {Plain.ONE: a}
    d[1] = b
    return len(d), d[1], d[Plain.ONE]


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, a, b):
        return self.function(a, b)


FUNCTIONS = (stored, displayed, taken_out, joined, in_tuples, of_constants, chosen)
FUNCTIONS = (*FUNCTIONS, on_one_side, in_loop, apart)


@pytest.mark.parametrize("host", ["native", "python"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_equals_eager(function, host):
    model, ones = Model(function).eval(), torch.ones(3)
    net = dycl.compile(model, (ones, ones * 4), host=host)
    module = Parser(new_context(), net.stages["hcfg"]).parse_module()
    for a in (ones, -ones):
        expected = model(a, ones * 4)
        with deep_recursion():
            interpreted = Interpreter(module, {}).run([a, ones * 4]).value
        for result in (net(a, ones * 4), interpreted):
            assert len(result) == len(expected)
            assert all(map(same, result, expected))


def same(result, expected):
    if isinstance(expected, torch.Tensor):
        return torch.equal(torch.as_tensor(result), expected)
    return result == expected and isinstance(result, type(expected))
