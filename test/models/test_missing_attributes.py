"""An attribute that a node lacks is no attribute that is None: reading it raises.

Each program is compiled for nodes that have it or None, and run on some without it.
"""

import enum

import pytest
import torch
from torch import nn
from tree_runs import equal, runs_of

import dycl
from dycl.driver.process import deep_recursion
from dycl.runtime import InputError


class Op(enum.Enum):
    A = 1
    B = 2


class Node:
    def __init__(self, x, **others):
        self.x = torch.full((3,), x)
        for name, value in others.items():
            setattr(self, name, value)


def node(x, **others):
    given = {"child": None, "scale": None, "op": None, "kids": [], "any": None}
    return Node(x, **{**given, **others})


ROOT = node(
    *(1.0,),
    child=node(2.0, any="a"),
    scale=2.0,
    op=Op.A,
    kids=[node(3.0, scale=0.5)],
    any=3,
)
NODES = (ROOT, node(4.0, scale=0.0), node(5.0, op=Op.B), node(6.0, any="b"), Node(7.0))


class Child(nn.Module):
    def forward(self, node):
        return node.x if node.child is None else node.x + node.child.x


class Chain(nn.Module):
    def forward(self, node):
        total = torch.zeros(3)
        while node is not None:
            total = total * 2 + node.x
            node = node.child
        return total


class Deeper(nn.Module):
    def encode(self, node):
        if node.child is None:
            return node.x
        return node.x - self.encode(node.child)

    def forward(self, node):
        return self.encode(node)


class Scale(nn.Module):
    def forward(self, node):
        return node.x if node.scale is None else node.x * node.scale


class Truth(nn.Module):
    def forward(self, node):
        return node.x if node.scale else node.x * 2


class Equal(nn.Module):
    def forward(self, node):
        return node.x if node.scale == 2.0 else node.x * 2


class Returned(nn.Module):
    def forward(self, node):
        return node.x, node.scale


class Member(nn.Module):
    def forward(self, node):
        return node.x if node.op is Op.A else node.x * 2


class Kids(nn.Module):
    def forward(self, node):
        total = node.x
        for kid in node.kids:
            total = total * 2 + kid.x
        return total


class Any(nn.Module):
    def forward(self, node):
        if isinstance(node.any, int):
            return node.x * node.any
        return node.x if node.any is None else node.x * 5


class Has(nn.Module):
    def forward(self, node):
        total = node.x
        if hasattr(node, "child"):
            total = total * 2
        if not hasattr(node, "scale") or hasattr(node, "leaf"):
            total = total - 5
        return total if hasattr(node, "op") and node.op is Op.B else total * 3


class Default(nn.Module):
    def forward(self, node):
        by, more = getattr(node, "scale", None), getattr(node, "scale", 4.0)
        total = node.x if by is None else node.x * by
        child = getattr(node, "child", None)
        if child is not None:
            total = total + child.x
        word = getattr(node, "leaf", "none")
        return total, more, word == "w"


class Walk(nn.Module):
    def forward(self, node):
        total, count = torch.zeros(3), 0
        while node is not None:
            total = total * 2 + node.x * getattr(node, "weight", 1.5)
            count += hasattr(node, "leaf")
            if not hasattr(node, "child"):
                break
            node = node.child
        return total, count


PROGRAMS = (Child, Chain, Deeper, Scale, Truth, Equal, Returned, Member, Kids, Any)


@pytest.mark.parametrize("program", PROGRAMS)
def test_raises_as_in_eager(program):
    model = program().eval()
    net = dycl.compile(model, (dycl.Tree(ROOT),))
    with deep_recursion():
        for run in runs_of(net):
            for tree in NODES[:-1]:
                torch.testing.assert_close(run(tree), model(tree))
            with pytest.raises(AttributeError):
                model(NODES[-1])
            with pytest.raises(AttributeError):
                run(NODES[-1])


class Leaf(Node):
    pass


DEEP = Node(1.0, scale=None, child=Leaf(2.0, leaf="w", weight=2.0, scale=1.0))
SEVERAL = (
    *(ROOT, node(5.0, op=Op.B), Node(7.0, scale=None), Leaf(8.0, leaf="v"), Leaf(1.0)),
    *(DEEP, Node(1.0, child=node(2.0, child=Node(3.0)))),
)


@pytest.mark.parametrize("program", [Has, Default, Walk])
def test_whether_it_is_there(program):
    model = program().eval()
    example = node(1.0, child=DEEP, scale=2.0, op=Op.A, weight=0.5)
    net = dycl.compile(model, (dycl.Tree(example),))
    with deep_recursion():
        for run in runs_of(net):
            for tree in (example, *SEVERAL):
                equal(run(tree), model(tree))


class Slots:
    __slots__ = ("leaf", "x")

    def __init__(self, x):
        self.x = torch.full((3,), x)


class Marked(Node):
    leaf = "of the class"


@pytest.mark.parametrize(
    "tree", [Node(2.0, leaf="w"), Node(1.0, child=Node(2.0, leaf="w"))]
)
def test_what_no_example_has_is_refused(tree):
    example = Node(1.0, child=Leaf(2.0, leaf="w"), weight=1.0)
    net = dycl.compile(Walk().eval(), (dycl.Tree(example),))
    for run in (net.network, net.with_python_host().network):
        with pytest.raises(InputError, match="with a `leaf`, which none had in the"):
            run(tree)


class Method(Node):
    def leaf(self):
        return self.x


class Named(nn.Module):
    def forward(self, node):
        return node.x * 2 if hasattr(node, "missing") else node.x


OTHERS = (Method(2.0), Slots(2.0), Marked(2.0))


@pytest.mark.parametrize("child", OTHERS, ids=lambda child: type(child).__name__)
def test_what_a_class_has_is_no_attribute_of_its_nodes(child):
    root = Node(1.0, child=child)
    root.leaf, root.weight = "w", 1.0
    with pytest.raises(dycl.CompileError, match="cannot be done with a node"):
        dycl.compile(Walk().eval(), (dycl.Tree(root),))


def test_what_no_node_has_is_not_known():
    with pytest.raises(dycl.CompileError, match="cannot be done with a node"):
        dycl.compile(Named().eval(), (dycl.Tree(Node(1.0)),))


def test_what_is_lacking_below_the_root():
    model = Chain().eval()
    net = dycl.compile(model, (dycl.Tree(ROOT),))
    tree = node(1.0, child=node(2.0, child=Node(3.0)))
    for run in (model, net.network, net.with_python_host().network):
        with pytest.raises(AttributeError, match="no attribute 'child'"):
            run(tree)


def test_what_is_lacking_and_never_read():
    model = Child().eval()
    net = dycl.compile(model, (dycl.Tree(ROOT),))
    tree = Node(1.0, child=Node(2.0))
    torch.testing.assert_close(net(tree), model(tree))
