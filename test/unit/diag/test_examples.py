"""The examples of `dycl explain CODE`: one is refused with this code, one is taken."""

import importlib.util
import linecache
import os
import re
import sys
from pathlib import Path

import pytest
import torch

import dycl
from dycl.diag import CODES, CompileErrors
from dycl.diag.examples import command_of, examples
from dycl.toolchain import compiler
from dycl.tools.warm_commands import run_command

MODELS = sorted(code for code, one in examples().items() if one.kind == "model")
SCRIPTS = sorted(code for code, one in examples().items() if one.kind == "script")
COMMANDS = sorted(code for code, one in examples().items() if one.kind == "command")


@pytest.fixture
def net(tmp_path, monkeypatch):
    """Makes the module that has these methods, from a file."""

    def make(methods):
        lines = [f"    {line}".rstrip() for line in methods.splitlines()]
        text = "\n".join(lines)
        path = tmp_path / "example.py"
        path.write_text(
            f"import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n{text}\n"
        )
        linecache.clearcache()
        spec = importlib.util.spec_from_file_location("example", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "example", module)
        spec.loader.exec_module(module)
        torch.manual_seed(0)
        return module.Net().eval()

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return make


def test_every_code_has_one():
    assert list(examples()) == sorted(CODES)


@pytest.mark.parametrize("code", MODELS)
def test_refused(code, net):
    try:
        model = net(examples()[code].refused)
    except SyntaxError:
        pytest.fail("an example is Python")
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(model, (torch.ones(2, 4),), backend="reference")
    assert {error.code for error in caught.value.errors} == {code}


@pytest.mark.parametrize("code", MODELS)
def test_taken(code, net):
    """And gives what eager gives."""
    model = net(examples()[code].taken)
    compiled = dycl.compile(model, (torch.ones(2, 4),), backend="reference")
    for x in (torch.ones(2, 4), -torch.ones(2, 4), torch.arange(8.0).view(2, 4)):
        with torch.no_grad():
            expected = model(x.clone())
        torch.testing.assert_close(compiled(x), expected)


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Runs a script in a folder of its own; a module that it imports goes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(text):
        path = tmp_path / "script.py"
        path.write_text(f"import dycl\nimport torch\nfrom torch import nn\n\n{text}")
        linecache.clearcache()
        spec = importlib.util.spec_from_file_location("script", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "script", module)
        try:
            spec.loader.exec_module(module)
        finally:
            sys.modules.pop("edited", None)

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return run


@pytest.mark.parametrize("code", SCRIPTS)
def test_script_is_refused(code, script, monkeypatch):
    if code == "DY504":
        monkeypatch.setenv("PATH", "")
        monkeypatch.delenv("CC", raising=False)
        monkeypatch.setattr(compiler, "find_spec", lambda name: None)
    with pytest.raises(Exception, match=".") as caught:
        script(examples()[code].refused)
    assert getattr(caught.value, "code", None) == code, caught.value


@pytest.mark.parametrize("code", SCRIPTS)
def test_script_is_taken(code, script):
    script(examples()[code].taken)


@pytest.mark.parametrize("side", ["refused", "taken"])
@pytest.mark.parametrize("code", COMMANDS)
def test_command(code, side, tmp_path, monkeypatch):
    ours = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{ours}{os.pathsep}{os.environ['PATH']}")
    command, files = command_of(getattr(examples()[code], side))
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        if name.endswith("entry_points.txt"):
            path.with_name("METADATA").write_text("Name: mine\nVersion: 1\n")
    done = run_command(command, tmp_path, 120)
    said = set(re.findall(r"\[(DY\d+)\]", done.output))
    wanted = {code} if side == "refused" else set()
    assert said == wanted, done.output
    assert (done.status != 0) is (side == "refused")


def test_shown(capsys):
    from dycl.tools import cli

    assert cli.run(["explain", "dy113"]) == 0
    shown = capsys.readouterr().out
    assert "refused:\n    def forward(self, x):\n        return x * scale" in shown
    assert "taken:\n    def forward(self, x):\n        scale = 2" in shown
    assert cli.run(["explain", "DY501"]) == 0
    assert "    $ dycl-opt in.mlir -p dycl-check-host\n" in capsys.readouterr().out
