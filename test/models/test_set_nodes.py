"""A network that sets attributes of nodes is refused soon, and once for each line."""

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import CompileErrors


class Node:
    def __init__(self, number, left=None, right=None):
        self.value = torch.linspace(-1, 1, 3) * number
        self.left, self.right, self.depth = left, right, 0


TREE = Node(1, Node(2), Node(3, Node(4), Node(5)))


class Results(nn.Module):
    """Each node keeps what is computed of it: `node.h`, which no node has before."""

    def run(self, node):
        if node is None:
            return
        self.run(node.left)
        self.run(node.right)
        node.h = torch.tanh(node.value)

    def forward(self, node):
        self.run(node)
        return node.value


class Depths(nn.Module):
    def run(self, node, depth):
        node.depth = depth
        if node.left is not None:
            self.run(node.left, depth + 1)
        if node.right is not None:
            self.run(node.right, depth + 1)

    def forward(self, node):
        self.run(node, 0)
        return node.value * node.depth


@pytest.mark.parametrize(("cls", "name"), [(Results, "h"), (Depths, "depth")])
def test_one_error_for_the_line(cls, name):
    with pytest.raises(CompileErrors) as refused:
        dycl.compile(cls().eval(), (dycl.Tree(TREE),), cache=False)
    (error,) = refused.value.errors
    assert error.what.startswith(f"this sets the attribute `{name}` of a node")
    assert error.at is not None
    assert error.at.text() == f"node.{name}"
