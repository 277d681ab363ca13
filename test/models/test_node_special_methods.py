"""`for c in node`, `node[i]` and `x in node` by methods of the class, as in eager."""

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.driver.process import deep_recursion

SIZE = 4


class Node:
    def __init__(self, number, *children):
        self.number = number
        self.value = torch.linspace(-1, 1, SIZE) * (number % 5 - 2) + 0.1 * number
        self.children = list(children)

    def __iter__(self):
        return iter(self.children)

    def __getitem__(self, place):
        return self.children[-1 - place]

    def __contains__(self, number):
        return self.number == number


class Leaf(Node):
    """Holds no number."""

    def __contains__(self, number):
        return False


class Rest:
    """A list of items, which ends in None."""

    def __init__(self, number, rest=None):
        self.number, self.rest = number, rest

    def __iter__(self):
        yield self.number
        yield self.number + 1


TREES = (
    Node(1, Node(2, Leaf(3)), Leaf(4), Node(2, Leaf(5), Leaf(2))),
    Leaf(1),
    Node(2),
    Node(3, Leaf(2), Node(2, Node(2))),
)


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(SIZE, SIZE)

    def node(self, node):
        h = self.fc(node.value)
        for child in node:
            h = h + self.node(child)
        if 2 in node:
            h = -h
        if 3 not in node:
            h = h * 2
        return torch.tanh(h)

    def forward(self, root):
        return self.node(root)


class Last(nn.Module):
    def forward(self, root):
        return root.value - root[0].value * root[1].number


class Twice(nn.Module):
    def forward(self, item):
        total = 0
        for number in item.rest:
            total = total + number
        return total


def as_in_eager(model, trees):
    net = dycl.compile(model, (dycl.Tree(trees[0]),))
    runs = runs_of(net, weights=dict(model.state_dict()))
    for tree in trees:
        try:
            with torch.no_grad():
                eager = model(tree)
        except (IndexError, TypeError) as error:
            for run in runs:
                with pytest.raises(type(error)):
                    run(tree)
            continue
        with deep_recursion():
            for run in runs:
                equal(run(tree), eager)


def test_children_and_numbers():
    torch.manual_seed(1)
    as_in_eager(Sum().eval(), TREES)


def test_a_place_and_one_that_is_not_there():
    as_in_eager(Last().eval(), TREES)


def test_none_is_not_iterable():
    as_in_eager(Twice().eval(), (Rest(1, Rest(2)), Rest(3, Rest(4)), Rest(5)))
