"""The soak finds a wrong result and memory that grows."""

import subprocess
import sys

import numpy as np
import pytest

from tools.soak import __main__ as soak
from tools.soak import loads


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
        lost.append(np.ones(1 << 14))
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
    text = soak.page([("calls", 1234567, "+0 KiB", "+0")], 600)
    assert "| calls | 1,234,567 | +0 KiB | +0 |" in text
