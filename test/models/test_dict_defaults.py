"""`get` with a default of a dict in a tree, and `is True` of what may be None."""

import pytest
import torch
from torch import nn
from tree_runs import runs_of

import dycl
from dycl.driver.process import deep_recursion


class Parsed(nn.Module):
    def encode(self, tree):
        total = torch.ones(3) * tree.get("word", 3)
        for child in tree.get("children", []):
            total = total + self.encode(child) * tree.get("weight", 0.5)
        if tree.get("kind", "fork") == "fork":
            total = total * 2
        return torch.tanh(total) if tree.get("ends", False) else total

    def forward(self, tree):
        return self.encode(tree)


LEAF = {"word": 2, "kind": "leaf"}
DICTS = (
    {"children": [LEAF, {"word": 0, "ends": True}], "weight": 2.0, "kind": "fork"},
    *(LEAF, {}, {"children": []}, {"ends": False, "children": [{}, LEAF]}),
)


class Node:
    def __init__(self, marked, left=None):
        self.marked, self.left = marked, left


class Marked(nn.Module):
    def encode(self, node):
        if node is None:
            return torch.zeros(3)
        total = self.encode(node.left) * 2
        if node.marked is True:
            return total + 1
        if node.marked is not False:
            return total - 3
        return total

    def forward(self, node):
        return self.encode(node)


NODES = (
    *(Node(None, Node(True, Node(False))), Node(True), Node(False), Node(None)),
    Node(False, Node(None, Node(True))),
)


@pytest.mark.parametrize(("program", "trees"), [(Parsed, DICTS), (Marked, NODES)])
def test_as_in_eager(program, trees):
    model = program().eval()
    net = dycl.compile(model, (dycl.Tree(trees[0]),))
    with deep_recursion():
        for run in runs_of(net):
            for tree in trees:
                torch.testing.assert_close(run(tree), model(tree))
