"""Compiled once, a network is equal to eager for trees of any form.

Each level is printed, parsed and interpreted; both hosts, and one that puts launches
off, run the same trees.
"""

import importlib.util
import sys
from functools import cache
from pathlib import Path

import hypothesis
import numpy as np
import pytest
import torch
from hypothesis import strategies
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.runtime import InputError, RecursionLimit
from dycl.tools.same import new_context

_PATH = Path(__file__).parent / "programs" / "trees.py"
_SPEC = importlib.util.spec_from_file_location("dycl_test_trees", _PATH)
programs = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = programs  # its dataclasses look for it by this name
_SPEC.loader.exec_module(programs)

LEVELS = ("normal", "typed", "hcfg", "host")
SHAPES = ((), ((),), ((), ()), (((), ()), (), ((),)), ((((),), ()), ((), ((), ()))))
EXAMPLE = (((), ()), ((), ((), ())))
shapes = strategies.recursive(
    strategies.just(()), lambda inner: strategies.lists(inner, max_size=3).map(tuple)
)
every_program = pytest.mark.parametrize(
    "network", programs.PROGRAMS, ids=lambda network: network.__name__
)


@cache
def compiled(network, batched=False):
    """The model, and what it compiles to."""
    torch.manual_seed(1)
    model = network().eval()
    example = (dycl.Tree(network.made(EXAMPLE)),)
    return model, dycl.compile(model, example, batch_trees=batched)


def equal(ours, eager):
    if isinstance(eager, tuple):
        assert len(ours) == len(eager)
        for one, other in zip(ours, eager, strict=True):
            equal(one, other)
    elif isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)
    else:
        assert ours == eager


def eager(model, tree):
    with torch.no_grad():
        return model(tree)


@every_program
def test_trees_of_any_form(network):
    model, net = compiled(network)
    for shape in SHAPES:
        equal(net(network.made(shape)), eager(model, network.made(shape)))
    sides = {decision.taken for decision in net.path}
    for shape in SHAPES:
        net(network.made(shape))
        sides |= {decision.taken for decision in net.path}
    assert sides == ({True, False} if net.decisions else set())


@every_program
def test_every_level_does_the_same(network):
    model, net = compiled(network)
    with deep_recursion():
        for level in LEVELS:
            module = Parser(new_context(), net.stages[level]).parse_module()
            machine = Interpreter(module, dict(model.state_dict()))
            for shape in SHAPES[:4]:
                tree = network.made(shape)
                equal(machine.run([tree]).value, eager(model, tree))


@pytest.mark.parametrize("network", [programs.Words, programs.ChildSum])
@hypothesis.settings(max_examples=8, deadline=None, derandomize=True)
@hypothesis.given(shape=shapes)
def test_launches_that_are_put_off_give_the_same(network, shape):
    model, net = compiled(network, batched=True)
    equal(net.network(network.made(shape)), eager(model, network.made(shape)))


@hypothesis.settings(max_examples=10, deadline=None, derandomize=True)
@hypothesis.given(first=shapes, second=shapes)
def test_what_one_call_leaves_is_of_no_use_to_the_next(first, second):
    model, net = compiled(programs.ChildSum, batched=True)
    for shape in (first, second, first):
        tree = programs.words(shape)
        equal(net.network(tree), eager(model, tree))


def test_launches_of_one_depth_run_together():
    _, net = compiled(programs.ChildSum, batched=True)
    tree = programs.words(((((), ()), ()), (((), ()), ())))
    with dycl.profile(net.network) as profile:
        net.network(tree)
    launches = {one["kernel"]: one["count"] for one in profile.data()["launches"]}
    # Products of what nodes hold wait for nothing: 11 nodes and 10 children, by 6.
    assert launches["forward_tail_product"] == 2
    assert launches["forward_loop_1_body_1_product"] == 2
    # Of what 10 children are, by the 3 levels that they are on: no sum is waited for.
    assert launches["forward_loop_1_body_1_product_1"] == 3
    assert launches["forward_loop_1_body_1"] == 10  # Without a product: one by one.


def test_what_can_wait_runs_beside_a_long_chain():
    model, net = compiled(programs.Binary, batched=True)
    chain = (((),),) * 8  # of 8 forks, each over the one below it and a pair of leaves
    with dycl.profile(net.network) as profile:
        equal(net.network(programs.binary(chain)), eager(model, programs.binary(chain)))
    launches = {one["kernel"]: one["count"] for one in profile.data()["launches"]}
    # All pairs at once would be two launches, with the 8 of the chain behind them.
    assert launches["forward_gates"] == 9


def test_the_same_bytes_each_time():
    _, net = compiled(programs.ChildSum, batched=True)
    dycl_again = dycl.compile(
        programs.ChildSum().eval(),
        (dycl.Tree(programs.words(EXAMPLE)),),
        batch_trees=True,
        cache=False,
    )
    assert dycl_again.host_source == net.host_source
    assert dycl_again.native.program.source == net.native.program.source
    assert dycl_again.program == net.program


def test_a_file_runs_trees_without_torch(tmp_path):
    model, net = compiled(programs.Binary)
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    tree = programs.binary(EXAMPLE)
    equal(loaded(tree), eager(model, tree))
    in_numpy = programs.binary(EXAMPLE)
    waiting = [in_numpy]
    while waiting:
        node = waiting.pop()
        if node.value is not None:
            node.value = node.value.numpy()
        waiting += [child for child in (node.left, node.right) if child is not None]
    got = loaded(in_numpy)
    assert all(isinstance(one, np.ndarray) for one in got)
    equal(tuple(map(torch.from_numpy, got)), eager(model, tree))


def test_a_network_of_trees_is_checked_against_its_model():
    model, net = compiled(programs.Words)
    checked = dycl.check(net, model, (programs.binary(EXAMPLE),))
    assert str(checked).startswith("equal to eager")


def test_a_shared_node_is_one_node():
    model, net = compiled(programs.Binary)
    leaf = programs.binary(())
    twice = programs.Node(None, leaf, leaf)
    root = programs.Node(None, twice, programs.Node(None, twice, leaf))
    equal(net(root), eager(model, root))


def test_elements_that_stand_with_the_other_sign():
    model, net = compiled(programs.Binary)
    leaves = [programs.binary((), seed) for seed in (1, 2)]
    leaves[1].value = torch._neg_view(leaves[1].value)
    for pair in (leaves, leaves[::-1]):
        root = programs.Node(None, *pair)
        equal(net(root), eager(model, root))


# ---- depth


VALUES = [programs.vector(seed) for seed in range(5)]


def chain(length):
    result = None
    for number in range(length):
        result = programs.Link(VALUES[number % 5], result)
    return result


@pytest.mark.parametrize("batched", [False, True])
def test_a_list_of_100_000_and_a_limit(batched):
    torch.manual_seed(1)
    model = programs.Folded().eval()
    example = (dycl.Tree(chain(2)),)
    options = {"max_recursion": 100_001, "batch_trees": batched}
    net = dycl.compile(model, example, **options).network
    # A loop from the last item to the first does the same.
    h = torch.zeros(programs.SIZE)
    with torch.no_grad():
        items = [model.fc(value) for value in VALUES]
        for number in range(100_000):
            h = torch.tanh(items[number % 5] + h)
    equal(net(chain(100_000)), h)
    with pytest.raises(RecursionLimit, match=r"trees.py:\d+ is in 100001 others"):
        net(chain(100_001))
    equal(net(chain(3)), eager(model, chain(3)))


def test_a_ring_without_an_end_is_a_recursion_without_one():
    model, net = compiled(programs.Binary)
    root = programs.Node(None, programs.binary(()), None)
    root.right = root
    with pytest.raises(RecursionError):
        eager(model, root)
    for run in (net.network, net.with_python_host().network):
        with pytest.raises(RecursionLimit, match=r"trees.py:\d+"):
            run(root)


# ---- what is refused


def test_a_node_of_another_class():
    _, net = compiled(programs.Classes)
    with pytest.raises(InputError, match="has a node of the class Link; .* Fork, Leaf"):
        net.network(programs.Fork(programs.Leaf(1), programs.Link(None, None)))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (torch.zeros(4, dtype=torch.float64), "has dtype float64"),
        (torch.zeros(3), r"has shape \[3\]"),
        (1.0, "is of type float"),
    ],
)
def test_a_leaf_of_another_kind(value, what):
    _, net = compiled(programs.Binary)
    with pytest.raises(InputError, match=f"`root ... .value` {what}"):
        net.network(programs.Node(value))


def test_what_is_not_there_raises_as_in_eager():
    model, net = compiled(programs.Binary)
    lacks = programs.Node(None, programs.binary(()), None)
    for run in (net.network, model):
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
            run(lacks)
    with pytest.raises(AttributeError, match="'value' of a node is None"):
        net.network(programs.Node(None))


class Reads(nn.Module):
    def forward(self, root):
        return root.value * len(root.text)


def test_an_attribute_of_no_kind_is_refused_at_its_line():
    with pytest.raises(dycl.CompileErrors, match="text") as refused:
        dycl.compile(Reads().eval(), (dycl.Tree(programs.words(())),))
    assert "test_trees.py" in str(refused.value)


class Compares(nn.Module):
    def forward(self, root):
        return root.value * 2 if root.left == root.right else root.value


def test_nodes_whose_class_has_no_comparison_are_equal_if_they_are_one():
    model = Compares().eval()
    net = dycl.compile(model, (dycl.Tree(programs.binary(EXAMPLE)),))
    value = torch.ones(programs.binary(()).value.shape)
    leaf = programs.Node(value)
    for root in (
        programs.Node(value, leaf, leaf),
        programs.Node(value, leaf, programs.Node(value)),
        programs.Node(value),
    ):
        torch.testing.assert_close(net(root), model(root))


class ComparesRecords(nn.Module):
    def forward(self, root):
        return 1 if root.left == root.right else 2


def test_nodes_with_a_comparison_of_their_own_are_not_compared():
    root = programs.Fork(programs.Leaf(1), programs.Leaf(2))
    with pytest.raises(dycl.CompileErrors, match="node of a tree"):
        dycl.compile(ComparesRecords().eval(), (dycl.Tree(root),))


@pytest.mark.parametrize(
    ("root", "what"),
    [
        (2, "is a int"),
        (torch.zeros(3), "is a Tensor"),
        (programs.Fork(torch.zeros(3), programs.Fork(torch.zeros(4), 3)), "`left` .*"),
    ],
)
def test_an_example_that_is_no_tree(root, what):
    with pytest.raises(TypeError, match=what):
        dycl.compile(Reads().eval(), (dycl.Tree(root),))


def test_what_hides_a_method_is_refused():
    _, net = compiled(programs.Methods)
    root = programs.binary(EXAMPLE)
    root.left.levels = 3
    with pytest.raises(InputError, match="a `levels` of its own, .* class Node"):
        net.network(root)
    with pytest.raises(TypeError, match="`levels` of its own"):
        dycl.compile(programs.Methods().eval(), (dycl.Tree(root),))


def test_none_has_no_methods():
    model, net = compiled(programs.Methods)
    lacks = programs.Node(None, programs.binary(()), None)
    for run in (net.network, net.with_python_host().network, model):
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
            run(lacks)


class EmptySum(nn.Module):
    """What a node gives is a tensor or, where it has no children, an int."""

    def node(self, node):
        if len(node.children) > 1:
            return node.value
        return sum(self.node(child) for child in node.children)

    def forward(self, root):
        return self.node(root)


def test_a_sum_of_no_tensors_is_no_tensor():
    made = programs.ChildSum.made(EXAMPLE)
    with pytest.raises(dycl.CompileErrors, match="DY302"):
        dycl.compile(EmptySum().eval(), (dycl.Tree(made),))
