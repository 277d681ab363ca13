"""Large results lie in memory of their own, which the caller takes: no run writes to
what an earlier one gave, whoever holds it."""

import resource
import zipfile

import numpy as np
import pytest
import torch

import dycl

LARGE = 160  # 100 KB, squared


class Chooses(torch.nn.Module):
    """Two results of one run, one of them twice, one as another view, by paths."""

    def forward(self, x, y):
        a = x + y
        if a.sum() > 0:
            b = a * 2
            return a, b, a, b.reshape(-1)
        return y - x, a, a, a.t().reshape(-1) + 0.5


class Keeps(torch.nn.Module):
    """A result that the next run reads."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(LARGE, LARGE))

    def forward(self, x):
        self.total = self.total + x
        return self.total


def drawn(seed, sign=1):
    generator = torch.Generator().manual_seed(seed)
    given = torch.rand(2, LARGE, LARGE, generator=generator) * sign
    return given[0], given[1]


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    net = dycl.compile(Chooses().eval(), drawn(0), host="native")
    path = tmp_path_factory.mktemp("net") / "net.dycl"
    net.save(path)
    with zipfile.ZipFile(path) as file:
        assert b"dycl_result(h, 2, 102400)" in file.read("native/host.c")
    return net


def test_are_as_in_eager_and_stay(net):
    kept = []
    for seed in range(6):
        given = drawn(seed, 1 if seed % 3 else -1)
        kept.append((net(*given), Chooses()(*given)))
    for ours, eager in kept:
        for one, other in zip(ours, eager, strict=True):
            assert torch.equal(one, other)


def test_may_be_changed_and_dropped(net):
    given = drawn(7)
    eager = Chooses()(*given)
    for _ in range(4):
        ours = net(*given)
        for one, other in zip(ours, eager, strict=True):
            assert torch.equal(one, other)
        ours[0].zero_()
        ours[1].fill_(torch.nan)
        del ours


def test_of_arrays(net):
    given = drawn(8)
    eager = [x.numpy() for x in Chooses()(*given)]
    first = net(*(x.numpy() for x in given))
    net(*drawn(9))
    net(*(x.numpy() for x in drawn(10)))
    for one, other in zip(first, eager, strict=True):
        np.testing.assert_array_equal(one, other)


def test_do_not_leak(net):
    given = drawn(11)
    net(*given)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(2000):
        net(*given)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


def test_of_state():
    model = Keeps().eval()
    net = dycl.compile(Keeps().eval(), (drawn(0)[0],), host="native")
    for seed in range(4):
        x = drawn(seed)[0]
        ours, eager = net(x), model(x)
        assert torch.equal(ours, eager)
        ours.zero_()  # it is the caller's: the state stays
        model.total = model.total.clone()


class Grows(torch.nn.Module):
    """Results of dynamic size: one of a launch, by paths, and another one twice."""

    def forward(self, x):
        more = torch.cat([x, x + 1])
        if x.sum() > 0:
            return more, x * 2, more
        return x * 3, more, x


def test_of_dynamic_size_are_taken_from_the_second_run_on():
    dims = {"x": {0: dycl.Dim("n", max=20_000)}}
    net = dycl.compile(
        Grows().eval(), (drawn(0)[0],), dynamic_shapes=dims, host="native"
    )
    kept = []
    for seed, rows in enumerate((9, 15_000, 15_000, 300, 0, 16_000, 16_000, 8000, 1)):
        for sign in (1, 1, -1):
            generator = torch.Generator().manual_seed(seed)
            x = torch.rand(rows, LARGE, generator=generator) * sign
            kept.append((net(x), Grows()(x)))
    for ours, eager in kept:
        for one, other in zip(ours, eager, strict=True):
            assert torch.equal(one, other)
    # What is so large begins at a huge page, where it was made, and 256 bytes further.
    x = torch.rand(15_000, LARGE)
    begins = [net(x)[0].data_ptr() % (1 << 21) for _ in range(4)]
    assert begins[2:] == [256, 256]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(50):
        net(x)[0].zero_()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000
    assert torch.equal(net(x)[0], Grows()(x)[0])
