"""Layers of tests: what their processes are given, and what is shown of them."""

import sys

import pytest

from tools import layer

ASKS = "import sys; print(sys.dont_write_bytecode); sys.exit({status})"


@pytest.mark.parametrize("setting", ["1", ""])
def test_processes_keep_bytecode(setting, monkeypatch, capfd):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", setting)
    monkeypatch.delenv("V", raising=False)
    assert layer.main("unit", [sys.executable, "-c", ASKS.format(status=0)]) == 0
    out, _ = capfd.readouterr()
    assert out.split()[:2] == ["unit", "ok"]
    assert out.endswith(" s   False\n")


def test_what_fails_shows_all_it_said(monkeypatch, capfd):
    monkeypatch.delenv("V", raising=False)
    assert layer.main("unit", [sys.executable, "-c", ASKS.format(status=3)]) == 1
    out, _ = capfd.readouterr()
    assert "FAIL" in out
    assert out.endswith("\nFalse\n")
