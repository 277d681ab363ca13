"""Fields of a tree's nodes that are members of enums: as in eager."""

import enum

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.runtime.inputs import InputError
from dycl.tools.same import new_context


class Op(enum.Enum):
    ADD = (1, "+")
    MUL = (2, "*")
    LEAF = (3, "leaf")
    UNSEEN = (4, "?")

    def weight(self):
        return self.value[0] * 0.5

    @property
    def sign(self):
        return self.value[1]


class Node:
    def __init__(self, op, value=None, children=(), tags=(), other=None):
        self.op, self.value, self.other = op, value, other
        self.children, self.tags = list(children), list(tags)


def leaf(number):
    return Node(Op.LEAF, torch.arange(4.0) * 0.1 + number, tags=[Op.ADD, None])


MUL = Node(Op.MUL, None, [leaf(1), leaf(2)], [Op.MUL], Op.ADD)
ADD = Node(Op.ADD, None, [MUL, leaf(-1), MUL], [], Op.ADD)
TREES = (ADD, MUL, leaf(3), Node(Op.MUL, None, [ADD, MUL], [Op.ADD, Op.UNSEEN]))
TABLE = {Op.ADD: 1.5, Op.MUL: -2.0, Op.LEAF: 0.25, Op.UNSEEN: 0.0}


SOME = {Op.ADD: 1, Op.LEAF: 3}


class Sort(enum.Enum):
    ADD = 1


class Evaluated(nn.Module):
    """By `is`, `==`, and an end that no tree of the example comes to."""

    def forward(self, node):
        if node.op is Op.LEAF:
            return torch.tanh(node.value)
        given = torch.stack([self.forward(child) for child in node.children])
        if node.op == Op.ADD:
            return given.sum(0)
        if node.op is not Op.MUL:
            raise ValueError(f"unknown: {node.op.name}")
        return given.prod(0)


class Matched(nn.Module):
    def forward(self, node):
        match node.op:
            case Op.LEAF:
                return torch.tanh(node.value)
            case Op.ADD | Op.MUL as op:
                scale = op.weight()
            case other:
                raise ValueError(f"unknown: {other.name}")
        total = torch.zeros(4)
        for child in node.children:
            total = total + self.forward(child)
        return total * scale


class LookedUp(nn.Module):
    """Members as keys, in tuples, by name, and as what a recursion is given."""

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({one.name: nn.Linear(4, 4) for one in Op})
        self.extra = {Op.ADD: 3.0}

    def walk(self, node, above=None):
        h = torch.ones(4) * TABLE[node.op] + self.extra.get(node.op, 0.5)
        if node.op in (Op.ADD, Op.LEAF):
            h = h * 2
        if above is node.op:
            h = h + 10
        for child in node.children:
            h = h + self.walk(child, node.op) * 0.5
        return self.heads[node.op.name](h)

    def forward(self, node):
        return self.walk(node)


class Asked(nn.Module):
    """What is None, and lists of members."""

    def forward(self, node):
        other = "none" if node.other is None else node.other.sign
        signs = [tag.weight() for tag in node.tags if tag is not None]
        is_same = node.other == node.op
        return other, signs, is_same, node.other is Op.ADD, bool(node.other)


class OfClass(nn.Module):
    """What class a member is of, and which attributes it has."""

    def forward(self, node):
        is_op = type(node.op) is Op, type(node.other) is Op, type(node.op) is Sort
        kinds = isinstance(node.other, Op), isinstance(node.op, (Sort, enum.Enum))
        others = isinstance(node.op, (int, str)), isinstance(node.other, object)
        has = hasattr(node.op, "sign"), hasattr(node.other, "name")
        return *is_op, *kinds, *others, *has, getattr(node.other, "sign", "-")


class InTuples(nn.Module):
    def forward(self, node):
        pair = (node.op, node.other)
        known = pair in [(Op.ADD, None), (Op.MUL, Op.ADD)], Op.ADD in pair
        in_table = -SOME[node.op] if node.op in SOME else 0
        return *known, (node.op, 1) == (Op.LEAF, 1), pair != (Op.MUL, None), in_table


PROGRAMS = (Evaluated, Matched, LookedUp, Asked, OfClass, InTuples)


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_as_in_eager(make):
    torch.manual_seed(0)
    model = make().eval()
    net = dycl.compile(model, (dycl.Tree(ADD),))
    runs = [net, net]  # the second call has seen the enum
    with deep_recursion(), torch.no_grad():
        module = Parser(new_context(), net.stages["hcfg"]).parse_module()
        machine = Interpreter(module, dict(model.state_dict()))
        runs.append(lambda tree: machine.run([tree]).value)
        for run in runs:
            for tree in TREES:
                actual, wanted = run(tree), model(tree)
                if isinstance(wanted, torch.Tensor):
                    torch.testing.assert_close(actual, wanted)
                else:
                    assert actual == wanted


@pytest.fixture(scope="module")
def net():
    return dycl.compile(Evaluated().eval(), (dycl.Tree(ADD),))


def test_a_member_that_the_example_lacks(net):
    with pytest.raises(ValueError, match="unknown: UNSEEN"):
        net(Node(Op.UNSEEN, None, [leaf(1)]))


@pytest.mark.parametrize("op", [Sort.ADD, 1, "ADD"], ids=str)
def test_what_is_no_member_is_refused(net, op):
    net(ADD)
    with pytest.raises(InputError, match=r"a member of .*\.Op \(DY601\)$"):
        net(Node(op, None, [leaf(1)]))


class ReturnsMember(nn.Module):
    def forward(self, node):
        return torch.ones(4), [node.op]


def test_a_returned_member_is_refused():
    with pytest.raises(dycl.CompileError, match="returns a node of a tree"):
        dycl.compile(ReturnsMember().eval(), (dycl.Tree(ADD),))
