"""The reducer keeps a failure and drops what it does not need."""

import ast
from pathlib import Path

import pytest

from dycl.diag import report_crash
from dycl.ir.placing_parser import parse_text
from dycl.ir.walking import walk
from dycl.tools import opt
from dycl.tools.reduce import reduce_file, reduced, signature
from dycl.tools.reduce_ir import ir_steps
from dycl.tools.reduce_python import reduce_python
from dycl.tools.same import new_context
from dycl.tools.usage import UsageError
from dycl.tools.warm_commands import run_command, tool_of

IR = """
dycl.object @big "m.Big" {}
func.func @helper(%a: !dycl.value) {
  %b = dycl.unary neg %a
  dycl.return %b
}
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %y = dycl.if %p -> (!dycl.value) {
    %s = dycl.binary add %x, %one
    %t = dycl.unary invert %s
    dycl.yield %t
  } else {
    %n = dycl.unary neg %x
    dycl.yield %n
  }
  %z = dycl.for %i in %y carry(%k = %y) {
    %m = dycl.binary mul %k, %i
    dycl.yield %m
  }
  dycl.return %z
}
"""

PYTHON = """
import torch  # a comment

class Net(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        for i in range(3):
            if y.sum() > 0:
                y = y.frobnicate()
            else:
                y = y - 1
        return y

def other():
    return 3
"""


def names_in(text: str) -> list[str]:
    module = parse_text(new_context(), text, "t.mlir")
    return [op.name for op in walk(module) if op is not module]


def test_ir_is_reduced_to_what_fails() -> None:
    def fails(text: str) -> bool:
        return "dycl.unary invert" in text and "dycl.return" in text

    found = reduced(IR, ir_steps, fails)
    assert names_in(found) == ["func.func", "dycl.unary", "dycl.return"]
    assert 'loc("reduced.mlir"' in found


def test_python_is_reduced_to_what_fails() -> None:
    def fails(text: str) -> bool:
        return "frobnicate" in text and "class Net" in text

    found = reduce_python(PYTHON, fails)
    [only] = ast.parse(found).body
    assert isinstance(only, ast.ClassDef)
    assert [type(node).__name__ for node in only.body] == ["FunctionDef"]
    assert len(found.splitlines()) == 4, found


def test_statements_go_in_runs() -> None:
    """Sixty-four of which one fails: as many questions as a search in halves asks."""
    asked = []

    def fails(text: str) -> bool:
        asked.append(text)
        return "wrong" in text

    lines = [f"x{i} = {i}" for i in range(64)]
    text = "\n".join([*lines[:40], "wrong = 1", *lines[40:], ""])
    assert reduce_python(text, fails) == "wrong = 1\n"
    assert len(asked) < 20
    assert reduce_python("no python (", fails) == "no python ("


def test_a_command_of_ours_runs_in_forks(tmp_path: Path, capsys) -> None:
    source = tmp_path / "net.py"
    source.write_text(
        "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 4)\n\n"
        "    def count(self, x):\n        global calls\n        calls = 1\n"
        "        return x\n\n"
        "    def forward(self, x):\n        x = self.fc(x)\n"
        "        if x.sum() > 0:\n            x = -x\n"
        "        y = self.count(x)\n        return y + 1\n\n"
        "def build():\n    return Net()\n",
        encoding="utf-8",
    )
    command = "dycl show %s:build ir --input 'f32[2,4]' --level typed"
    assert tool_of(command) is not None
    found = reduce_file(command, source)
    [net, _] = [n for n in ast.parse(found).body if hasattr(n, "name")]
    assert [method.name for method in net.body] == ["count", "forward"]
    assert "global calls" in found
    assert "self.fc" not in found
    assert len(found.splitlines()) <= 13, found
    said = capsys.readouterr().err
    assert "reducing: status 1, error[DY_]: " in said
    assert "programs tried" in said
    assert len(reduce_file(command, source, seconds=0).splitlines()) >= 18
    assert "stopped by --reduce-seconds" in capsys.readouterr().err


def test_what_is_forked() -> None:
    assert tool_of("dycl-opt -p normalise 'a b.mlir'") == (
        "dycl.tools.opt",
        ["-p", "normalise", "a b.mlir"],
    )
    for others in ("grep x %s", "dycl-opt x > y", 'dycl-opt "$HOME"', "dycl 'x"):
        assert tool_of(others) is None


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(opt, "main", lambda: __import__("time").sleep(60))
    assert run_command("dycl-opt x", tmp_path, 0.2) is None
    monkeypatch.setattr(opt, "main", lambda: print("said") or 3)
    assert run_command("dycl-opt x", tmp_path, 20) == (3, "said\n")


def test_a_command_says_what_fails(tmp_path: Path) -> None:
    source = tmp_path / "net.mlir"
    source.write_text(IR, encoding="utf-8")
    command = (
        "grep -q 'dycl.for' %s && { echo error: no loops 17 >&2; exit 4; } || exit 0"
    )
    found = reduce_file(command, source)
    assert "dycl.for" in found
    assert set(names_in(found)) == {
        "func.func",
        "dycl.for",
        "dycl.yield",
        "dycl.return",
    }
    with pytest.raises(UsageError, match="does not fail on"):
        reduce_file("true", source)
    with pytest.raises(UsageError, match="is not run: .*not found"):
        reduce_file("no-such-command %s", source)
    with pytest.raises(UsageError, match="needs a command"):
        reduce_file("", source)


def test_another_failure_is_not_taken_for_the_same() -> None:
    one = signature("dycl-opt: error: `dycl.for` is not known at net.py:3:4\nmore")
    assert one == signature("x\ndycl-opt: error: `dycl.if` is not known at m.py:9:1")
    assert one != signature("dycl-opt: error: something else at net.py:3:4")
    assert signature("Traceback ..\nKeyError: 'x'") == "KeyError: _"


def test_a_crash_folder_has_its_command(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    report_crash(KeyError("a"), IR, "cse")
    [folder] = tmp_path.glob("dycl-crash-*")
    script = folder / "reproduce.sh"
    text = script.read_text(encoding="utf-8").replace(
        "dycl-opt input.mlir", "grep -q invert input.mlir && exit 3; true"
    )
    script.write_text(text, encoding="utf-8")
    assert opt.run(["--reduce=", str(folder)]) == 0
    assert "dycl.unary invert" in capsys.readouterr().out
    assert opt.run(["--reduce=", str(tmp_path)]) == 2
    assert "is not a folder that a crash left" in capsys.readouterr().err
