"""The soak finds a wrong result and memory that grows."""

import mmap
import subprocess
import sys

import numpy as np
import pytest
import torch

import dycl
from tools.soak import __main__ as soak
from tools.soak import loads, networks, processes


class Net:
    """Calls `body` with the number of the call; no decisions."""

    def __init__(self, body):
        self.body, self.calls, self.path = body, 0, ()

    def __call__(self, x):
        self.calls += 1
        return self.body(x, self.calls)


def run(monkeypatch, load, body):
    inputs = [np.ones(4), np.zeros(4)]
    monkeypatch.setattr(soak, "plans", lambda: [("calls", load, Net(body), inputs)])
    return soak.main(["--seconds", "0.4"])


LOADS = [loads.calls, loads.threads]


@pytest.mark.parametrize("load", LOADS)
def test_right_results_are_right(monkeypatch, load, capsys):
    assert run(monkeypatch, load, lambda x, call: x + 1) == 0
    assert "flat" in capsys.readouterr().out


@pytest.mark.parametrize("load", LOADS)
def test_a_wrong_result_is_found(monkeypatch, load, capsys):
    assert run(monkeypatch, load, lambda x, call: x + (call > 333)) == 1
    assert "wrong" in capsys.readouterr().out


@pytest.mark.parametrize("wrong_after", [10**9, 333], ids=["right", "wrong"])
def test_interrupted_calls(wrong_after):
    """In a process of its own: the signal is for its main thread."""
    code = f"""if True:
        import numpy as np
        from tools.soak import loads
        calls = 0
        def net(x):
            global calls
            calls += 1
            return x + (calls > {wrong_after})
        inputs = [np.ones(4), np.zeros(4)]
        try:
            count = loads.interrupts(net, inputs, 0.4, lambda: None)
            print("interrupted" if count else "never")
        except loads.Wrong:
            print("wrong")
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    wanted = "wrong" if wrong_after == 333 else "interrupted"
    assert done.stdout.strip() == wanted, done.stderr


def test_memory_that_grows_is_found(monkeypatch, capsys):
    lost = []

    def leaks(x, call):
        lost.append(mmap.mmap(-1, 1 << 17))  # None of what tests before have freed.
        lost[-1].write(bytes(1 << 17))
        return x

    assert run(monkeypatch, loads.calls, leaks) == 1
    assert "grows" in capsys.readouterr().out


def test_mappings_that_grow_are_found(monkeypatch, capsys, tmp_path):
    lost = []
    (tmp_path / "file").write_bytes(bytes(8192))

    def maps(x, call):
        if call % 100 == 0:
            lost.append(np.memmap(tmp_path / "file", offset=4096 * (call % 2)))
        return x

    assert run(monkeypatch, loads.calls, maps) == 1
    assert "grows" in capsys.readouterr().out


def test_the_page_has_a_row_for_each_load():
    text = soak.page([("calls", 1234567, "60 s", "+0 KiB", "+0")], "python -m soak")
    assert "| calls | 1,234,567 | 60 s | +0 KiB | +0 |" in text
    assert "`python -m soak` at " in text


def test_one_thread_calls_as_often_as_is_asked(monkeypatch):
    monkeypatch.setattr(loads, "FEWEST", 700)
    net = Net(lambda x, call: x + 1)
    assert loads.calls(net, [np.ones(2)], 0, lambda: None) >= 700


def test_numbers_that_are_not_eagers_are_found():
    """A relu that loses NaN."""
    inputs, model = [torch.ones(1, 4)], torch.relu
    right = Net(lambda x, call: torch.relu(x))
    assert loads.extremes((right, model), inputs, 0, lambda: None) == 13
    wrong = Net(lambda x, call: torch.relu(x.nan_to_num()))
    with pytest.raises(loads.Wrong, match="nan"):
        loads.extremes((wrong, model), inputs, 0, lambda: None)


@pytest.mark.slow
def test_what_several_processes_do_is_right():
    """Each once; a spawned process that gives something else is found."""
    torch.manual_seed(3)
    inputs = networks.inputs()
    net = dycl.compile(networks.Exits().eval(), inputs[:1])
    arrays = [x.numpy() for x in inputs]
    for load in (
        processes.forked,
        processes.full_disks,
        processes.read_only_homes,
        processes.interrupted_compiles,
    ):
        assert load(net, arrays, 0, lambda: None) > 0


def test_a_process_that_fails_is_found(tmp_path):
    (tmp_path / "out").mkdir()
    child = processes._child("raise SystemExit('lost')", tmp_path, "net.dycl")
    with pytest.raises(loads.Wrong, match="lost"):
        processes._done(child)
