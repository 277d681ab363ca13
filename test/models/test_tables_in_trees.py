"""Dicts that nodes hold, gone over and asked for keys: eager and all hosts agree."""

import importlib.util
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from unittest import mock

import hypothesis
import pytest
import torch
from hypothesis import strategies
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.diag import CompileError
from dycl.driver.process import deep_recursion
from dycl.runtime import InputError
from dycl.runtime.native_trees import NativeTree

_PATH = Path(__file__).parent / "programs" / "tables_in_trees.py"
_SPEC = importlib.util.spec_from_file_location("dycl_test_tables_in_trees", _PATH)
programs = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = programs  # its dataclasses look for it by this name
_SPEC.loader.exec_module(programs)

EXAMPLE = (((), ()), ((), ((), ()), (((),),)), (((), ()), ()))
SHAPES = (EXAMPLE, (), ((),), ((), ()), ((((),), ()), ((), ((), ()))))
shapes = strategies.recursive(
    strategies.just(()), lambda inner: strategies.lists(inner, max_size=4).map(tuple)
)
every_program = pytest.mark.parametrize(
    "network", programs.PROGRAMS, ids=lambda network: network.__name__
)


@cache
def compiled(network):
    torch.manual_seed(1)
    model = network().eval()
    net = dycl.compile(model, (dycl.Tree(network.made(EXAMPLE)),))
    return model, net, runs_of(net, weights=dict(model.state_dict()))


def eager(model, tree):
    with torch.no_grad():
        return model(tree)


@every_program
def test_dicts_of_any_form(network):
    model, net, runs = compiled(network)
    sides = set()
    for shape in SHAPES:
        want = eager(model, network.made(shape))
        with deep_recursion():
            for run in runs:
                equal(run(network.made(shape)), want)
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


def test_a_file_runs_dicts(tmp_path):
    model, net, _ = compiled(programs.Values)
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    for shape in SHAPES:
        tree = programs.Values.made(shape)
        equal(torch.as_tensor(loaded(tree)), eager(model, tree))


def test_native_code_reads_dicts():
    _, net, _ = compiled(programs.Numbers)
    tree = programs.Numbers.made(EXAMPLE)
    net.network(tree)  # its classes are known from now on
    with mock.patch.object(NativeTree, "__init__", side_effect=AssertionError):
        equal(net.network(tree), eager(compiled(programs.Numbers)[0], tree))


def deep(length):
    node = programs.Numbered(1)
    for number in range(length):
        node = programs.Numbered(number % 7, {number: node})
    return node


class Chain(nn.Module):
    def forward(self, node):
        found = 0.0
        while node.after:
            (key,) = node.after
            found = found * 0.5 + node.word
            node = node.after[key]
        return found


def test_a_deep_chain_of_dicts():
    model = Chain().eval()
    net = dycl.compile(model, (dycl.Tree(deep(3)),))
    tree = deep(100_000)
    for run in (net.network, net.with_python_host().network):
        equal(run(tree), model(tree))


def test_shared_nodes_and_rings():
    class Which(nn.Module):
        def forward(self, node):
            first, second = node.children["a"], node.children.get("b")
            return torch.tensor([first is second, first is node, second is node])

    leaf = programs.Node(programs.vector(1), {})
    model = Which().eval()
    ring = programs.Node(programs.vector(2), {"a": leaf})
    ring.children["b"] = ring
    trees = [
        programs.Node(programs.vector(3), {"a": leaf, "b": leaf}),
        programs.Node(programs.vector(3), {"a": leaf}),
        ring,
    ]
    net = dycl.compile(model, (dycl.Tree(trees[0]),))
    for run in runs_of(net):
        for tree in trees:
            equal(run(tree), model(tree))


def test_a_nan_among_values():
    model, _, runs = compiled(programs.Values)
    tree = programs.Graded({"left": float("nan"), "x y": 1.0}, {"left": VALUE})
    for run in runs:
        equal(run(tree), eager(model, tree))


VALUE = programs.vector(4)


def test_a_key_that_is_not_there():
    class Reads(nn.Module):
        def forward(self, node):
            return node.children["left"].value

    tree = programs.by_words(EXAMPLE, 5)
    net = dycl.compile(Reads().eval(), (dycl.Tree(tree),))
    for run in runs_of(net):
        equal(run(tree), tree.children["left"].value)
        with pytest.raises(KeyError, match="left"):
            run(programs.Node(VALUE, {"right": tree}))
        with pytest.raises(AttributeError):
            run(programs.Node(VALUE, None))


@pytest.mark.parametrize(
    ("children", "says"),
    [
        ({1: programs.Node(VALUE, {})}, "has the key 1; .* for keys that are texts"),
        ({True: programs.Node(VALUE, {})}, "has the key True"),
        ([programs.Node(VALUE, {})], "children` is a list; .* for a dict"),
        (defaultdict(int), "is a defaultdict; the network was compiled for a dict"),
        ({"left": 3}, "has a node of the class int"),
    ],
)
def test_a_dict_of_another_kind(children, says):
    _, net, _ = compiled(programs.Items)
    for run in (net.network, net.with_python_host().network):
        with pytest.raises(InputError, match=says):
            run(programs.Node(VALUE, children))


def stored(node):
    node.children["left"] = node
    return node.value


REFUSED = {
    "changed": stored,
    "taken from": lambda node: node.children.pop("left").value,
    "compared": lambda node: node.value * (node.children == {}),
    "views compared": lambda node: node.value * (node.children.keys() == {"left"}),
    "a view by place": lambda node: node.children.values()[0].value,
    "as a text": lambda node: (node.value, str(node.children)),
}


@pytest.mark.parametrize("asks", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_of_a_dict(asks):
    class Asks(nn.Module):
        def forward(self, node):
            return asks(node)

    with pytest.raises(CompileError, match="make a dict of it: `dict\\(d\\)`") as found:
        dycl.compile(Asks().eval(), (dycl.Tree(programs.by_words(EXAMPLE)),))
    places = {f":{asks.__code__.co_firstlineno + more}:" for more in (0, 1)}
    assert any(place in str(found.value) for place in places)
