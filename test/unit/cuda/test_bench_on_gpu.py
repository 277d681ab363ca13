"""`python -m bench.cuda`: what is prepared is run, compared and timed, or why not."""

import json

import numpy as np
import pytest
import torch
from test_networks import Exits, inputs_of_exits

from bench import cuda
from dycl.runtime.cuda import CudaError


def test_without_a_folder(capsys):
    with pytest.raises(SystemExit, match="2"):
        cuda.main([])
    assert "--prepare DIR" in capsys.readouterr().err


def test_without_networks(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        cuda.main([str(tmp_path)])
    assert "--prepare writes them" in capsys.readouterr().err


def test_without_a_gpu(tmp_path, capsys, monkeypatch):
    def device():
        raise CudaError("there is no NVIDIA driver here")

    monkeypatch.setattr("dycl.runtime.cuda.device", device)
    (tmp_path / "one.dycl").touch()
    assert cuda.main([str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.err == "there is no NVIDIA driver here (DY505)\n"
    assert not said.out


@pytest.fixture
def prepared(graph_gpu, tmp_path, monkeypatch, capsys):
    """A folder with a network of all sides, written by the command."""
    pytest.importorskip("triton")

    def built(name):
        torch.manual_seed(0)
        return Exits().eval(), [(x,) for x in inputs_of_exits()]

    monkeypatch.setattr(cuda, "built", built)
    # The driver without a GPU takes its time, and says nothing of a GPU's.
    monkeypatch.setattr(cuda, "milliseconds", lambda call: call() and 1.0)
    assert cuda.main([str(tmp_path), "exits", "--prepare"]) == 0
    assert "7 inputs, 6 of 6 sides of decisions" in capsys.readouterr().out
    return tmp_path


def test_values_and_paths_are_compared(prepared, graph_gpu, capsys):
    assert cuda.main([str(prepared), "--peers", "eager"]) == 0
    said = capsys.readouterr().out
    assert "a GPU of paper, compute capability 10.0, CUDA 12.8, NumPy" in said
    assert "right, within" in said
    assert "4 paths" in said
    assert "eager" in said
    assert said.endswith("1 networks are right, 0 are not\n")
    assert graph_gpu.graph_launches


@pytest.mark.parametrize("what", ["value", "path", "count"])
def test_what_differs_is_told(prepared, capsys, what):
    file = prepared / "exits.npz"
    arrays = dict(np.load(file))
    if what == "value":
        arrays["out_2_0"] = arrays["out_2_0"] + 1e-3
    if what == "count":
        del arrays["out_2_1"]
    np.savez(file, **arrays)
    if what == "path":
        paths = json.loads((prepared / "exits.json").read_text())
        paths[2][0][1] = not paths[2][0][1]
        (prepared / "exits.json").write_text(json.dumps(paths))
    assert cuda.main([str(prepared)]) == 1
    said = capsys.readouterr().out
    assert "input 2 " in said
    assert said.endswith("0 networks are right, 1 are not\n")
