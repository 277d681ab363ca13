"""Compiled once, a network is equal to eager for tuples, lists and dicts of any form.

Each level is printed, parsed and interpreted; both hosts run the same trees.
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
from dycl.diag import collect_remarks
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.runtime import InputError, RecursionLimit
from dycl.tools.same import new_context

_PATH = Path(__file__).parent / "programs" / "plain_trees.py"
_SPEC = importlib.util.spec_from_file_location("dycl_test_plain_trees", _PATH)
programs = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = programs  # its dataclasses look for it by this name
_SPEC.loader.exec_module(programs)

LEVELS = ("normal", "typed", "hcfg", "host")
EXAMPLE = (((), ()), ((), ((), ()), (((),),)), (((), ()), ()))
SHAPES = (EXAMPLE, (), ((),), ((), ()), ((((),), ()), ((), ((), ()))))
shapes = strategies.recursive(
    strategies.just(()), lambda inner: strategies.lists(inner, max_size=3).map(tuple)
)
every_program = pytest.mark.parametrize(
    "network", programs.PROGRAMS, ids=lambda network: network.__name__
)


@cache
def compiled(network):
    """The model, what it compiles to, and the same with a host in Python."""
    torch.manual_seed(1)
    model = network().eval()
    net = dycl.compile(model, (dycl.Tree(network.made(EXAMPLE)),))
    return model, net, net.with_python_host()


def equal(ours, eager):
    if isinstance(eager, (tuple, list)):
        assert type(ours) is type(eager)
        assert len(ours) == len(eager)
        for one, other in zip(ours, eager, strict=True):
            equal(one, other)
    elif isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)
    else:
        assert type(ours) is type(eager)
        assert ours == eager


def eager(model, tree):
    with torch.no_grad():
        return model(tree)


@every_program
def test_trees_of_any_form(network):
    model, net, in_python = compiled(network)
    sides = set()
    for shape in SHAPES:
        want = eager(model, network.made(shape))
        equal(net.network(network.made(shape)), want)
        equal(in_python.network(network.made(shape)), want)
        net(network.made(shape))
        sides |= {(decision.line, decision.taken) for decision in net.path}
    lines = {line for line, taken in sides if taken}
    assert lines.intersection(line for line, taken in sides if not taken)


@every_program
@hypothesis.settings(max_examples=25, deadline=None, derandomize=True)
@hypothesis.given(shape=shapes)
def test_random_trees(network, shape):
    model, net, _ = compiled(network)
    equal(net.network(network.made(shape)), eager(model, network.made(shape)))


@every_program
def test_every_level_does_the_same(network):
    model, net, _ = compiled(network)
    with deep_recursion():
        for level in LEVELS:
            module = Parser(new_context(), net.stages[level]).parse_module()
            machine = Interpreter(module, dict(model.state_dict()))
            for shape in SHAPES[:3]:
                tree = network.made(shape)
                equal(machine.run([tree]).value, eager(model, tree))


def test_a_file_runs_tuples_without_torch(tmp_path):
    model, net, _ = compiled(programs.Tagged)
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    tree = programs.Tagged.made(EXAMPLE)
    equal(loaded(tree), eager(model, tree))

    def in_numpy(part):
        if isinstance(part, tuple):
            return tuple(map(in_numpy, part))
        return part.numpy() if isinstance(part, torch.Tensor) else part

    equal(torch.from_numpy(loaded(in_numpy(tree))), eager(model, tree))


def test_the_same_bytes_each_time():
    _, net, _ = compiled(programs.Kinds)
    tree = dycl.Tree(programs.Kinds.made(EXAMPLE))
    again = dycl.compile(programs.Kinds().eval(), (tree,), cache=False)
    assert again.native.program.source == net.native.program.source
    assert again.program == net.program


def test_a_deep_tuple():
    torch.manual_seed(1)
    model = programs.Composed().eval()
    example = (dycl.Tree(programs.Composed.made(EXAMPLE)),)
    net = dycl.compile(model, example, max_recursion=20_000).network
    tree, want = VALUES[0], VALUES[0]
    with torch.no_grad():
        for number in range(15_000):
            tree = (tree, VALUES[number % 5])
            want = torch.tanh(model.fc(torch.cat([want, VALUES[number % 5]])))
    equal(net(tree), want)


VALUES = [programs.vector(seed) for seed in range(5)]


# ---- what a run refuses


def test_a_ring_of_lists_never_ends():
    model, net, in_python = compiled(programs.Words)
    ring = [1]
    ring.append(ring)
    for run in (net.network, in_python.network):
        with pytest.raises(RecursionLimit, match=r"plain_trees.py:\d+"):
            run(ring)
    with pytest.raises(RecursionError):
        eager(model, ring)


def test_a_value_that_is_taken_for_another():
    _, net, in_python = compiled(programs.Tagged)
    for run in (net.network, in_python.network):
        with pytest.raises(TypeError, match="is taken for a tensor, which it is not"):
            run(("neg", ("x", "text")))
        with pytest.raises(TypeError, match="is taken for a tuple or list, which"):
            run(("neg", VALUES[0]))
        with pytest.raises(IndexError):
            run(("neg",))


def test_a_tuple_of_another_length():
    model, net, in_python = compiled(programs.Composed)
    for run in (net.network, in_python.network, model):
        with pytest.raises(ValueError, match=r"not enough values .*expected 2, got 1"):
            run((VALUES[0],))
        with pytest.raises(ValueError, match="too many values to unpack"):
            run((VALUES[0],) * 3)


def test_a_key_that_is_not_there():
    model, net, in_python = compiled(programs.Parsed)
    for run in (net.network, in_python.network, model):
        with pytest.raises(KeyError, match="word"):
            run({"op": "sum"})


def test_a_value_of_a_kind_that_the_example_lacks():
    _, net, _ = compiled(programs.Composed)
    with pytest.raises(InputError, match="has a node of the class complex"):
        net.network((VALUES[0], 1j))
    with pytest.raises(InputError, match=r"has shape \[3\]"):
        net.network((VALUES[0], torch.zeros(3)))
    _, net, _ = compiled(programs.Parsed)
    with pytest.raises(InputError, match="a dict with None for 'args': leave the key"):
        net.network({"op": "sum", "word": 1, "args": None})


# ---- what a compilation refuses


class Ambiguous(nn.Module):
    def forward(self, tree):
        return tree[0] * 2


@pytest.mark.parametrize(
    ("root", "what"),
    [
        (5, "is a int"),
        ((torch.zeros(3), torch.zeros(4)), "of one shape and dtype"),
        ({"a": None}, "a dict of the tree has None for 'a'"),
    ],
)
def test_an_example_that_is_no_tree(root, what):
    with pytest.raises(TypeError, match=what):
        dycl.compile(Ambiguous().eval(), (dycl.Tree(root),))


def test_what_may_be_a_number_or_a_tensor_is_asked_for():
    example = (dycl.Tree((1, torch.zeros(3))),)
    with collect_remarks() as remarks, pytest.raises(dycl.CompileErrors):
        dycl.compile(Ambiguous().eval(), example)
    assert any("may be of type Tensor or int" in str(remark) for remark in remarks)
