"""Layers of tests: what their processes are given, and what is shown of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import layer

ROOT = Path(__file__).parents[3]
ENDS = (
    "import sys; print('said'); print('last'); print('warned', file=sys.stderr); "
    "sys.exit({status})"
)
RULE = "asks: ; @{python} -c 'import sys; print(sys.dont_write_bytecode)'"


@pytest.mark.parametrize("setting", ["1", ""])
def test_processes_of_make_keep_bytecode(setting, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", setting)
    command = ["make", "-s", "--eval", RULE.format(python=sys.executable), "asks"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_static_layers_run_side_by_side_and_before_those_of_pytest():
    done = subprocess.run(
        ["make", "-n", "test"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    (start,) = [line for line in lines if "SIDE_BY_SIDE=1" in line]
    assert {"-j", "2"} < set(start)
    beside = start[start.index("SIDE_BY_SIDE=1") + 1 :]
    assert "types" in beside
    named = [line[2] for line in lines if line[1:2] == ["tools/layer.py"]]
    behind = ["unit", "same-answer", "models", "engines", "rows", "sizes"]
    assert [name for name in named if name != "format"] == [*beside, *behind]


def test_what_passes_shows_its_last_line(monkeypatch, capfd):
    monkeypatch.delenv("V", raising=False)
    assert layer.main("unit", [sys.executable, "-c", ENDS.format(status=0)]) == 0
    out, _ = capfd.readouterr()
    assert out.split()[:2] == ["unit", "ok"]
    assert out.endswith(" s   last\n")
    assert "said" not in out


def test_what_fails_shows_all_it_said(monkeypatch, capfd):
    monkeypatch.delenv("V", raising=False)
    assert layer.main("unit", [sys.executable, "-c", ENDS.format(status=3)]) == 1
    out, _ = capfd.readouterr()
    assert "FAIL" in out
    assert out.endswith("\nsaid\nlast\nwarned\n")
