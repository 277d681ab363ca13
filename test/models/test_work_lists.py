"""Loops over a list of nodes that are still to be visited, beside a recursion."""

import random

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import CompileErrors
from test.models.tree_runs import equal, runs_of


class Node:
    def __init__(self, value, children):
        self.value, self.children = value, children


class Stack(nn.Module):
    """What is a node only the list says: the recursion is kept before it is known."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def encode(self, node):
        h = node.value
        for child in node.children:
            h = h + self.encode(child)
        return torch.tanh(self.step(h))

    def forward(self, root):
        todo, h, visited = [root], torch.zeros(4), 0
        while todo:
            node = todo.pop()
            visited = visited + 1
            h = torch.tanh(self.step(h) + node.value)
            if h.sum() > 0:
                h = h * self.encode(node)
            todo.extend(node.children)
        return h, visited


class Handed(Stack):
    """The recursion is given a tensor and a depth as well, and the loop is left."""

    def encode(self, node, above, depth):
        h = torch.tanh(self.step(above) + node.value * depth)
        for child in node.children:
            h = h + self.encode(child, h, depth + 1)
        return h

    def forward(self, root):
        todo, h = [root], torch.zeros(4)
        while todo:
            node = todo.pop(0)
            h = torch.tanh(self.encode(node, h, 0))
            if h.sum() > 1:
                break
            for child in node.children:
                todo.append(child)
        return h, len(todo)


class Lists(Stack):
    """The recursion is given lists of nodes."""

    def encode(self, nodes):
        h = torch.zeros(4)
        for node in nodes:
            h = h + torch.tanh(self.step(node.value + self.encode(node.children)))
        return h

    def forward(self, root):
        todo, h = [root], torch.zeros(4)
        while todo:
            node = todo.pop()
            h = torch.tanh(self.step(h) + self.encode(node.children))
            todo.extend(node.children)
        return h, 0


class Mixed(Stack):
    """Inside of itself the recursion is given a number."""

    def encode(self, node):
        if not isinstance(node, Node):
            return torch.zeros(4)
        h = node.value
        for child in node.children:
            h = h + self.encode(len(child.children))
        return h


def tree(rng, count):
    children = []
    count -= 1
    while count > 0:
        size = rng.randrange(1, count + 1)
        children.append(tree(rng, size))
        count -= size
    return Node(torch.randn(4), children)


@pytest.mark.parametrize("made", [Stack, Handed, Lists])
def test_a_list_of_nodes_beside_a_recursion(made):
    torch.manual_seed(0)
    rng = random.Random(1)
    model = made().eval()
    trees = [tree(rng, count) for count in (9, 1, 2, 20, 40)]
    net = dycl.compile(model, (dycl.Tree(trees[0]),))
    runs = runs_of(net, weights=dict(model.state_dict()))
    for root in trees:
        with torch.no_grad():
            wanted = model(root)
        for run in runs:
            equal(run(root), wanted)


def test_what_a_recursion_is_given_for_a_node_is_one():
    model, root = Mixed().eval(), Node(torch.zeros(4), [Node(torch.ones(4), [])])
    with pytest.raises(CompileErrors, match="another call of this recursion is given"):
        dycl.compile(model, (dycl.Tree(root),))
