"""Names that are None until a loop finds a node, and recursions that give a node or
None, as in eager."""

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl

SIZE = 3


class Node:
    def __init__(self, number, *children):
        self.value = torch.linspace(-1, 1, SIZE) * number + 0.1 * number
        self.children = list(children)


TREES = (
    Node(1, Node(2), Node(3, Node(4))),
    Node(1),
    Node(2, Node(-1)),
    Node(-2, Node(-1), Node(2, Node(9)), Node(4)),
    Node(0, Node(float("nan")), Node(3)),
)


class Last(nn.Module):
    def forward(self, node):
        found = None
        for child in node.children:
            found = child
        return node.value if found is None else found.value * 2


class First(nn.Module):
    def forward(self, node):
        found = None
        for child in node.children:
            if child.value.sum() > 0.5:
                found = child
                break
        if found is None:
            return node.value
        return found.value * 2


class Best(nn.Module):
    def forward(self, node):
        best, stack = None, [node]
        while stack:
            at = stack.pop()
            if best is None or at.value.sum() > best.value.sum():
                best = at
            stack.extend(at.children)
        return best.value, best is node


class NoneAgain(nn.Module):
    def forward(self, node):
        last, count = None, 0
        for child in node.children:
            if child.value.sum() > 0.9:
                last = None
            elif last is None:
                last = child
            else:
                count += 1
        return count, last is None, node.value if last is None else last.value


class Found(nn.Module):
    """A recursion that gives a node or None."""

    def find(self, node, least):
        if node.value.sum() > least:
            return node
        for child in node.children:
            found = self.find(child, least)
            if found is not None:
                return found
        return None

    def forward(self, node):
        near, far = self.find(node, 0.5), self.find(node, 1.5)
        if near is None:
            return node.value, 0
        if far is None:
            return near.value, 1
        return torch.tanh(near.value + far.value), 2


@pytest.mark.parametrize("options", [{}, {"batch_trees": True}], ids=["", "batch"])
@pytest.mark.parametrize("cls", [Last, First, Best, NoneAgain, Found])
def test_as_in_eager(cls, options):
    model = cls().eval()
    net = dycl.compile(model, (dycl.Tree(TREES[0]),), cache=False, **options)
    for run in runs_of(net, ("normal", "host")):
        for tree in TREES:
            equal(run(tree), model(tree))


class Missing(Last):
    def forward(self, node):
        found = None
        for child in node.children:
            if child.value.sum() > 0.5:
                found = child
        return found.value


def test_none_that_is_read_raises_as_in_eager():
    model = Missing().eval()
    net = dycl.compile(model, (dycl.Tree(TREES[0]),), cache=False)
    for run in runs_of(net, ("normal", "host")):
        equal(run(TREES[0]), model(TREES[0]))
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
            run(TREES[1])
