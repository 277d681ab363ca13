"""Nodes, and what `id` gives of them, as keys of dicts and sets, equal eager."""

import importlib.util
import random
import sys
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.diag import CompileError
from dycl.driver.process import deep_recursion

_PATH = Path(__file__).parent / "programs" / "graph_keys.py"
_SPEC = importlib.util.spec_from_file_location("dycl_test_graph_keys", _PATH)
programs = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = programs
_SPEC.loader.exec_module(programs)


def vector(number):
    return torch.linspace(-1, 1, programs.SIZE) * (number % 5 - 2) + 0.1 * number


def graph(seed, count):
    """Each node leads to some of those before it: several lead to one."""
    drawn, nodes = random.Random(seed), []
    for number in range(count):
        children = drawn.sample(nodes, drawn.randrange(min(len(nodes), 3) + 1))
        nodes.append(programs.Node(vector(number), children))
    return programs.Node(vector(count), nodes[-3:])


LEAF = programs.Node(vector(3))
EQUAL = programs.Node(vector(1), [programs.Node(vector(3)), programs.Node(vector(3))])
GRAPHS = (
    graph(1, 6),
    programs.Node(vector(1)),
    programs.Node(vector(1), [LEAF, LEAF]),
    EQUAL,  # two nodes that hold the same are two
    graph(2, 9),
    graph(3, 12),
)


@cache
def compiled(network):
    torch.manual_seed(1)
    model = network().eval()
    net = dycl.compile(model, (dycl.Tree(GRAPHS[0]),))
    return model, runs_of(net, weights=dict(model.state_dict()))


@pytest.mark.parametrize("network", programs.PROGRAMS, ids=lambda one: one.__name__)
def test_as_in_eager(network):
    model, runs = compiled(network)
    for tree in GRAPHS:
        with torch.no_grad():
            eager = model(tree)
        with deep_recursion():
            for run in runs:
                equal(run(tree), eager)


class Missing(programs.Network):
    def forward(self, root):
        states = {child: self.fc(child.value) for child in root.children}
        return states[root.children[0] if root.children else root]


def test_what_is_not_there_raises_as_in_eager():
    _, runs = compiled(Missing)
    for run in runs:
        with pytest.raises(KeyError):
            run(GRAPHS[1])


class Returned(programs.Network):
    def forward(self, root):
        return id(root)


class Computed(programs.Network):
    def forward(self, root):
        return self.fc(root.value) * (id(root) % 7)


class Mixed(programs.Network):
    """An entry under `id(node)` is none under the node."""

    def forward(self, root):
        known = {}
        for child in root.children:
            known[id(child)] = self.fc(child.value)
        return root in known


class NoNode(programs.Network):
    """What `id` gave is no node."""

    def forward(self, root):
        known, h = {}, torch.zeros(programs.SIZE)
        for child in root.children:
            known[id(child)] = self.fc(child.value)
        for key in known:
            h = h + key.value
        return h


@pytest.mark.parametrize("network", [Returned, Computed, Mixed, NoNode])
def test_nothing_else_is_made_of_an_identity(network):
    with pytest.raises(CompileError) as raised:
        compiled(network)
    assert raised.value.code == "DY301"


class Tuples(nn.Module):
    def forward(self, tree):
        known = {}
        for child in tree:
            known[child] = 1.0
        return torch.ones(2) * len(known)


def test_what_is_equal_by_what_it_holds_is_no_key():
    tree = dycl.Tree(((1, 2), (1, 2), ()))
    with pytest.raises(CompileError):
        dycl.compile(Tuples().eval(), (tree,))
