"""`is` between nodes of a tree: shared children, rings and roots, as in eager."""

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context


class Node:
    def __init__(self, number, left=None, right=None):
        self.value = torch.linspace(-1, 1, 4) * number
        self.left, self.right = left, right


def ring(count):
    nodes = [Node(number + 1) for number in range(count)]
    for node, following in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
        node.left = following
    return nodes[0]


LEAF = Node(1)
TREES = (
    Node(2, LEAF, Node(3)),
    Node(2, LEAF, LEAF),
    Node(2),
    Node(2, None, LEAF),
    Node(5, Node(4, LEAF, LEAF), Node(4, Node(1), LEAF)),
)


class Shared(nn.Module):
    """A child that both sides lead to counts twice; the root is known below."""

    def node(self, node, root):
        h = node.value * 2 if node is root else node.value
        if node.left is not node.right:
            if node.left is not None:
                h = h + self.node(node.left, root)
            if node.right is not None:
                h = torch.tanh(h) - self.node(node.right, root)
        elif node.left is not None:
            h = h + 2 * self.node(node.left, root)
        return h

    def forward(self, node):
        return self.node(node, node), node.left is node.right


class Around(nn.Module):
    """A ring, until it is back where it began."""

    def forward(self, node):
        h, count, at = node.value, 0, node.left
        while at is not node:
            h, count, at = torch.tanh(h + at.value), count + 1, at.left
        return h, count


CASES = [(Shared, TREES), (Around, (ring(3), ring(1), ring(2)))]


@pytest.mark.parametrize("options", [{}, {"batch_trees": True}, {"host": "python"}])
@pytest.mark.parametrize(("make", "trees"), CASES, ids=("shared", "around"))
def test_as_in_eager(make, trees, options):
    model = make().eval()
    net = dycl.compile(model, (dycl.Tree(trees[0]),), **options)
    with deep_recursion(), torch.no_grad():
        module = Parser(new_context(), net.stages["hcfg"]).parse_module()
        machine = Interpreter(module, dict(model.state_dict()))
        for run in (net.network, lambda tree: machine.run([tree]).value):
            for tree in trees:
                (value, other), (wanted, also) = run(tree), model(tree)
                torch.testing.assert_close(value, wanted)
                assert other == also


class Apart(nn.Module):
    def forward(self, first, second):
        return first.value if first is second else second.value


def test_nodes_of_two_trees_are_not_compared():
    with pytest.raises(dycl.CompileError, match="cannot be done with a node"):
        dycl.compile(Apart().eval(), (dycl.Tree(LEAF), dycl.Tree(Node(2))))


class Items(nn.Module):
    def forward(self, pair):
        return 1 if pair[0] is pair[1] else 2


def test_numbers_are_not_compared_by_identity():
    with pytest.raises(dycl.CompileError, match="cannot be done with a node"):
        dycl.compile(Items().eval(), (dycl.Tree((1000, 1000)),))


class Graph:
    def __init__(self, nodes):
        self.nodes = nodes


class Numbered(nn.Module):
    """What to do instead of a dict by `id(node)`: children come first, in a list."""

    def forward(self, graph):
        done = []
        for node in graph.nodes:
            h = node.value
            if node.left is not None:
                h = torch.tanh(h + done[node.left.number] - done[node.right.number])
            done.append(h)
        return done[-1]


def test_a_graph_by_numbers_computes_shared_nodes_once():
    first, second = Node(1), Node(2)
    third = Node(3, first, second)
    nodes = [first, second, third, Node(4, third, first)]
    nodes.append(Node(5, nodes[-1], third))
    for number, node in enumerate(nodes):
        node.number = number
    model = Numbered().eval()
    net = dycl.compile(model, (dycl.Tree(Graph(nodes)),))
    for some in (nodes, nodes[:1], nodes[:3]):
        torch.testing.assert_close(net(Graph(some)), model(Graph(some)))
