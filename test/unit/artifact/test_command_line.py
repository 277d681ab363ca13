"""`dycl compile -o` and `dycl run NET.dycl`."""

import textwrap

import numpy as np

import dycl
from dycl.runtime.targets import why_not_here
from dycl.tools import cli

NET = """
import torch

class Net(torch.nn.Module):
    def forward(self, x, n: int):
        if x.sum() > n:
            return x + 1
        return x - 1

def build():
    return Net().eval()

def example_inputs():
    return torch.ones(2), 1
"""


LINEAR = """
import torch

def build():
    return torch.nn.Linear(64, 64).eval()

def example_inputs():
    return torch.ones(1, 64),
"""


def test_what_is_written(tmp_path, monkeypatch, capsys):
    """Without the raw weights; for several targets."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cli_linear.py").write_text(LINEAR)
    command = ["compile", "cli_linear.py:build", "-o"]
    assert cli.run([*command, "all.dycl"]) == 0
    assert cli.run([*command, "few.dycl", "--no-raw-weights"]) == 0
    assert {*dycl.load("all.dycl").weights} == {"weight", "bias"}
    assert {*dycl.load("few.dycl").weights} == {"bias"}
    assert cli.run([*command, "x.dycl", "--target", "native,pdp11"]) == 2
    assert "target is 'pdp11', not one of native" in capsys.readouterr().err
    if not why_not_here("x86-64-v3"):
        assert cli.run([*command, "both.dycl", "--target", "x86-64-v3,native"]) == 0
        targets = dycl.load("both.dycl").manifest["targets"]
        assert [target["name"] for target in targets] == ["native", "x86-64-v3"]
        monkeypatch.setenv("DYCL_TARGET", "x86-64-v3")
        assert dycl.load("both.dycl").target == "x86-64-v3"
        assert cli.run(["run", "both.dycl"]) == 0


def test_compile_into_a_file_and_run_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cli_net.py").write_text(textwrap.dedent(NET))
    assert cli.run(["compile", "cli_net.py:build", "-o", "net.dycl"]) == 0
    assert "written    net.dycl" in capsys.readouterr().out
    assert dycl.load("net.dycl").inputs[1].dtype == "int"
    np.save("x.npy", np.full(2, 3, np.float32))
    assert cli.run(["run", "net.dycl", "-i", "x.npy", "-i", "1"]) == 0
    said = capsys.readouterr().out
    assert said == (
        "output: f32[2] [4., 4.]\npath:\n  exit 1: x.sum() > n is True (cli_net.py:6)\n"
    )
    assert cli.run(["run", "net.dycl"]) == 2
    assert "`n` is a number" in capsys.readouterr().err
    assert cli.run(["run", "net.dycl", "-i", "f32[2]"]) == 2
    assert cli.run(["run", "net.dycl", "-i", "f32[3]", "-i", "1"]) == 1
    assert "has shape [3]" in capsys.readouterr().err
    assert cli.run(["compile", "cli_net.py:build", "-o", "net/"]) == 0
    assert cli.run(["run", "net", "-i", "f32[2]", "-i", "5"]) == 0
    (tmp_path / "net" / "model.so").unlink()
    assert cli.run(["run", "net", "-i", "f32[2]", "-i", "5"]) == 1
    assert "model.so is missing" in capsys.readouterr().err
