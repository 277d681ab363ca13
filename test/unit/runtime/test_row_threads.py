"""Threads that share rows in native code: whoever calls, forks, or wants to stop."""

import gc
import os
import signal
import threading

import pytest
import torch
from torch import nn

import dycl
from dycl.runtime.row_runs import RowRuns


class Blocks(nn.Module):
    """Convolutions, which go row by row, and a loop that may have no end."""

    def __init__(self):
        super().__init__()
        self.stem, self.block = nn.Conv2d(2, 4, 3), nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        while x[0, 0, 0, 0] > 200:
            x = x + 1
        if x[0, 0, 0, 0] > 100:
            raise ValueError(f"row {int(x[0, 0, 0, 1])}")
        y = self.stem(x)
        return y + self.block(y) if y.mean() > 0 else y


@pytest.fixture(scope="module")
def blocks():
    torch.manual_seed(1)
    example, limit = (torch.randn(1, 2, 6, 6),), 1 << 40
    model = Blocks().eval()
    one, two = (
        dycl.compile(model, example, rows=True, threads=n, max_iterations=limit)
        for n in (1, 2)
    )
    assert not two.rows.is_grouped
    return one, two


def images(count):
    return torch.randn(count, 2, 6, 6, generator=torch.Generator().manual_seed(count))


@pytest.fixture
def two_processors(monkeypatch):
    """Whatever the machine has."""
    monkeypatch.setattr("dycl.runtime.row_runs.processors", lambda: 2)


def test_any_thread_may_call_at_any_time(blocks, two_processors):
    one, two = blocks
    wanted = {count: one(images(count)) for count in (2, 5, 33)}
    wrong = []

    def call(count):
        for _ in range(20):
            if not torch.equal(two(images(count)), wanted[count]):
                wrong.append(count)
            if len(two.paths) != count:
                wrong.append(count)

    threads = [threading.Thread(target=call, args=(n,)) for n in (*wanted, 33)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_first_row_that_raises_is_told(blocks, two_processors):
    _, two = blocks
    for first, second in ((3, 4), (0, 39), (38, 39)):
        x = images(40)
        for row in (first, second):
            x[row, 0, 0, 0], x[row, 0, 0, 1] = 101, row
        for _ in range(5):
            with pytest.raises(ValueError, match=f"row {first}$"):
                two(x)
            assert two.paths == ()


def test_a_forked_child_has_threads_of_its_own(blocks, two_processors):
    one, two = blocks
    x = images(12)
    wanted = one(x)
    assert torch.equal(two(x), wanted)
    child = os.fork()
    if child == 0:
        os._exit(0 if all(torch.equal(two(x), wanted) for _ in range(3)) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert torch.equal(two(x), wanted)


@pytest.mark.parametrize("row", [0, 1, 7])
def test_control_c_ends_a_row_of_any_thread(blocks, two_processors, row, request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    one, two = blocks
    x = images(8)
    wanted = one(x)
    x[row, 0, 0, 0] = torch.inf
    interrupt = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        two(x)
    interrupt.join()
    assert torch.equal(two(images(8)), wanted)


def test_weights_that_are_loaded_are_those_of_all_threads(blocks, two_processors):
    _, two = blocks
    x = images(20)
    torch.manual_seed(5)
    other, before = Blocks().eval(), two.weights
    first = two(x)
    two.load_weights(other.state_dict())
    found = two(x)
    assert not torch.equal(found, first)
    with torch.no_grad():
        for row in range(20):
            torch.testing.assert_close(found[row : row + 1], other(x[row : row + 1]))
    two.load_weights(before)
    assert torch.equal(two(x), first)


def test_threads_end_with_their_network(two_processors):
    def named():
        return [t for t in threading.enumerate() if t.name.startswith("dycl-rows")]

    known = named()
    net = dycl.compile(Blocks().eval(), (images(1),), rows=True, threads=2)
    net(images(9))
    (new,) = (thread for thread in named() if thread not in known)
    del net
    gc.collect()
    new.join(20)
    assert not new.is_alive()


def test_one_processor_runs_no_other_thread(monkeypatch):
    monkeypatch.setattr("dycl.runtime.row_runs.processors", lambda: 1)
    counts, made = [], RowRuns.__init__

    def counted(self, batches, instances):
        counts.append(len(instances))
        made(self, batches, instances)

    monkeypatch.setattr(RowRuns, "__init__", counted)
    net = dycl.compile(Blocks().eval(), (images(1),), rows=True, threads=2)
    assert len(net(images(9))) == 9
    assert counts == [1]
