"""Trees of one call: their kernels run together, and each goes its own way."""

import random
import signal
import threading

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime.together import MOST_CALLS, Together, most_together


class Node:
    def __init__(self, value=None, left=None, right=None):
        self.value, self.left, self.right = value, left, right


class Deciding(nn.Module):
    """A recursion that reads what its kernels give, in each call and behind it."""

    def __init__(self):
        super().__init__()
        self.compose, self.head = nn.Linear(16, 8), nn.Linear(8, 3)

    def node(self, node):
        if node.left is None:
            return node.value
        left = self.node(node.left)
        if left.sum() > 1.0:
            return torch.tanh(left)
        both = torch.cat([left, self.node(node.right)])
        return torch.tanh(self.compose(both))

    def forward(self, root):
        y = self.head(self.node(root))
        if y.max() > 0.3:
            y = y * 2
        return y, int(y.argmax())


class Twice(Deciding):
    """A second recursion begins with what the first gave; a leaf may raise."""

    def depth(self, node):
        if node.left is None:
            if node.value[0] > 50:
                raise ValueError("too large")
            return 1
        return 1 + max(self.depth(node.left), self.depth(node.right))

    def forward(self, root):
        h = self.node(root)
        if h.sum() > 0:
            for _ in range(self.depth(root)):
                h = torch.tanh(self.compose(torch.cat([h, self.node(root)])))
        return h


class Chain(nn.Module):
    """One node for each level: a tree alone has no two kernels to run together."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(8, 8)

    def node(self, node):
        if node.left is None:
            return node.value
        return torch.tanh(self.step(self.node(node.left)))

    def forward(self, root):
        return self.node(root)


class Printing(Deciding):
    def forward(self, root):
        h = self.node(root)
        print("sum", bool(h.sum() > 0))
        return h


def leaf():
    return Node(torch.randn(8))


def tree(rng, leaves):
    if leaves == 1:
        return leaf()
    left = rng.randrange(1, leaves)
    return Node(None, tree(rng, left), tree(rng, leaves - left))


def trees(count, seed=0):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    return [tree(rng, rng.randrange(1, 14)) for _ in range(count)]


def chain(length):
    root = leaf()
    for _ in range(length):
        root = Node(None, root)
    return root


@pytest.fixture
def ran(monkeypatch):
    """The numbers of calls that ran together; below zero: one by one again."""
    numbers, run = [], Together.run

    def counted(self, calls):
        found = run(self, calls)
        numbers.append(len(calls) if found is not None else -len(calls))
        return found

    monkeypatch.setattr(Together, "run", counted)
    return numbers


def compiled(made, root, **options):
    torch.manual_seed(3)
    model = made().eval()
    options = {"rows": True, "batch_trees": True, **options}
    return model, dycl.compile(model, (dycl.Tree(root),), **options)


def run(net, roots):
    """A call, without the comparison with the Python host, which rounds differently."""
    return net.rows((roots,), {})


def each(model, roots):
    with torch.no_grad():
        return [model(root) for root in roots]


@pytest.mark.parametrize("made", [Deciding, Twice])
@pytest.mark.parametrize("threads", [1, 2])
def test_each_tree_goes_its_own_way(made, threads, ran):
    model, net = compiled(made, trees(3)[2], threads=threads)
    alone = dycl.compile(model, (dycl.Tree(trees(3)[2]),), rows=True)
    for count in (2, 16, 50):
        roots = trees(count, seed=count)
        found = net.rows.split(run(net, roots), count)
        for one, wanted in zip(found, each(model, roots), strict=True):
            torch.testing.assert_close(one, wanted)
        run(alone, roots)
        assert net.rows.paths == alone.rows.paths
    taken = {(d.test, d.taken) for path in net.rows.paths for d in path}
    never = {("node.value[0] > 50", True)}
    assert taken | never >= {(t, side) for t, _ in taken for side in (True, False)}
    assert sum(ran) == 68 - 2 * (threads == 2)  # Of two trees each thread has one.
    assert max(ran) <= MOST_CALLS


def test_one_by_one_where_a_tree_raises_or_does_not_fit(ran):
    model, net = compiled(Twice, trees(3)[2])
    roots = trees(20, seed=4)
    large = next(
        r for r, h in zip(roots, each(model, roots), strict=True) if h.sum() > 0
    )
    place = roots.index(large)
    while large.left is not None:
        large = large.left
    large.value[0] = 60.0
    wanted = {}
    for number, root in enumerate(roots):
        try:
            with torch.no_grad():
                model(root)
        except ValueError:
            wanted[number] = root
    assert [*wanted] == [place]
    with pytest.raises(ValueError, match="too large"):
        run(net, roots)
    assert ran[-1] < 0
    with pytest.raises(dycl.runtime.InputError, match="value"):
        run(net, [*trees(3), Node(torch.randn(9))])
    del roots[place]
    torch.testing.assert_close([*run(net, roots)], each(model, roots))
    assert ran[-1] > 0


def test_many_deep_ones(ran):
    model, net = compiled(Chain, chain(3), max_recursion=20_001)
    roots = [chain(length) for length in (20_000, 0, 7, 20_000, 300, 1)]
    found = run(net, roots)
    for root, one in zip(
        roots[1:3] + roots[4:], [*found[1:3], *found[4:]], strict=True
    ):
        torch.testing.assert_close(one, each(model, [root])[0])
    with torch.no_grad():
        for place in (0, 3):
            node, h = roots[place], None
            while node.left is not None:
                node = node.left
            h = node.value
            for _ in range(20_000):
                h = torch.tanh(model.step(h))
            torch.testing.assert_close(found[place], h)
    assert ran == [6]


def test_what_can_be_seen_from_outside_goes_in_order(capsys, ran):
    model, net = compiled(Printing, trees(3)[2])
    roots = trees(9, seed=5)
    run(net, roots)
    ours = capsys.readouterr().out
    each(model, roots)
    assert ours == capsys.readouterr().out
    assert ours.count("True") not in (0, 9)
    assert ran == []


def test_weights_files_and_a_call_within_a_call(tmp_path, ran):
    model, net = compiled(Deciding, trees(3)[2])
    roots = trees(9, seed=6)
    before = run(net, roots)[0]
    with torch.no_grad():
        model.head.bias += 1.0
    net.load_weights(model.state_dict())
    for one, wanted in zip(run(net, roots)[0], each(model, roots), strict=True):
        torch.testing.assert_close(one, wanted[0])
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    np.testing.assert_array_equal(loaded(roots)[0], run(net, roots)[0])
    assert not torch.equal(before[0], run(net, roots)[0][0])
    seen = []

    def interrupt(*_):
        seen.append(len(run(net, roots)[1]))

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        wanted = [kind for _, kind in each(model, roots)]
        for delay in range(1, 30):
            signal.setitimer(signal.ITIMER_REAL, 1e-5 * delay)
            assert run(net, roots)[1] == wanted
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert {*seen} == {9}
    assert {9, -9} >= {*ran}


def test_threads_call_it_at_the_same_time():
    model, net = compiled(Deciding, trees(3)[2])
    wrong = []

    def work(seed):
        roots = trees(20, seed=seed)
        wanted = each(model, roots)
        for _ in range(20):
            found = net.rows.split(run(net, roots), 20)
            pairs = zip(found, wanted, strict=True)
            if not all(torch.allclose(a[0], b[0], atol=1e-5) for a, b in pairs):
                wrong.append(seed)

    work_of = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for one in work_of:
        one.start()
    for one in work_of:
        one.join()
    assert wrong == []


def test_how_many_run_together():
    _, net = compiled(Deciding, trees(3)[2])
    host = net.rows.single._native
    assert most_together(host) == MOST_CALLS
    assert most_together(None) == 0
    plain = dycl.compile(Deciding().eval(), (dycl.Tree(trees(3)[2]),), rows=True)
    assert most_together(plain.rows.single._native) == 0
