"""Machines without a C compiler: with the one of `dycl[cc]`, and without any."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.diag import CompileError
from dycl.kernels.cpu import CpuBackend
from dycl.runtime.targets import why_not_here
from dycl.toolchain import CCompiler, compiler, find_compiler, shared_object
from dycl.tools import cli


class Net(nn.Module):
    """A loop, a decision, weights that are prepared."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        n = 0
        y = self.fc(x)
        while y.abs().sum() > 1 and n < 5:
            y = y * 0.5
            n = n + 1
        if y[0, 0] > 0:
            y = self.fc(y)
        return y, n


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(autouse=True)
def hidden(tmp_path, monkeypatch):
    """No C compiler of the machine's, and a cache of its own."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def no_package(monkeypatch):
    """`dycl[cc]` is not installed, either."""
    monkeypatch.setattr(compiler, "find_spec", lambda name: None)


@pytest.fixture
def with_package():
    """`dycl[cc]` is installed: `make test` installs it."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("pip install 'dycl[cc]'")


def agree(model, net, loaded):
    """Asks the model, the network and what was saved of it; all paths are taken."""
    torch.manual_seed(1)
    sides = set()
    for x in torch.randn(20, 1, 4) * 3:
        (y, n), (z, m), (w, k) = net(x), loaded(x.numpy()), model(x)
        assert n == m == k
        assert y.numpy().tobytes() == z.tobytes()
        torch.testing.assert_close(y, w.detach())
        assert net.path == loaded.path
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) == 2 * len(net.decisions)


# ---- pip install 'dycl[cc]'


@pytest.mark.usefixtures("with_package")
def test_the_one_of_the_package_is_found():
    found = find_compiler()
    assert found == CCompiler((sys.executable, "-m", "ziglang", "cc"), is_zig=True)
    assert found.identity[0] == "ziglang"


@pytest.mark.usefixtures("with_package")
def test_it_makes_a_native_host_that_is_saved(model, tmp_path):
    net = dycl.compile(model, (torch.zeros(1, 4),), host="native")
    for name in ("net", "again"):
        net.save(tmp_path / f"{name}.dycl")
    written = [(tmp_path / f"{name}.dycl").read_bytes() for name in ("net", "again")]
    assert written[0] == written[1]
    agree(model, net, dycl.load(tmp_path / "net.dycl", host="native"))
    agree(model, net.with_python_host(), dycl.load(tmp_path / "net.dycl"))
    agree(model, net, dycl.load(tmp_path / "net.dycl", host="python"))


@pytest.mark.skipif(bool(why_not_here("x86-64-v4")), reason="no AVX-512 here")
@pytest.mark.usefixtures("with_package")
def test_it_compiles_for_other_processors_and_for_threads(model, tmp_path):
    targets = ["x86-64-v4", "x86-64-v3"]
    net = dycl.compile(model, (torch.zeros(1, 4),), target=targets, threads=2)
    net.save(tmp_path / "net", folder=True)
    loaded = dycl.load(tmp_path / "net", target="x86-64-v3", host="native")
    x = torch.tensor([[3.0, -1, 2, 0.5]])
    (y, n), (w, k) = loaded(x.numpy()), model(x)
    assert n == k
    torch.testing.assert_close(torch.from_numpy(y), w.detach())


@pytest.mark.usefixtures("with_package")
def test_it_builds_c_programs_against_an_artifact(model, tmp_path):
    net = dycl.compile(model, (torch.zeros(1, 4),))
    net.save(tmp_path / "net", folder=True)
    (tmp_path / "open.c").write_text(
        "#include <dycl.h>\n#include <stdio.h>\nint main(int n, char **w) {\n"
        "dycl_net *net = dycl_open(w[n - 1]);\n"
        'puts(net ? "open" : dycl_why()); dycl_destroy(net); return 0; }\n'
    )
    command = [*find_compiler().command, "-Inet", "open.c", "net/model.so", "-o", "run"]
    command += [f"-Wl,-rpath,{tmp_path / 'net'}"]
    subprocess.run(command, cwd=tmp_path, check=True)
    weights = "net/weights.safetensors"
    done = subprocess.run(["./run", weights], cwd=tmp_path, capture_output=True)
    assert done.stdout == b"open\n", done


@pytest.mark.usefixtures("with_package")
def test_code_without_a_processor_runs_on_the_least():
    """Without a word, zig would take this machine's processor."""
    source = "double f(double *a) { double s = 0; for (int i = 0; i < 64; i++) "
    source += "s += a[i] * a[i + 64]; return s; }"
    made = {
        target: shared_object({}, {"a.c": source}, target, "a.c")
        for target in (None, "x86-64-v3")
    }
    assert made[None] != made["x86-64-v3"]


# ---- none at all


@pytest.mark.usefixtures("no_package")
def test_without_any_the_decisions_run_in_python(model):
    net = dycl.compile(model, (torch.zeros(1, 4),))
    assert net.host == "python"
    assert net.why_python == (
        "there is no C compiler: install gcc or clang, or: pip install 'dycl[cc]'"
    )
    agree(model, net, Alike(net))
    again = dycl.compile(model, (torch.zeros(1, 4),))  # its kernels are in the cache
    agree(model, again, Alike(net))


class Alike:
    """Takes and gives arrays, as what was loaded does."""

    def __init__(self, net):
        self.net = net

    def __call__(self, x):
        y, n = self.net(torch.from_numpy(x))
        return y.numpy(), n

    @property
    def path(self):
        return self.net.path


@pytest.mark.usefixtures("no_package")
def test_without_any_nothing_is_saved(model, tmp_path):
    net = dycl.compile(model, (torch.zeros(1, 4),))
    with pytest.raises(CompileError) as caught:
        net.save(tmp_path / "net.dycl")
    assert caught.value.code == "DY504"
    assert "pip install 'dycl[cc]'" in str(caught.value)
    assert not (tmp_path / "net.dycl").exists()


@pytest.mark.usefixtures("no_package")
def test_without_any_a_native_host_is_refused(model):
    with pytest.raises(CompileError) as caught:
        dycl.compile(model, (torch.zeros(1, 4),), host="native")
    assert caught.value.code == "DY503"
    assert "pip install 'dycl[cc]'" in str(caught.value)


@pytest.mark.usefixtures("no_package")
def test_what_was_saved_elsewhere_is_loaded(model, tmp_path, monkeypatch):
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PATH", "/usr/bin:/bin")
        if find_compiler() is None:
            pytest.skip("there is no C compiler")
        net = dycl.compile(model, (torch.zeros(1, 4),))
        net.save(tmp_path / "net.dycl")
    for host in ("native", "python"):
        agree(model, net, dycl.load(tmp_path / "net.dycl", host=host))


@pytest.mark.usefixtures("no_package")
def test_doctor_says_what_is_lacking(capsys):
    status = cli.run(["doctor"])
    said = capsys.readouterr().out
    assert status == 0
    assert "networks run with a Python host, and cannot be saved" in said
    assert "pip install 'dycl[cc]'" in said


@pytest.mark.usefixtures("no_package")
def test_the_jit_gives_what_the_object_code_gives(monkeypatch):
    text = """func.func @k(%x: !torch.vtensor<[5],f32>) -> !torch.vtensor<[5],f32> {
      %y = torch.aten.tanh %x : !torch.vtensor<[5],f32> -> !torch.vtensor<[5],f32>
      return %y : !torch.vtensor<[5],f32>
    }"""
    x = np.linspace(-2, 2, 5, dtype="f4")

    def run():
        y = np.zeros_like(x)
        CpuBackend().compile(text)["k"].launch(x.ctypes.data, y.ctypes.data)
        return y.tobytes()

    here = run()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    assert run() == here


def test_cc_is_asked_first(monkeypatch):
    monkeypatch.setenv("CC", "ccache some-cc -m64")
    assert find_compiler() == CCompiler(("ccache", "some-cc", "-m64"))
