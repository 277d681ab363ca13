"""Members of `IntEnum` and `StrEnum` that nodes and tuples of a tree hold: as in eager.

They are members where the program asks which, and numbers or texts where it computes.
"""

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


class Level(enum.IntEnum):
    ZERO = 0
    LOW = 1
    HIGH = 2


class Kind(enum.StrEnum):
    LEAF = "leaf"
    FORK = "fork"


class Op(enum.Enum):
    ADD = 1
    MUL = 2
    LEAF = 3


class Node:
    def __init__(self, level, kind, value=None, children=(), tags=()):
        self.level, self.kind, self.value = level, kind, value
        self.children, self.tags = list(children), list(tags)


def leaf(level, number):
    value = torch.linspace(-1, 1, 4) * number
    return Node(level, Kind.LEAF, value, tags=[Level.LOW, Level.HIGH])


FORK = Node(Level.HIGH, Kind.FORK, None, [leaf(Level.LOW, 1), leaf(None, 2)])
NODES = (
    FORK,
    leaf(Level.ZERO, 3),
    Node(None, Kind.FORK, None, [FORK, leaf(Level.HIGH, -1)], [Level.ZERO]),
)
TABLE = {Level.LOW: 1.5, 2: -2.0}
NUMBERS = {Op.ADD: 1, Op.MUL: 2, Op.LEAF: 3}
SOME = {Level.LOW: 1.5, Level.HIGH: 2.5}


class Asked(nn.Module):
    """By identity, class, number, set and truth, also of None."""

    def forward(self, node):
        level = node.level
        which = level is Level.LOW, level == 1, level == Level.HIGH, level != 2.0
        sets = level in (1, 5), level in {Level.HIGH}, level not in (None, Level.LOW)
        of = type(level) is int, type(level) is Level, isinstance(level, int)
        text = node.kind is Kind.LEAF, node.kind == "fork", node.kind in ("leaf", "x")
        return *which, *sets, *of, *text, bool(level), not level


class Computed(nn.Module):
    """Numbers of members in products, indices and lists; names and a table."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(3, 4)
        self.layers = nn.ModuleDict({kind.value: nn.Linear(4, 4) for kind in Kind})

    def node(self, node):
        if node.kind is Kind.FORK:
            h = torch.zeros(4)
            for child in node.children:
                h = h + self.node(child)
        else:
            h = node.value
        if node.level is not None:
            h = h * node.level + self.table(torch.tensor(node.level))
            h = h + self.table.weight[node.level] - [0.5, 1.5, 2.5][node.level]
            if node.level > 0 and node.level.name != "ZERO":
                h = h + TABLE[node.level] * node.level.value
        for tag in node.tags:
            h = h * 2 if tag is Level.LOW else h + tag
        return self.layers[node.kind](h)

    def forward(self, node):
        return self.node(node)


def equal(actual, wanted):
    if isinstance(wanted, tuple):
        for one, other in zip(actual, wanted, strict=True):
            equal(one, other)
    elif isinstance(wanted, torch.Tensor):
        torch.testing.assert_close(actual, wanted)
    else:
        assert (type(actual), actual) == (type(wanted), wanted)


X, Y = torch.linspace(-1, 1, 4), torch.linspace(0, 2, 4)
PAIRS = (
    (Op.ADD, (Op.MUL, (Op.LEAF, X), (Op.LEAF, Y)), (Op.LEAF, Y)),
    (Op.LEAF, X),
    (Op.MUL, (Op.LEAF, Y), (Op.ADD, (Op.LEAF, X), (Op.LEAF, X))),
)


class Tagged(nn.Module):
    """Tuples with a member in front."""

    def node(self, tree):
        if tree[0] is Op.LEAF:
            return tree[1]
        left, right = self.node(tree[1]), self.node(tree[2])
        return left + right if tree[0] == Op.ADD else left * right

    def forward(self, tree):
        return self.node(tree), tree[0].name, NUMBERS[tree[0]]


CASES = [(Asked, NODES), (Computed, NODES), (Tagged, PAIRS)]


@pytest.mark.parametrize(("make", "trees"), CASES, ids=("asked", "computed", "tagged"))
def test_as_in_eager(make, trees):
    torch.manual_seed(0)
    model = make().eval()
    net = dycl.compile(model, (dycl.Tree(trees[0]),))
    runs = [net, net]  # the second call has seen the enum
    with deep_recursion(), torch.no_grad():
        module = Parser(new_context(), net.stages["hcfg"]).parse_module()
        machine = Interpreter(module, dict(model.state_dict()))
        runs.append(lambda tree: machine.run([tree]).value)
        for run in runs:
            for tree in trees:
                actual, wanted = run(tree), model(tree)
                equal(actual, wanted)


class Scaled(nn.Module):
    def forward(self, node):
        return torch.ones(4) * SOME[node.level]


def test_a_member_that_a_table_lacks_raises_where_a_run_gets_to_it():
    net = dycl.compile(Scaled().eval(), (dycl.Tree(FORK),))
    torch.testing.assert_close(net(FORK), torch.full((4,), 2.5))
    with pytest.raises(KeyError, match="0"):
        net(leaf(Level.ZERO, 1))


def test_a_number_that_is_no_member_is_refused():
    net = dycl.compile(Scaled().eval(), (dycl.Tree(FORK),))
    with pytest.raises(InputError, match=r"is 1; .* for a member of .*\.Level"):
        net(leaf(1, 1))


def test_a_member_where_the_example_has_numbers_is_refused():
    class Counted(nn.Module):
        def forward(self, node):
            return torch.ones(4) * node.level, node.level is Level.LOW

    net = dycl.compile(Counted().eval(), (dycl.Tree(leaf(1, 1)),))
    equal(net(leaf(2, 1)), (torch.full((4,), 2.0), False))
    with pytest.raises(InputError, match="a member of an enum: give its value"):
        net(leaf(Level.LOW, 1))


class Direct(nn.Module):
    def forward(self, x, level):
        return x + 1 if level is Level.LOW else x * 3


def test_a_member_that_is_an_argument_is_refused():
    model, x = Direct().eval(), torch.ones(2)
    with pytest.raises(TypeError, match="give its value, or let the model"):
        dycl.compile(model, (x, Level.LOW))
    net = dycl.compile(model, (x, 1))
    torch.testing.assert_close(net(x, 1), model(x, 1))
    with pytest.raises(InputError, match="a member of an enum: give its value"):
        net(x, Level.LOW)


class Keys(nn.Module):
    """A member is found by its number, and a number by a member."""

    def forward(self, x):
        by_member, by_number = {Level.LOW: 1.0, Level.HIGH: 2.0}, {1: 3.0, 2: 4.0}
        found = SOME[Level.LOW], SOME.get(1, 9.0), by_number.get(Level.LOW, 9.0)
        inside = 1 in SOME, Level.LOW in (1, 2), 1 in {Level.LOW}, 3 in SOME
        places = [Level.LOW, 2].index(1), [1, 2].index(Level.HIGH), by_member[2]
        same = SOME == {1: 1.5, 2: 2.5}, (Level.LOW, 2) == (1, 2)
        return x * found[0], *found, *inside, *places, *same


def test_members_and_their_numbers_are_one_key():
    model, x = Keys().eval(), torch.ones(2)
    equal(dycl.compile(model, (x,))(x), model(x))
