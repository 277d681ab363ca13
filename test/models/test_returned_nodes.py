"""A node of a tree that `forward` returns is refused."""

import pytest
import torch
from torch import nn

import dycl


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)


class Itself(nn.Module):
    def forward(self, node):
        return node


class Nodes(nn.Module):
    def forward(self, node):
        return node.value, node.children


@pytest.mark.parametrize("make", [Itself, Nodes])
def test_is_refused(make):
    root = Node(torch.ones(4), [Node(torch.zeros(4))])
    with pytest.raises(dycl.CompileError, match="returns a node of a tree"):
        dycl.compile(make().eval(), (dycl.Tree(root),))
