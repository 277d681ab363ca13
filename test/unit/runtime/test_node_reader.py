"""Nodes that native code reads are those that Python would have written."""

import ctypes
import gc
import sys
import threading
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import InputError
from dycl.runtime.native_trees import NativeTree
from dycl.runtime.node_reader import NodeReader
from dycl.runtime.trees import NODE


class Leaf:
    """With slots, and a number for all."""

    __slots__ = ("vector", "weight")
    scale = 2

    def __init__(self, weight, vector):
        self.weight, self.vector = weight, vector


class Fork:
    def __init__(self, children, *, name="", flag=True, count=1, marks=()):
        self.children, self.name, self.flag = children, name, flag
        self.count, self.marks = count, list(marks)

    def size(self):
        return len(self.children)


class Pair(NamedTuple):
    left: Any
    right: Any


class Attributes(nn.Module):
    """Reads a field of each kind."""

    def of(self, node):
        if isinstance(node, Leaf):
            return torch.tanh(node.vector) * node.weight + node.scale
        if isinstance(node, Pair):
            return self.of(node.left) - self.of(node.right)
        total = torch.zeros(2) + node.count + node.size()
        for child in node.children:
            total = total + self.of(child)
        for mark in node.marks:
            total = total * mark
        if node.name == "é" and node.flag:
            return -total
        return total

    def forward(self, root):
        return self.of(root)


class Plain(nn.Module):
    """Reads a value of each of Python's own kinds."""

    def of(self, t):
        if isinstance(t, bool):
            return torch.ones(2)
        if isinstance(t, int):
            return torch.zeros(2) + t
        if isinstance(t, float):
            return torch.zeros(2) - t
        if torch.is_tensor(t):
            return torch.tanh(t)
        if isinstance(t, dict):
            if t["op"] == "neg":
                return -self.of(t["x"])
            return self.of(t["x"]) * 2
        total = torch.zeros(2)
        for child in t:
            total = total + self.of(child)
        return total

    def forward(self, root):
        return self.of(root)


def leaf(seed):
    return Leaf(seed / 3, torch.full((2,), float(seed)))


SHARED = leaf(7)
ATTRIBUTES = (
    Fork(
        [
            leaf(1),
            Pair(leaf(2), SHARED),
            Fork([], name="other", flag=False, count=-(1 << 50)),
            SHARED,
        ],
        name="é",
        marks=[0.5, 1.5],
    ),
    leaf(3),
    Pair(Fork((SHARED, SHARED), count=0), Pair(leaf(1), leaf(1))),
    Fork([leaf(i) for i in range(300)]),
)
VECTOR = torch.ones(2)
PLAIN = (
    (1, [2.5, True, VECTOR], {"op": "neg", "x": (3, VECTOR)}, {"op": "pos", "x": ()}),
    [],
    {"op": "neg", "x": {"op": "neg", "x": -0.0}},
    [[[[[-1, -(1 << 40)]]]], False],
)


@cache
def compiled(model):
    """The network, the data type, and trees; Python has seen their classes."""
    trees = ATTRIBUTES if model is Attributes else PLAIN
    net = dycl.compile(model().eval(), (dycl.Tree(trees[0]),)).network
    for tree in trees:
        torch.testing.assert_close(net(tree), model()(tree))
    return net, net._trees._kinds[0][1], trees


@pytest.fixture(params=[Attributes, Plain])
def case(request):
    """Each of the networks."""
    return compiled(request.param)


def contents(kind, address):
    """What nodes in memory hold, each once, in the order in which they are found."""
    places: dict[int, int] = {}
    waiting: list[int] = []

    def node(at):
        if at and at not in places:
            places[at] = len(places)
            waiting.append(at)
        return places.get(at)

    def held(what, at):
        word = ctypes.c_int64.from_address(at).value
        if what == NODE:
            return node(word)
        if isinstance(what, dict):
            count, first = (ctypes.c_int64 * 2).from_address(word)
            return [held(what["items"], first + 8 * i) for i in range(count)]
        if what == "str":
            _, chars, length = (ctypes.c_int64 * 3).from_address(word)
            return ctypes.string_at(chars, length)
        return word

    node(address)
    found = []
    for at in waiting:
        constructor, present = (ctypes.c_int64 * 2).from_address(at)
        fields = [
            held(what, at + 16 + 8 * i) if present >> i & 1 else None
            for i, (_, what, _) in enumerate(kind.fields)
        ]
        found.append((constructor, fields))
    return found


def test_the_same_nodes(case):
    net, kind, trees = case
    reader = NodeReader(kind, net._native)
    for tree in (*trees, *trees):
        address, kinds = reader.read(tree)
        by_python = NativeTree(kind, tree)
        assert contents(kind, address) == contents(kind, by_python.address)
        assert [saw for saw in (True, False) if kinds & 2 - saw] == [*by_python.saw]
        reader.end()


def test_nothing_is_held_after_a_run(case):
    net, _, trees = case
    before = [sys.getrefcount(one) for one in (SHARED, VECTOR, *trees)]
    for tree in trees:
        net(tree)
    del tree
    assert [sys.getrefcount(one) for one in (SHARED, VECTOR, *trees)] == before


def test_a_reader_that_is_in_use_leaves_a_tree_to_python(case):
    net, kind, trees = case
    reader = NodeReader(kind, net._native)
    assert reader.read(trees[0]) is not None
    assert reader.read(trees[1]) is None
    reader.end()
    assert reader.read(trees[1]) is not None


def test_a_reader_that_ends_lets_go():
    net, kind, _ = compiled(Attributes)
    own = leaf(5)
    before = sys.getrefcount(own)
    reader = NodeReader(kind, net._native)
    assert reader.read(Fork([own])) is not None
    del reader
    gc.collect()
    assert sys.getrefcount(own) == before


@pytest.mark.parametrize(
    ("tree", "what"),
    [
        (Fork([Leaf(1.0, torch.ones(3))]), "vector"),
        (Fork([Leaf(1.0, torch.ones(2, dtype=torch.float64))]), "vector"),
        (Fork([leaf(1), object()]), "object"),
        (Fork([], count="2"), "count"),
        (Fork({leaf(1): 2}), "children"),
        (Fork([], marks=[None]), "marks"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(tree, what):
    net, _, trees = compiled(Attributes)
    with pytest.raises(InputError, match=what):
        net(tree)
    torch.testing.assert_close(net(trees[1]), Attributes()(trees[1]))


def test_a_method_of_a_node_s_own_is_refused():
    net, _, _ = compiled(Attributes)
    root = Fork([leaf(1)])
    net(root)
    root.size = lambda: 3
    with pytest.raises(InputError, match="size"):
        net(root)


def test_what_is_close_to_a_kind_is_taken():
    net, _, _ = compiled(Attributes)
    turned = Fork([Leaf(1, torch.ones(4)[::2])], marks=(2,))
    whole = Fork([Leaf(1.0, torch.ones(2))], marks=[2.0])
    torch.testing.assert_close(net(turned), Attributes()(whole))
    array = Fork([Leaf(0.5, np.ones(2, np.float32)), leaf(2)])
    tensor = Fork([Leaf(0.5, torch.ones(2)), leaf(2)])
    assert torch.equal(net(array), net(tensor))


def test_what_is_close_to_one_of_pythons_own_is_taken():
    net, _, _ = compiled(Plain)
    assert torch.equal(net((np.float64(0.5), 2)), net((0.5, 2)))
    with pytest.raises(InputError, match="None"):
        net({"op": "neg", "x": 1, "y": None})


def test_threads_read_side_by_side(case):
    net, _, trees = case
    wanted = [net(tree) for tree in trees]
    wrong: list[int] = []

    def work():
        for i in range(200):
            number = i % len(trees)
            if not torch.equal(net(trees[number]), wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
