"""Generators that call themselves until the data ends it are refused; lists are not."""

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.diag import CompileErrors


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)


ROOT = Node(
    torch.ones(4),
    [Node(torch.arange(4.0), [Node(-torch.ones(4))]), Node(torch.zeros(4))],
)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, root):
        h = torch.zeros(4)
        for value, depth in self.walk(root, 0):
            h = torch.tanh(self.fc(h) + value * depth)
        return h


class Delegating(Network):
    def walk(self, node, depth):
        yield node.value, depth
        for child in node.children:
            yield from self.walk(child, depth + 1)


class Looping(Network):
    """Of each body there would be two copies in the next one."""

    def walk(self, node, depth):
        for child in node.children:
            for pair in self.walk(child, depth + 1):  # noqa: UP028
                yield pair
        yield node.value, depth


class Summed(Network):
    """What is made of its items is no fault of its own."""

    def leaves(self, node):
        if not node.children:
            yield node.value
        else:
            yield from self.leaves(node.children[0])
            yield from self.leaves(node.children[-1])

    def forward(self, root):
        return torch.stack([sum(self.leaves(child)) for child in root.children])


class Filled(Network):
    """What the message says to write."""

    def walk(self, node, depth, found, depths):
        for child in node.children:
            self.walk(child, depth + 1, found, depths)
        found.append(node.value)
        depths.append(depth)

    def forward(self, root):
        found, depths, h = [], [], torch.zeros(4)
        self.walk(root, 0, found, depths)
        for value, depth in zip(found, depths):  # noqa: B905
            h = torch.tanh(self.fc(h) + value * depth)
        return h


@pytest.mark.parametrize("made", [Delegating, Looping, Summed])
def test_the_recursion_is_named_alone(made):
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(made().eval(), (dycl.Tree(ROOT),))
    (error,) = caught.value.errors
    assert error.code == "DY203"
    assert "it yields" in error.what
    assert "found.append(x)" in error.hint


def test_a_list_that_is_handed_down():
    model = Filled().eval()
    net = dycl.compile(model, (dycl.Tree(ROOT),))
    runs = runs_of(net, weights=dict(model.state_dict()))
    for root in (ROOT, *ROOT.children):
        for run in runs:
            with torch.no_grad():
                equal(run(root), model(root))
