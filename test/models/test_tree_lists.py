"""Recursions that give lists, or add to lists that they are given, equal eager.

Each is compiled once, for all trees: each level is interpreted, both hosts run.
"""

import importlib.util
import sys
from functools import cache
from pathlib import Path

import hypothesis
import pytest
import torch
from hypothesis import strategies
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context

_PATH = Path(__file__).parent / "programs" / "tree_lists.py"
_SPEC = importlib.util.spec_from_file_location("dycl_test_tree_lists", _PATH)
programs = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = programs
_SPEC.loader.exec_module(programs)

EXAMPLE = (((), ()), ((), ((), ()), (((),),)), (((), ()), ()))
DEEP = ((((((((),),),),),),),)
SHAPES = (EXAMPLE, (), ((),), ((), ()), DEEP)
shapes = strategies.recursive(
    strategies.just(()), lambda inner: strategies.lists(inner, max_size=3).map(tuple)
)
every_program = pytest.mark.parametrize(
    "network", programs.PROGRAMS, ids=lambda network: network.__name__
)


@cache
def compiled(network):
    torch.manual_seed(1)
    model = network().eval()
    return model, dycl.compile(model, (dycl.Tree(network.made(EXAMPLE)),))


def equal(ours, model, tree):
    with torch.no_grad():
        eager = model(tree)
    torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)


@every_program
def test_each_host(network):
    model, net = compiled(network)
    in_python = net.with_python_host().network
    for shape in SHAPES:
        equal(net.network(network.made(shape)), model, network.made(shape))
        equal(in_python(network.made(shape)), model, network.made(shape))


@every_program
@hypothesis.settings(max_examples=25, deadline=None, derandomize=True)
@hypothesis.given(shape=shapes)
def test_random_trees(network, shape):
    model, net = compiled(network)
    equal(net.network(network.made(shape)), model, network.made(shape))


@every_program
def test_each_level(network):
    model, net = compiled(network)
    with deep_recursion():
        for level in ("normal", "typed", "hcfg", "host"):
            module = Parser(new_context(), net.stages[level]).parse_module()
            machine = Interpreter(module, dict(model.state_dict()))
            for shape in SHAPES[:3]:
                tree = network.made(shape)
                equal(machine.run([tree]).value, model, tree)


class Twice(programs.OfNodes):
    """One list by two names: what is added by one is seen by the other."""

    def walk(self, node, a, b):
        a.append(self.fc(node.value))
        b.append(node.value)
        for child in node.children:
            self.walk(child, b, a)

    def forward(self, root):
        out = []
        self.walk(root, out, out)
        return torch.stack(out)


class OfTree(programs.OfNodes):
    """What is added to would be a list of the tree itself."""

    def walk(self, node, out):
        out.append(node)
        for child in node.children:
            self.walk(child, child.children)

    def forward(self, root):
        self.walk(root, root.children)
        return root.value


class Uneven(nn.Module):
    """One path gives a tensor, another a tuple."""

    def node(self, node):
        if len(node.children) == 0:
            return node.value, node.value
        return self.node(node.children[0])[0]

    def forward(self, root):
        return self.node(root)


@pytest.mark.parametrize(
    ("model", "code"), [(Twice(), "DY205"), (OfTree(), "DY205"), (Uneven(), "DY30.")]
)
def test_refused_at_its_line(model, code):
    with pytest.raises(dycl.CompileErrors, match=code) as refused:
        dycl.compile(model.eval(), (dycl.Tree(programs.nodes(EXAMPLE)),))
    assert "test_tree_lists.py" in str(refused.value)
