"""`python -m bench.cuda` where nothing can be run: it says so, and what to do."""

import pytest

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
