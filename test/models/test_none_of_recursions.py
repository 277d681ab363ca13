"""Recursions that give None on one path and something on another, as in eager."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.driver.process import deep_recursion

SIZE = 4


class Node:
    def __init__(self, number, left=None, right=None):
        self.number = number
        self.value = torch.linspace(-1, 1, SIZE) * (number % 5 - 2) + 0.1 * number
        self.left, self.right = left, right


TREES = (
    Node(7, Node(2, Node(1), Node(3, Node(4), None)), Node(5, None, Node(6))),
    Node(1),
    Node(2, Node(3)),
    Node(2, None, Node(4, Node(9), Node(1, Node(3), None))),
    Node(float("nan"), Node(2), Node(float("nan"))),
    None,
)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.left = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE)

    def forward(self, root):
        return self.visit(root)


class Sides(Network):
    def visit(self, node):
        if node is None:
            return None
        h, left, right = self.fc(node.value), self.visit(node.left), None
        if left is not None:
            h = h + self.left(left)
        right = self.visit(node.right)
        if right is None:
            return torch.tanh(h)
        return torch.tanh(h - right.relu())


class Falls(Network):
    """A function that ends without a `return` gives None."""

    def visit(self, node):  # noqa: RET503
        if node is not None:
            found = [self.visit(node.left), self.visit(node.right)]
            found = [one for one in found if one is not None]
            h = self.fc(node.value)
            return torch.tanh(h + torch.stack(found).sum(0)) if found else h


class Pairs(Network):
    def visit(self, node):
        if node is None:
            return None
        h = c = self.fc(node.value)
        state = self.visit(node.left)
        if state is not None:
            h, c = h + state[0], c * state[1]
        state = self.visit(node.right)
        if state is not None:
            first, second = state
            h, c = h - first, c + second
        return torch.tanh(h), c


@dataclass
class State:
    h: torch.Tensor
    size: int


class Records(Network):
    def visit(self, node):
        if node is None:
            return None
        left, right = self.visit(node.left), self.visit(node.right)
        h, size = self.fc(node.value), 1
        if left is not None:
            h, size = h + left.h, size + left.size
        if right is not None:
            h, size = h * right.h, size + right.size
        return State(torch.tanh(h), size)

    def forward(self, root):
        state = self.visit(root)
        return None if state is None else (state.h, state.size)


class Search(Network):
    """What the first call gives is given on, be it None."""

    def visit(self, node):
        if node is None:
            return None
        h = self.fc(node.value)
        if h.sum() > 0.5:
            return h
        found = self.visit(node.left)
        if found is not None:
            return found
        return self.visit(node.right)

    def forward(self, root):
        found = self.visit(root)
        return torch.zeros(SIZE) if found is None else found * 2


class Largest(Network):
    """Numbers, NaN among them."""

    def visit(self, node):
        if node is None:
            return None
        best = node.number + 0.5
        for child in (node.left, node.right):
            other = self.visit(child)
            if other is not None and other > best:
                best = other
        return best


class Children(Network):
    """In a loop over a list of the run."""

    def visit(self, node):
        if node is None or node.number == 3:
            return None
        h, kids = self.fc(node.value), []
        kids.append(node.left)
        if node.right is not None:
            kids.append(node.right)
        for kid in kids:
            got = self.visit(kid)
            if got is not None:
                h = torch.tanh(h + got)
        return h


PROGRAMS = (Sides, Falls, Pairs, Records, Search, Largest, Children)


def floats(tree):
    """Trees whose numbers are all of one kind."""
    if tree is None:
        return None
    return Node(float(tree.number), floats(tree.left), floats(tree.right))


@pytest.mark.parametrize("network", PROGRAMS, ids=lambda one: one.__name__)
def test_as_in_eager(network):
    torch.manual_seed(1)
    model = network().eval()
    net = dycl.compile(model, (dycl.Tree(floats(TREES[0])),))
    for tree in map(floats, TREES):
        with torch.no_grad():
            eager = model(tree)
        with deep_recursion():
            for run in runs_of(net, weights=dict(model.state_dict())):
                given = run(tree)
                if isinstance(eager, float):
                    assert given == eager or (given != given and eager != eager)
                else:
                    equal(given, eager)


@dataclass
class Number:
    value: float


@dataclass
class Sum:
    left: object
    right: object


@dataclass
class Minus:
    of: object


class Matched(nn.Module):
    """A `match` of all classes has a path that gives None: for None."""

    def visit(self, node):
        match node:
            case Sum(Number(one), Number(other)):
                return torch.ones(SIZE) * (one + other)
            case Sum(left=one, right=other):
                return torch.tanh(
                    torch.stack([self.visit(one), self.visit(other)])
                ).sum(0)
            case Minus(Minus(inner)):
                return self.visit(inner)
            case Minus() as minus:
                return -self.visit(minus.of)
            case Number(value) if value > 1:
                return torch.ones(SIZE) * value
            case Number():
                return torch.zeros(SIZE)

    def forward(self, root):
        return self.visit(root)


MATCHED = (
    Sum(
        Minus(Sum(Number(1.0), Number(2.0))),
        Sum(Minus(Minus(Number(3.0))), Number(0.0)),
    ),
    Number(2.0),
    Minus(Number(2.0)),
    Sum(Number(0.5), Minus(Number(4.0))),
)


def test_a_match_of_all_classes():
    model = Matched().eval()
    net = dycl.compile(model, (dycl.Tree(MATCHED[0]),))
    for tree in MATCHED:
        for run in runs_of(net):
            equal(run(tree), model(tree))


def test_none_of_a_call_raises_where_it_is_computed_with():
    model = Matched().eval()
    net = dycl.compile(model, (dycl.Tree(MATCHED[0]),))
    with pytest.raises(TypeError):
        model(Minus(None))
    for run in runs_of(net):
        with pytest.raises(TypeError):
            run(Minus(None))


class Tagged(nn.Module):
    """Tagged tuples without a last `case _`: other tags give None, to a module too."""

    def __init__(self):
        super().__init__()
        self.words, self.turn = nn.Embedding(5, SIZE), nn.Linear(SIZE, SIZE)

    def visit(self, tree):
        match tree:
            case ("word", number):
                return self.words.weight[number]
            case ("turn", inner):
                return self.turn(self.visit(inner))
            case ("twice", inner):
                return torch.cat([self.visit(inner), self.visit(inner)])[:SIZE]

    def forward(self, tree):
        return self.visit(tree)


TAGGED = (
    ("turn", ("twice", ("turn", ("word", 3)))),
    ("word", 2),
    ("twice", ("word", 1)),
)


def test_what_may_be_none_is_given_to_a_module():
    model = Tagged().eval()
    net = dycl.compile(model, (dycl.Tree(TAGGED[0]),))
    runs = runs_of(net, weights=dict(model.state_dict()))
    for tree in TAGGED:
        for run in runs:
            with torch.no_grad():
                equal(run(tree), model(tree))
    for run in (model, *runs):
        with pytest.raises(TypeError, match="NoneType"):
            run(("turn", ("other", ("word", 3))))
