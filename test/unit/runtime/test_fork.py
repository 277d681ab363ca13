"""A process may fork while another of its threads calls a network."""

import contextlib
import io
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import locks


class Counts(nn.Module):
    """`total` is always `calls` ones, in each element."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(1, 4000))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if x.sum() > 0:
            self.total = self.total + x
        else:
            self.total = self.total - x
        return self.total * 1


class Prints(Counts):
    def forward(self, x):
        if self.calls > 0:
            print("called")
        return super().forward(x)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            *[nn.Conv2d(16, 16, 3, padding=1) for _ in range(4)]
        )

    def forward(self, x):
        y = self.layers(x)
        return y if y.sum() > 0 else -y


ONES = np.ones((1, 4000), np.float32)


@pytest.fixture(scope="module", params=["native", "python"])
def counts(request):
    net = dycl.compile(Counts().eval(), (torch.ones(1, 4000),))
    return net if request.param == "native" else net.with_python_host()


@contextlib.contextmanager
def calling(function):
    """Have another thread call a function again and again."""
    ends = threading.Event()

    def run():
        while not ends.is_set():
            function()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


def in_child(function, within=60):
    """Whether a function is true in a forked child, which has so many seconds."""
    child = os.fork()
    if child == 0:
        signal.alarm(within)
        try:
            os._exit(0 if function() else 3)
        finally:
            os._exit(4)
    return os.waitpid(child, 0)[1] == 0


@pytest.fixture
def many_switches():
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_state_is_whole_in_a_child(counts):
    """It is what it was between two calls, and calls go on from there."""

    def goes_on():
        before = counts.state
        total = counts(ONES)
        after = counts.state
        return (
            (before["total"] == before["calls"]).all()
            and after["calls"] == before["calls"] + 1
            and (total == after["calls"]).all()
        )

    counts.reset_state()
    counts(ONES)
    with calling(lambda: counts(ONES)):
        for _ in range(30):
            assert in_child(goes_on)
    assert goes_on()


def test_a_fork_within_a_call_of_the_same_thread():
    """From a handler of signals, say: the call goes on in both."""
    net = dycl.compile(Prints().eval(), (torch.ones(1, 4000),))
    net(ONES)
    found = []

    class Forking(io.StringIO):
        def write(self, text):
            found.append(os.fork())
            return len(text)

    with contextlib.redirect_stdout(Forking()):
        total = net(ONES)
    is_right = (total == 2).all() and net.state["calls"] == 2
    if 0 in found:
        os._exit(0 if is_right and (net.state["total"] == 2).all() else 3)
    assert is_right
    assert [os.waitpid(child, 0)[1] for child in found] == [0] * len(found)


def test_a_call_that_does_not_end(monkeypatch):
    """The child has no whole state, and says so; a new one it may have."""
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    net = dycl.compile(Prints().eval(), (torch.ones(1, 4000),))
    net(ONES)
    prints, goes_on = threading.Event(), threading.Event()

    class Waiting(io.StringIO):
        def write(self, text):
            prints.set()
            goes_on.wait(60)
            return len(text)

    def is_refused_until_it_is_new():
        for touch in (lambda: net(ONES), lambda: net.state):
            with pytest.raises(RuntimeError, match="reset_state"):
                touch()
        net.reset_state()
        return (net(ONES) == 1).all()

    with contextlib.redirect_stdout(Waiting()):
        thread = threading.Thread(target=net, args=(ONES,))
        thread.start()
        assert prints.wait(60)
        start = time.monotonic()
        assert in_child(is_refused_until_it_is_new)
        assert time.monotonic() - start < 30
        goes_on.set()
        thread.join()
    assert net.state["calls"] == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_without_state(threads):
    """Threads of the network's own are started anew in a child."""
    net = dycl.compile(Layers().eval(), (torch.ones(1, 16, 32, 32),), threads=threads)
    x = np.random.default_rng(0).normal(size=(1, 16, 32, 32)).astype(np.float32)
    wanted = net(x)

    def is_equal():
        return all(np.array_equal(net(x), wanted) for _ in range(200))

    with calling(lambda: net(x)):
        for _ in range(10):
            assert in_child(is_equal)
        assert in_child(lambda: in_child(is_equal))
    assert is_equal()


def test_loading_meanwhile(counts, tmp_path):
    """A child may load and bind weights while another thread was doing so."""
    counts.save(tmp_path / "net.dycl")

    def load():
        net = dycl.load(tmp_path / "net.dycl")
        return (net(ONES) == net.state["calls"]).all()

    with calling(load):
        for _ in range(10):
            assert in_child(load)


def test_locks_made_meanwhile(many_switches):
    """A fork has all locks, also those that another thread is just making."""

    def make():
        for lock in [locks.Lock() for _ in range(20)]:
            with lock.lock:
                pass

    with calling(make), calling(make):
        for _ in range(200):
            assert in_child(lambda: locks.Lock() is not None)
