"""`dycl compile -o` and `dycl run NET.dycl`."""

import textwrap

import numpy as np

import dycl
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
