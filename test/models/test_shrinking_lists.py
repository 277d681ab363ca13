"""Recursions over trees that are given fewer layers from level to level."""

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.diag import CompileErrors

SIZE = 3


class Node:
    def __init__(self, number, *children):
        self.value = torch.linspace(-1, 1, SIZE) * number
        self.children = list(children)


TREES = (
    Node(1, Node(2), Node(3, Node(4, Node(5, Node(6))))),
    Node(1),
    Node(float("nan"), Node(2), Node(0, Node(-1), Node(1))),
)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(3))

    def forward(self, node):
        return self.run(node, list(self.layers))


class Slices(Layers):
    def run(self, node, layers):
        if not layers:
            return node.value
        h = torch.tanh(layers[0](node.value))
        for child in node.children:
            h = h + self.run(child, layers[1:])
        return h


class FromTheEnd(Slices):
    def run(self, node, layers):
        h = torch.tanh(layers[-1](node.value))
        if len(layers) > 1:
            for child in node.children:
                h = h + self.run(child, layers[:-1])
        return h


class OfModules(Slices):
    def forward(self, node):
        return self.run(node, self.layers)


class Unpacked(Layers):
    def run(self, node, layers):
        if not layers:
            return node.value
        first, *rest = layers
        h = torch.tanh(first(node.value))
        for child in node.children:
            h = h + self.run(child, rest)
        return h


class Chained(Layers):
    def run(self, x, layers):
        if not layers:
            return x
        return self.run(torch.tanh(layers[0](x)), layers[1:])

    def forward(self, node):
        return self.run(node.value, list(self.layers))


@pytest.mark.parametrize("cls", [Slices, FromTheEnd, OfModules, Unpacked, Chained])
def test_the_list_ends_the_recursion(cls):
    model = cls().eval()
    net = dycl.compile(model, (dycl.Tree(TREES[0]),), cache=False)
    with torch.no_grad():
        for run in runs_of(net, ("normal", "host"), dict(model.state_dict())):
            for tree in TREES:
                equal(run(tree), model(tree))


class Rotated(Layers):
    """A list that is as long in each call: another layer at each depth of the tree."""

    def run(self, node, layers):
        h = torch.tanh(layers[0](node.value))
        for child in node.children:
            h = h + self.run(child, layers[1:] + layers[:1])
        return h


class Counted(Layers):
    def run(self, node, seen):
        if node.children:
            seen["forks"] = seen["forks"] + 1
        h = node.value
        for child in node.children:
            h = h + self.run(child, seen)
        return h

    def forward(self, node):
        return self.run(node, {"forks": 0})


@pytest.mark.parametrize("cls", [Rotated, Counted])
def test_no_other_reason_is_given_than_the_list(cls):
    """That the recursion writes to a tensor is not true of these."""
    with pytest.raises(CompileErrors) as refused:
        dycl.compile(cls().eval(), (dycl.Tree(TREES[0]),), cache=False)
    assert "DY307" not in [error.code for error in refused.value.errors]
