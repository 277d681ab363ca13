"""Trees in a list that the network goes over: what it makes of each lasts beyond it."""

import random

import pytest
import torch
from torch import nn

import dycl
from dycl.tools.same import value_difference


class Node:
    def __init__(self, value=None, left=None, right=None):
        self.value, self.left, self.right = value, left, right


class Forest:
    def __init__(self, trees):
        self.trees = trees


class Encoder(nn.Module):
    """A list of tensors is made beside calls of a recursion."""

    def __init__(self):
        super().__init__()
        self.compose = nn.Linear(8, 4)

    def node(self, node):
        if node.left is None:
            return node.value
        both = torch.cat([self.node(node.left), self.node(node.right)])
        return torch.tanh(self.compose(both))

    def forward(self, root):
        found = []
        for tree in root.trees:
            h = self.node(tree)
            if h.sum() > 0:
                h = -h
            found.append(h)
        return torch.stack(found)


class Mutual(Encoder):
    """Two functions call each other, and one of them makes lists."""

    def forest(self, trees):
        found = [self.node(tree) for tree in trees]
        return torch.stack(found).mean(0)

    def node(self, node):
        if node.left is None:
            return node.value
        both = torch.cat([self.forest([node.left, node.right]), self.node(node.right)])
        return torch.tanh(self.compose(both))

    def forward(self, root):
        best = None
        for tree in root.trees:
            h = self.node(tree)
            best = h if best is None else torch.maximum(best, h)
        return best


class Best(Encoder):
    """The place of the largest of some numbers, of equal ones the first."""

    def forward(self, root):
        found = [self.node(tree) for tree in root.trees]
        best = max(range(len(found)), key=lambda k: found[k].sum().item())
        worst = min(
            range(1, len(found)), key=lambda k: found[k].sum().item(), default=0
        )
        return found[best] - found[worst], best, worst


def tree(rng, leaves):
    if leaves == 1:
        return Node(torch.randn(4))
    left = rng.randrange(1, leaves)
    return Node(None, tree(rng, left), tree(rng, leaves - left))


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("made", [Encoder, Mutual])
def test_what_is_made_of_each_tree_lasts(made, batched):
    torch.manual_seed(0)
    rng = random.Random(1)
    model = made().eval()
    forests = [
        Forest([tree(rng, rng.randrange(1, 9)) for _ in range(count)])
        for count in (3, 1, 7, 200)
    ]
    net = dycl.compile(model, (dycl.Tree(forests[0]),), batch_trees=batched).network
    for forest in forests:
        with torch.no_grad():
            wanted = model(forest)
        assert value_difference(wanted, net(forest), 1e-5) is None


def test_the_place_of_the_largest_key():
    torch.manual_seed(0)
    rng = random.Random(1)
    model = Best().eval()
    trees = [tree(rng, rng.randrange(1, 6)) for _ in range(6)]
    forests = [Forest(trees), Forest(trees[:1]), Forest([*trees[::-1], *trees])]
    net = dycl.compile(model, (dycl.Tree(forests[0]),)).network
    for forest in forests:
        with torch.no_grad():
            assert value_difference(model(forest), net(forest), 1e-5) is None
    for run in (model, net):
        with pytest.raises(ValueError, match="empty sequence"):
            run(Forest([]))
