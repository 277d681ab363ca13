"""Calls that native code takes as they are: the same as those that Python looks at.

State lies in memory that runs read and write in place, so what shares memory with it
has to be right: values that change places, state that is returned, tensors that a call
leaves alone.
"""

import signal
import threading

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import CompiledNet


class Swaps(nn.Module):
    """Two tensors change places; one of them is returned as it was."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(1, 4))
        self.register_buffer("b", torch.ones(1, 4))
        self.register_buffer("still", torch.full((1, 4), 7.0))

    def forward(self, x):
        before = self.a
        if x.sum() > 0:
            self.a, self.b = self.b, self.a
        else:
            self.a = self.b
        return before, self.still, self.b + x


class Kinds(nn.Module):
    """Nothing at first; a number of each kind; what is only set."""

    def __init__(self):
        super().__init__()
        self.h = None
        self.count = 0
        self.scale = 0.5
        self.odd = False
        self.seen = None

    def forward(self, x):
        self.count += 1
        self.scale = self.scale * 0.5
        self.odd = not self.odd
        self.seen = x * 2
        if x.sum() < 0:
            self.h = None
        elif self.h is None:
            self.h = x
        else:
            self.h = self.h + x
        if x.max() > 100:
            raise ValueError("too large")
        return x * self.scale


def rows(count=60):
    generator = torch.Generator().manual_seed(3)
    return list(torch.randn(count, 1, 4, generator=generator))


def same(one, other):
    if isinstance(other, torch.Tensor):
        assert type(one) is torch.Tensor
        assert torch.equal(one, other.detach())
        assert not one.requires_grad
    elif isinstance(other, (tuple, list)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    else:
        assert (type(one), one) == (type(other), other)


@pytest.fixture
def only_at_once(monkeypatch):
    """From when it is called, Python may look at no argument."""

    def look(self, args, kwargs):
        raise AssertionError("this call was looked at")

    return lambda: monkeypatch.setattr(CompiledNet, "looked_at", look)


@pytest.mark.parametrize("make", [Swaps, Kinds])
@pytest.mark.parametrize("as_arrays", [False, True])
def test_state(make, as_arrays, only_at_once):
    model, x = make().eval(), rows()
    net = dycl.compile(make().eval(), (x[0],))
    net.reset_state()
    for i, row in enumerate(x):
        wanted = model(row)
        if as_arrays:
            got = net(row.numpy())
            got = tuple(map(torch.from_numpy, got)) if type(got) is tuple else got
            got = torch.from_numpy(got) if type(got) is np.ndarray else got
        else:
            got = net(row)
        same(got, wanted)
        if i % 3 == 0:
            for name, value in net.state.items():
                kind = np.ndarray if as_arrays else torch.Tensor
                if isinstance(getattr(model, name), torch.Tensor):
                    assert type(value) is kind
                    value = torch.as_tensor(value)
                same(value, getattr(model, name))
        if i == 1:
            only_at_once()
    assert {d.taken for d in net.path} <= {True, False}


def test_a_call_that_raises_leaves_the_state(only_at_once):
    net, x = dycl.compile(Kinds().eval(), (torch.ones(1, 4),)), torch.ones(1, 4)
    net.reset_state()
    net(x)
    net(x)
    only_at_once()
    before = net.state
    with pytest.raises(ValueError, match="too large"):
        net(1000 * x)
    same(list(net.state.values()), list(before.values()))
    assert before["count"] == 2


def test_state_is_set_between_calls(only_at_once):
    model, x = Kinds().eval(), torch.ones(1, 4)
    net = dycl.compile(Kinds().eval(), (x,))
    net.reset_state()
    net(x), model(x)
    only_at_once()
    net.state = {"h": torch.full((1, 4), 5.0), "count": 41}
    model.h, model.count = torch.full((1, 4), 5.0), 41
    for _ in range(2):
        same(net(x), model(x))
    same(net.state["h"], model.h)
    assert net.state["count"] == 43
    net.state = {"h": None}
    model.h = None
    same(net(x), model(x))
    same(net.state["h"], model.h)
    net.reset_state()
    assert net.state["count"] == 0
    net(x)
    assert net.state["count"] == 1


def test_threads_have_one_state():
    net = dycl.compile(Kinds().eval(), (torch.ones(1, 4),))
    net.reset_state()

    def work():
        for _ in range(500):
            net(torch.ones(1, 4))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert net.state["count"] == 2000
    assert torch.equal(net.state["h"], torch.full((1, 4), 2000.0))


class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0

    def forward(self, x):
        self.n += 1
        if x.sum() > 0:
            return x * 2
        return x - 1


@pytest.mark.parametrize("host", ["native", "python"])
def test_a_call_by_a_signal(host):
    net = dycl.compile(Gate().eval(), (torch.ones(1, 4),), host=host)
    x, calls = torch.ones(1, 4), 0

    def handler(number, frame):
        nonlocal calls
        calls += 1
        assert torch.equal(net(-x), -x - 1)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for turn in range(300):
            had = calls
            signal.setitimer(signal.ITIMER_REAL, 1e-5 + turn * 1e-6)
            while calls == had:
                assert torch.equal(net(x), x * 2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert calls == 300


class Speaks(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0

    def forward(self, x):
        self.n += 1
        if x.sum() > 0:
            print("positive")
        return x * 2


@pytest.mark.parametrize("host", ["native", "python"])
def test_a_call_within_a_call_with_state_is_refused(host, monkeypatch):
    net = dycl.compile(Speaks().eval(), (torch.ones(1, 4),), host=host)
    net.reset_state()

    class Out:
        def write(self, text):
            net(-torch.ones(1, 4))

        def flush(self):
            pass

    monkeypatch.setattr("sys.stdout", Out())
    with pytest.raises(RuntimeError, match="called while it runs, by the same thread"):
        net(torch.ones(1, 4))
    monkeypatch.undo()
    assert net.state["n"] == 0
    assert torch.equal(net(-torch.ones(1, 4)), torch.full((1, 4), -2.0))
    assert net.state["n"] == 1


ALL = {
    "float32": torch.float32,
    "float64": torch.float64,
    "int64": torch.int64,
    "bool": torch.bool,
}


class Both(nn.Module):
    def forward(self, x, y):
        if y.sum() > 0:
            return {"x": x, "both": [y, (x, 3)]}
        return {"x": x, "both": [x, (y, 4)]}


@pytest.mark.parametrize("dtype", ALL.values(), ids=ALL)
@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (0, 2)])
def test_tensors_of_torch(dtype, shape, only_at_once):
    generator = torch.Generator().manual_seed(1)
    x = (torch.randn(shape, generator=generator) * 5).to(dtype)
    y, z = torch.ones(2), -torch.ones(2)
    net = dycl.compile(Both().eval(), (x, y))
    net(x, y)
    if x.numel():
        only_at_once()
    for given in (y, z, y):
        got, wanted = net(x, given), Both()(x, given)
        assert got["x"].dtype == dtype
        same(list(got.values()), list(wanted.values()))
        assert [d.taken for d in net.path] == [bool(given.sum() > 0)]
        got["x"].fill_(0)
        assert got["x"].data_ptr() != x.data_ptr() or not x.numel()


@pytest.mark.parametrize("shape", [(), (1, 1), (1, 4)])
def test_elements_that_stand_with_the_other_sign(shape):
    x = torch.imag(torch.full(shape, 1 + 2j).conj())
    assert x.is_neg()
    y = torch.ones(2)
    net = dycl.compile(Both().eval(), (torch.ones(shape), y))
    net(torch.ones(shape), y)
    assert torch.equal(net(x, y)["x"], torch.full(shape, -2.0))


def test_a_large_tensor_lives_as_long_as_it_is_used():
    x = torch.arange(1 << 16, dtype=torch.float32)
    net = dycl.compile(Both().eval(), (x, torch.ones(2)))
    kept = [net(x + i, torch.ones(2))["x"] for i in range(20)]
    del net
    for i, one in enumerate(kept):
        assert torch.equal(one, x + i)
        assert one.data_ptr() % 64 == 0
    one = kept.pop()
    view = one[100:]
    del one, kept
    assert torch.equal(view, x[100:] + 19)


def test_wrapped_tensors_are_looked_at():
    """Those of torch.func hold no memory of their own: a sentence, and nothing runs."""
    net = dycl.compile(Gate().eval(), (torch.ones(1, 4),))
    x = torch.ones(1, 4)
    net(x)
    with pytest.raises(Exception, match=r"."):
        torch.func.vmap(net)(torch.ones(2, 1, 4))
    assert torch.equal(net(x), x * 2)
