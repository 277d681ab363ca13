"""Products of several children, of weights larger than a near cache: one for each.

Launches that are put off give what eager gives, in the interpreter as well, for trees
of any form; without `batch_trees` nothing is split.
"""

from functools import cache

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context

SIZE = 256
SHAPES = (
    (),
    ((), ()),
    (((), ()), ()),
    ((), ((), ())),
    (((((), ()), ()), ()), ((), ())),
)


class Node:
    """A leaf has a vector, a fork has one and two children."""

    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


def made(shape):
    """The tree of nested pairs, its numbers by their order."""
    generator = torch.Generator().manual_seed(len(str(shape)))

    def node(shape):
        children = [node(child) for child in shape]
        return Node(torch.randn(SIZE, generator=generator), *children)

    return node(shape)


class SideBySide(nn.Module):
    """Both children and the vector stand side by side, the children once more."""

    def __init__(self):
        super().__init__()
        self.gates, self.mix = nn.Linear(3 * SIZE, 4 * SIZE), nn.Linear(2 * SIZE, SIZE)
        self.matrix = nn.Parameter(torch.randn(3 * SIZE, 4 * SIZE) / SIZE)

    def node(self, node):
        if node.left is None:
            return torch.tanh(node.value), node.value
        lh, lc = self.node(node.left)
        rh, rc = self.node(node.right)
        both = torch.cat([lh, node.value, rh], -1)
        i, f, o, u = (self.gates(both) + both @ self.matrix).chunk(4)
        c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f) * (lc + rc)
        return torch.sigmoid(o) * torch.tanh(c + self.mix(torch.cat([lh, rh]))), c

    def forward(self, root):
        return self.node(root)


class Added(nn.Module):
    """A product for each child, as written; one row, of two dimensions."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(SIZE, 4 * SIZE)
        self.right = nn.Linear(SIZE, 4 * SIZE, bias=False)

    def node(self, node):
        if node.left is None:
            return node.value[None]
        gates = self.left(self.node(node.left)) + self.right(self.node(node.right))
        a, b, c, d = gates.chunk(4, 1)
        return torch.tanh(a) * torch.sigmoid(b) + c.sin() * d.cos()

    def forward(self, root):
        return self.node(root)


every_model = pytest.mark.parametrize("network", [SideBySide, Added])


@cache
def compiled(network, **options):
    torch.manual_seed(2)
    model = network().eval()
    example = (dycl.Tree(made(SHAPES[-1])),)
    return model, dycl.compile(model, example, **options)


def equal(ours, eager):
    torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5, equal_nan=True)


def eager(model, tree):
    with torch.no_grad():
        return model(tree)


@every_model
def test_trees_of_any_form(network):
    model, net = compiled(network, batch_trees=True)
    _, plain = compiled(network)
    assert "_product(" in net.program
    assert "_product(" not in plain.program
    for shape in (*SHAPES, SHAPES[0]):
        tree = made(shape)
        equal(net.network(tree), eager(model, tree))
        equal(net.with_python_host().network(tree), eager(model, tree))
        equal(plain(tree), eager(model, tree))
        assert net.network.path == plain.path
        assert {one.taken for one in plain.path} == ({True, False} if shape else {True})


@every_model
def test_every_level_does_the_same(network):
    model, net = compiled(network, batch_trees=True)
    with deep_recursion():
        for level in ("hcfg", "host"):
            module = Parser(new_context(), net.stages[level]).parse_module()
            machine = Interpreter(module, dict(model.state_dict()))
            for shape in SHAPES:
                tree = made(shape)
                ours, theirs = machine.run([tree]).value, eager(model, tree)
                equal(ours, theirs)


@every_model
def test_what_is_no_number_stays_so(network):
    model, net = compiled(network, batch_trees=True)
    tree = made(SHAPES[-1])
    tree.left.right.value[3] = torch.nan
    tree.right.left.value[4] = torch.inf
    equal(net.network(tree), eager(model, tree))


def test_a_child_waits_for_a_level_that_reads_its_weights():
    model, net = compiled(Added, batch_trees=True)
    chain = ()
    for _ in range(8):
        chain = (chain, ())
    with dycl.profile(net.network) as profile:
        equal(net.network(made(chain)), eager(model, made(chain)))
    launches = {one["kernel"]: one["count"] for one in profile.data()["launches"]}
    # The left child of the lowest fork is a leaf, and each of the others waits for one
    # below it; the 8 right ones are leaves, and run together.
    assert launches["forward_left"] == 8
    assert launches["forward_right_product"] == 2


def test_halves_of_a_product_share_what_is_left():
    model, net = compiled(Added, batch_trees=True)
    full = ()
    for _ in range(4):
        full = (full, full)
    with dycl.profile(net.network) as profile:
        equal(net.network(made(full)), eager(model, made(full)))
    launches = {one["kernel"]: one["count"] for one in profile.data()["launches"]}
    # 15 forks have 30 halves. By themselves the left ones would run as four at a time,
    # as if nothing were beside them: once more.
    assert launches["forward_left"] + launches["forward_right_product"] == 9
