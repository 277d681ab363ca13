"""Fields of a tree's nodes that are None in some of them, handed on: as in eager."""

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.driver.process import deep_recursion


class Node:
    def __init__(self, value=None, name=None, count=None, children=()):
        self.value, self.name, self.count = value, name, count
        self.children = list(children)
        self.first = self.children[0] if len(self.children) > 2 else None
        self.last = self.children[-1] if self.children else None


LEAF = Node(torch.arange(4.0), "a", 3)
BARE = Node(torch.ones(4))
FORK = Node(None, "fork", None, [LEAF, BARE, LEAF])
ROOT = Node(None, None, 2, [FORK, BARE])
TREES = (ROOT, FORK, LEAF, BARE)


class Returned(nn.Module):
    def forward(self, node):
        return node.name


class ReturnedTensor(nn.Module):
    def forward(self, node):
        return node.value


class InTuple(nn.Module):
    def forward(self, node):
        if node.children:
            return node.count, node.children[0].name
        return node.count, node.value


class Default(nn.Module):
    def forward(self, node):
        name = node.name
        if name is None:
            name = "none"
        return torch.ones(4) * (node.count or 7), name


class Written(nn.Module):
    def forward(self, node):
        return f"<{node.name}>", str(node.name), repr(node.name)


class LookedUp(nn.Module):
    def forward(self, node):
        number = {"a": 1, "fork": 2}.get(node.name, 5)
        return torch.ones(4) * number


class Cell(nn.Module):
    def forward(self, value, count=None):
        if value is None:
            value = torch.zeros(4)
        return torch.tanh(value) + (4 if count is None else count)


class OfArguments(nn.Module):
    """A module and a method of the user's, which ask whether arguments are None."""

    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def size(self, count=None):
        if count is None:
            count = 5
        return count

    def forward(self, node):
        x = self.cell(node.value, node.count) * self.size(node.count)
        for child in node.children:
            x = x + self.forward(child)
        return x


class InTuples(nn.Module):
    """Nodes, of which some are None, in what is compared."""

    def forward(self, node):
        pair = (node.first, node.last)
        both = pair == (None, None), pair != (None, None), None in pair
        nested = ((node.last, 1), "a") == ((None, 1), "a"), [node.last] == [None]
        several = (node.first, 2) in [(None, 2), (None, 3)], None not in [node.last]
        fields = (node.name, node.count) == ("a", 3), (node.count, 1) != (None, 1)
        either = node.name in [node.name, "b"], "fork" in (node.name, "b")
        holds = None in (node.count, node.last), (node.name, 1) in (("a", 1), (None, 1))
        is_object = isinstance(node.first, object)
        return *both, *nested, *several, *fields, *either, *holds, is_object


PROGRAMS = (
    *(Returned, ReturnedTensor, InTuple, Default, Written, LookedUp, OfArguments),
    InTuples,
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_none_is_what_it_is_in_eager(program):
    model = program().eval()
    net = dycl.compile(model, (dycl.Tree(ROOT),))
    levels, weights = ("normal", "hcfg", "host"), dict(model.state_dict())
    with deep_recursion():
        for run in runs_of(net, levels, weights):
            for tree in TREES:
                equal(run(tree), model(tree))


class Recursion(nn.Module):
    def total(self, node, count):
        x = torch.ones(4) * (5 if count is None else count)
        for child in node.children:
            x = x + self.total(child, node.count)
        return x

    def forward(self, node):
        return self.total(node, node.count)


def test_a_recursion_that_is_given_none_as_well_as_a_number():
    with pytest.raises(dycl.CompileError, match="a Python int for `count`, this one"):
        dycl.compile(Recursion().eval(), (dycl.Tree(ROOT),))


class Found(nn.Module):
    def forward(self, node):
        return torch.ones(4) * (node.first, node.last).index(None)


class AsKeys(nn.Module):
    def forward(self, node):
        return torch.ones(4) * len({node.first: 1, node.last: 2})


class AsKeysInTuples(nn.Module):
    def forward(self, node):
        return torch.ones(4) * len({(node.first, 1): 1, (node.last, 1): 2})


def test_which_node_is_equal_is_not_guessed():
    with pytest.raises(dycl.CompileError, match="DY301"):
        dycl.compile(Found().eval(), (dycl.Tree(ROOT),))


@pytest.mark.parametrize("program", [AsKeys, AsKeysInTuples])
def test_keys_are_the_nodes_themselves(program):
    model = program().eval()
    net = dycl.compile(model, (dycl.Tree(ROOT),))
    for run in runs_of(net):
        for tree in TREES:
            equal(run(tree), model(tree))
