"""Many trees in one call: each is a row, and has what a call with it alone gives."""

import asyncio
import random

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.diag import collect_remarks
from dycl.runtime import InputError
from dycl.serve import Batcher, Sessions
from dycl.tools.same import value_difference


class Node:
    def __init__(self, word=None, left=None, right=None):
        self.word, self.left, self.right = word, left, right


class TreeLSTM(nn.Module):
    """A binary Tree-LSTM, with an exit for roots that say enough."""

    def __init__(self):
        super().__init__()
        self.table, self.gates = nn.Embedding(9, 8), nn.Linear(16, 40)
        self.head = nn.Linear(8, 3)

    def node(self, node):
        if node.left is None:
            h = self.table(torch.tensor(node.word))
            return torch.tanh(h), h
        lh, lc = self.node(node.left)
        rh, rc = self.node(node.right)
        i, fl, fr, o, u = self.gates(torch.cat([lh, rh])).chunk(5)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(fl) * lc + torch.sigmoid(fr) * rc
        return torch.sigmoid(o) * torch.tanh(c), c

    def forward(self, root, bias=None):
        h, _ = self.node(root)
        y = self.head(h[None])
        if bias is not None:
            y = y + bias
        if y[0, 0] > 0:
            return {"y": y, "h": h, "kind": 1}
        return {"y": -y, "h": h, "kind": 1}


class Values(nn.Module):
    """Tensors in the nodes; a leaf of another word raises."""

    def total(self, node):
        if node.left is None:
            if node.word.sum() > 50:
                raise ValueError("too large")
            return node.word
        return self.total(node.left) - 0.5 * self.total(node.right)

    def forward(self, root):
        y = self.total(root)
        return y if y.sum() > 0 else -y


class Depth(nn.Module):
    """Nested tuples, and a number for each."""

    def depth(self, tree):
        if isinstance(tree, tuple):
            left, right = tree
            return max(self.depth(left), self.depth(right)) + 1
        return 0

    def forward(self, tree):
        return self.depth(tree)


def tree(rng, leaves, leaf):
    if leaves == 1:
        return Node(leaf(rng))
    left = rng.randrange(1, leaves)
    return Node(None, tree(rng, left, leaf), tree(rng, leaves - left, leaf))


def word(rng):
    return rng.randrange(9)


def vector(rng):
    return torch.randn(1, 4)


def trees(count, leaf=word, seed=0):
    rng = random.Random(seed)
    return [tree(rng, rng.randrange(1, 12), leaf) for _ in range(count)]


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "batched"])
def net(request):
    torch.manual_seed(2)
    model = TreeLSTM().eval()
    example = (dycl.Tree(trees(4)[3]),)
    with collect_remarks() as remarks:
        options = {"rows": True, "batch_trees": request.param}
        # A program that is taken from the cache has no remarks.
        made = dycl.compile(model, example, cache=False, **options)
    (why,) = [r.why for r in remarks if r.what == "run row by row"]
    assert why == "each row of `root` is a tree of its own"
    return model, made


def eager(model, roots, *args):
    with torch.no_grad():
        return [model(root, *args) for root in roots]


@pytest.mark.parametrize("count", [1, 2, 17])
def test_trees_come_back_together(net, count, tmp_path):
    model, made = net
    roots = trees(count, seed=count)
    wanted = eager(model, roots)
    found = made(roots)
    assert found["y"].shape == (count, 3)
    torch.testing.assert_close(found["y"], torch.cat([one["y"] for one in wanted]))
    assert [h.shape for h in found["h"]] == [(8,)] * count
    assert found["kind"] == [1] * count
    for one, part in zip(wanted, made.rows.split(found, count), strict=True):
        assert value_difference(one, part, 1e-5) is None
    assert len(made.paths) == count
    made.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    np.testing.assert_array_equal(loaded(roots)["y"], found["y"])
    again = made.with_python_host()(root=roots)
    torch.testing.assert_close(again["y"], found["y"])


def test_no_trees_and_what_is_no_list(net):
    _, made = net
    found = made([])
    assert isinstance(found["y"], torch.Tensor)
    assert found["y"].shape == (0, 3)
    assert found["h"] == found["kind"] == []
    assert made.paths == ()
    with pytest.raises(InputError, match="list with the root of each"):
        made(trees(1)[0])
    with pytest.raises(InputError, match="list with the root of each"):
        made(tuple(trees(2)))
    with pytest.raises(InputError, match="class int"):
        made([*trees(2), 3])


def test_trees_beside_rows_of_tensors():
    torch.manual_seed(2)
    model, (root,) = TreeLSTM().eval(), trees(1, seed=5)
    given = (dycl.Tree(root), torch.zeros(1, 3))
    net = dycl.compile(model, given, rows=True)
    roots, bias = trees(7), torch.randn(7, 3)
    wanted = torch.cat([model(r, bias[k : k + 1])["y"] for k, r in enumerate(roots)])
    torch.testing.assert_close(net(roots, bias)["y"], wanted)
    with pytest.raises(InputError, match="`bias` has 6 rows, and `root` has 7"):
        net(roots, bias[:6])
    shared = dycl.compile(model, given, rows={"root": 0})
    wanted = torch.cat([one["y"] for one in eager(model, roots, bias[:1])])
    torch.testing.assert_close(shared(roots, bias[:1])["y"], wanted)
    assert dycl.check(net, model, (roots, bias)).ok
    one_tree = dycl.compile(model, given, rows={"bias": 0})
    wanted = torch.cat([model(root, bias[k : k + 1])["y"] for k in range(7)])
    torch.testing.assert_close(one_tree(root, bias)["y"], wanted)


@pytest.mark.parametrize("threads", [1, 2])
def test_tensors_in_nodes_and_a_tree_that_raises(threads):
    example = (dycl.Tree(trees(4, vector)[3]),)
    net = dycl.compile(Values().eval(), example, rows=True, threads=threads)
    for count in (1, 3, 40):
        roots = trees(count, vector, seed=count)
        wanted = torch.cat(eager(Values(), roots))
        assert torch.equal(net(roots), wanted)
        assert {d.taken for path in net.paths for d in path} >= {True, False}
    roots[7].word, roots[7].left = torch.full((1, 4), 99.0), None
    with pytest.raises(ValueError, match="too large"):
        net(roots)
    as_numpy = trees(5, lambda _: np.ones((1, 4), np.float32))
    assert type(net(as_numpy)) is np.ndarray
    assert isinstance(net([*as_numpy, *roots[:1]]), torch.Tensor)
    answers = []

    async def main():
        async with Batcher(net, max_delay=0.05) as batcher:
            asked = [batcher(root) for root in roots[:9]]
            answers.extend(await asyncio.gather(*asked, return_exceptions=True))

    asyncio.run(main())
    assert isinstance(answers.pop(7), ValueError)
    del roots[7]
    assert torch.equal(torch.cat(answers), torch.cat(eager(Values(), roots[:8])))


def test_python_s_own_values_are_trees():
    net = dycl.compile(Depth().eval(), (dycl.Tree((1, (2, 3))),), rows={"tree": 0})
    assert net([1, (1, 2), ((1, (2, 3)), 4)]) == [0, 1, 3]
    assert net([]) == []
    with pytest.raises(TypeError, match="trees"):
        Sessions(net)
