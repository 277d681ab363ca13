"""Tree-LSTMs over trees of 10 to 60 leaves: compiled once, run on each, beside eager.

    python -m bench.trees [--rounds N] [--size N]

One thread. Trees come from a seeded grammar; each round runs all trees through eager,
then through each compiled network, and for each tree the fastest of the rounds counts.
`batched` is `batch_trees=True`; `in calls of 16` has rows as well, and is given 16
trees in a call. Small trees have 2 to 8 leaves; of left-deep ones each fork has a leaf
on its right.
"""

import argparse
import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

import dycl

LEAVES = (10, 60)
CALL = 16
"""Trees in one call."""


class Node:
    """A binary tree's: a leaf has a vector, a fork has two children."""

    def __init__(self, value: Any = None, left: Any = None, right: Any = None):
        self.value, self.left, self.right = value, left, right


class Word:
    """A node of any number of children, with a vector of its own."""

    def __init__(self, value: Any, children: Sequence["Word"] = ()):
        self.value, self.children = value, list(children)


class Binary(nn.Module):
    """The binary Tree-LSTM of Tai, Socher and Manning."""

    def __init__(self, size: int):
        super().__init__()
        self.leaf_c, self.leaf_o = nn.Linear(size, size), nn.Linear(size, size)
        self.gates = nn.Linear(2 * size, 5 * size)

    def node(self, node: Any) -> tuple[Any, Any]:
        """What a node is encoded as, and its cell."""
        if node.left is None:
            c = self.leaf_c(node.value)
            return torch.sigmoid(self.leaf_o(node.value)) * torch.tanh(c), c
        lh, lc = self.node(node.left)
        rh, rc = self.node(node.right)
        i, fl, fr, o, u = self.gates(torch.cat([lh, rh])).chunk(5)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(fl) * lc + torch.sigmoid(fr) * rc
        return torch.sigmoid(o) * torch.tanh(c), c

    def forward(self, root: Any) -> Any:
        """What the root is encoded as."""
        h, _ = self.node(root)
        return h


class ChildSum(nn.Module):
    """Their child-sum Tree-LSTM."""

    def __init__(self, size: int):
        super().__init__()
        self.size = size
        self.ioux = nn.Linear(size, 3 * size)
        self.iouh = nn.Linear(size, 3 * size, bias=False)
        self.fx, self.fh = nn.Linear(size, size), nn.Linear(size, size, bias=False)

    def node(self, node: Any) -> tuple[Any, Any]:
        """What a node is encoded as, and its cell."""
        h_sum, fc = torch.zeros(self.size), torch.zeros(self.size)
        for child in node.children:
            h, c = self.node(child)
            h_sum = h_sum + h
            fc = fc + torch.sigmoid(self.fx(node.value) + self.fh(h)) * c
        i, o, u = (self.ioux(node.value) + self.iouh(h_sum)).chunk(3)
        c = torch.sigmoid(i) * torch.tanh(u) + fc
        return torch.sigmoid(o) * torch.tanh(c), c

    def forward(self, root: Any) -> Any:
        """What the root is encoded as."""
        h, _ = self.node(root)
        return h


def binary_tree(rng: random.Random, leaves: int, size: int) -> Node:
    """A fork splits its leaves anywhere."""
    if leaves == 1:
        return Node(torch.randn(size))
    left = rng.randrange(1, leaves)
    children = binary_tree(rng, left, size), binary_tree(rng, leaves - left, size)
    return Node(None, *children)


def left_deep(rng: random.Random, leaves: int, size: int) -> Node:
    """Each level has one fork and one leaf."""
    del rng
    root = Node(torch.randn(size))
    for _ in range(leaves - 1):
        root = Node(None, root, Node(torch.randn(size)))
    return root


def word_tree(rng: random.Random, leaves: int, size: int) -> Word:
    """A word has up to four children, which share its leaves."""
    if leaves == 1:
        return Word(torch.randn(size))
    cuts = sorted(rng.sample(range(1, leaves), min(rng.randrange(1, 4), leaves - 1)))
    parts = [b - a for a, b in zip([0, *cuts], [*cuts, leaves], strict=True)]
    return Word(torch.randn(size), [word_tree(rng, part, size) for part in parts])


def seconds(run: Callable[[Any], object], tree: Any) -> float:
    """Time for one call."""
    begin = time.perf_counter()
    run(tree)
    return time.perf_counter() - begin


def main() -> None:
    """Print a line for each network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--trees", type=int, default=30)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    binary = Binary(given.size)
    cases: list[tuple[str, Any, Callable[..., Any], tuple[int, int]]] = [
        ("binary", binary, binary_tree, LEAVES),
        ("child-sum", ChildSum(given.size), word_tree, LEAVES),
        ("binary, small", binary, binary_tree, (2, 8)),
        ("binary, left-deep", binary, left_deep, LEAVES),
    ]
    made: list[tuple[str, Any, Sequence[Any], list[Any]]] = []
    for name, model, make, leaves in cases:
        rng = random.Random(0)
        trees = [
            make(rng, rng.randint(*leaves), given.size) for _ in range(given.trees)
        ]
        example = (dycl.Tree(trees[0]),)
        nets = [
            dycl.compile(model.eval(), example, batch_trees=batched, rows=has_rows)
            for batched, has_rows in ((False, False), (True, False), (True, True))
        ]
        made.append((name, model, trees, nets))
    with torch.no_grad():
        for name, model, trees, nets in made:
            *alone, rows = nets
            for net in alone:
                for tree in trees:
                    torch.testing.assert_close(net(tree), model(tree))
            wanted = [model(tree) for tree in trees]
            torch.testing.assert_close([*rows(trees)], wanted)
            report(name, model, trees, nets, given.rounds)


def report(
    name: str, model: Any, trees: Sequence[Any], nets: Sequence[Any], rounds: int
) -> None:
    """Measure in turn, and print milliseconds and ratios."""
    *alone, rows = nets
    runs = [model, *alone]
    fastest = [[math.inf] * len(trees) for _ in runs]
    groups = [trees[i : i + CALL] for i in range(0, len(trees), CALL)]
    in_calls = [math.inf] * len(groups)
    for _ in range(rounds):
        for best, run in zip(fastest, runs, strict=True):
            for number, tree in enumerate(trees):
                best[number] = min(best[number], seconds(run, tree))
        for number, group in enumerate(groups):
            in_calls[number] = min(in_calls[number], seconds(rows, group))
    eager, *ours = (1e3 * sum(best) / len(trees) for best in (*fastest, in_calls))
    print(f"{name}: ms for a tree: eager {eager:.2f}", end="")
    ways = ("recursion", "batched", f"in calls of {CALL}")
    for way, time_of in zip(ways, ours, strict=True):
        print(f"; {way} {time_of:.2f}, {eager / time_of:.1f}x", end="")
    print(flush=True)


if __name__ == "__main__":
    main()
