"""Nodes whose class has a `__len__`: `len(node)` and their truth are eager's."""

import functools

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.driver.process import deep_recursion

EXAMPLE = (((), ()), ((), ((), ()), (((),),)), (((), ()), ()))
SHAPES = (EXAMPLE, (), ((),), ((), ()), ((((),), ()), ((), ((), ()))))


def vector(seed):
    return torch.linspace(-1, 1, 4) * (seed % 5 - 2) + 0.1 * seed


class Counted:
    def __len__(self):
        return len(self.kids)


class Fork(Counted):
    def __init__(self, value, kids):
        self.value, self.kids = value, kids
        self.next = kids[0] if kids else None


def wrapped(function):
    @functools.wraps(function)
    def of(self):
        return function(self)

    return of


class Decorated:
    def __init__(self, value, kids):
        self.value, self.kids = value, kids
        self.next = kids[-1] if kids else None

    @wrapped
    def __len__(self):
        return len(self.kids)


class Leaf:
    def __init__(self, value):
        self.value = value


def forks(shape, seed=1):
    kids = [forks(inner, 2 * seed + n) for n, inner in enumerate(shape)]
    return Fork(vector(seed), kids)


def decorated(shape, seed=1):
    kids = [decorated(inner, 2 * seed + n) for n, inner in enumerate(shape)]
    return Decorated(vector(seed), kids)


def with_leaves(shape, seed=1):
    if not shape and seed % 2:
        return Leaf(vector(seed))
    kids = [with_leaves(inner, 2 * seed + n) for n, inner in enumerate(shape)]
    return Fork(vector(seed), kids)


class Folded(nn.Module):
    """A leaf is true, and so is a fork that is not empty."""

    def forward(self, node):
        if not node:
            return -node.value
        if isinstance(node, Leaf):
            return node.value * 3
        h = node.value * len(node)
        for kid in node.kids:
            h = torch.tanh(h + self(kid))
        return h


class Asked(nn.Module):
    """A node, or None, in `while`, `or`, `and`, `bool` and `if`."""

    def forward(self, node):
        h, at, count = node.value, node, 0
        while at:
            h = h * 0.5 + at.value
            count = count + len(at)
            at = at.next
        other = at or node
        last = 3 if at is not None and at else 4
        return h, count, last, 1 if bool(node.next) else 2, other.value


@pytest.mark.parametrize(
    ("network", "made"),
    [(Folded, with_leaves), (Asked, forks), (Asked, decorated)],
)
def test_the_length_is_the_truth(network, made):
    model = network().eval()
    net = dycl.compile(model, (dycl.Tree(made(EXAMPLE)),))
    sides = set()
    for shape in SHAPES:
        for run in runs_of(net):
            with deep_recursion():
                equal(run(made(shape)), model(made(shape)))
        net(made(shape))
        sides |= {(decision.line, decision.taken) for decision in net.path}
    lines = {line for line, taken in sides if taken}
    assert lines.intersection(line for line, taken in sides if not taken)


class Measured(nn.Module):
    def forward(self, node):
        return node.value * len(node.next)


def test_none_has_no_length():
    model = Measured().eval()
    net = dycl.compile(model, (dycl.Tree(forks(EXAMPLE)),))
    for run in (*runs_of(net), model):
        with pytest.raises(TypeError, match=r"type 'NoneType' has no len\(\)"):
            run(forks(()))
