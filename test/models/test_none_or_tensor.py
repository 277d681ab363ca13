"""A tensor that some nodes lack is compared, and asked for its class: as in eager."""

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context

X = torch.linspace(-1, 1, 4)


class Node:
    def __init__(self, value, other, child=None):
        self.value, self.other, self.child = value, other, child


NODES = (
    Node(X, X + 1, Node(X, None)),
    Node(X, None, Node(X, X)),
    Node(X, X.clone()),
    Node(X, torch.full((4,), torch.nan)),
    Node(X, None),
)


class Equal(nn.Module):
    """None equals no tensor."""

    def forward(self, node):
        return node.other == node.value, node.value


class Unequal(nn.Module):
    def forward(self, node):
        return node.value != node.other, node.value


class Guarded(nn.Module):
    """Elements are asked behind a test of None alone."""

    def forward(self, node):
        if node.other is not None and (node.other == node.value).all():
            return False, node.value
        return True, node.value + 1


class OfClass(nn.Module):
    def forward(self, node):
        return isinstance(node.other, torch.Tensor), node.value


@pytest.mark.parametrize("make", [Equal, Unequal, Guarded, OfClass])
def test_as_in_eager(make):
    model = make().eval()
    net = dycl.compile(model, (dycl.Tree(NODES[0]),))
    with deep_recursion(), torch.no_grad():
        module = Parser(new_context(), net.stages["hcfg"]).parse_module()
        machine = Interpreter(module, dict(model.state_dict()))
        for run in (net, lambda tree: machine.run([tree]).value):
            for node in NODES:
                (found, value), (wanted, also) = run(node), model(node)
                assert type(found) is type(wanted)
                torch.testing.assert_close(found, wanted)
                torch.testing.assert_close(value, also)
