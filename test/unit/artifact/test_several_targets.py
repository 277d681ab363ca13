"""One artifact for several kinds of processors."""

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.compiled import bound
from dycl.options import CompileOptions
from dycl.runtime import ArtifactError, artifact
from dycl.runtime.targets import features_of, why_not_here
from dycl.toolchain import find_compiler

CC = find_compiler()

BOTH = ("x86-64-v3", "x86-64-v4")

pytestmark = pytest.mark.skipif(
    any(map(why_not_here, BOTH)), reason="this processor has no AVX-512"
)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(20, 40, 3, padding=1)
        self.fc = nn.Linear(40, 10)

    def forward(self, x):
        y = self.conv(x).relu()
        if y.mean() > 0.3:
            y = self.conv(x[:, :]).sigmoid()
        return self.fc(y.mean((2, 3)))


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def inputs():
    torch.manual_seed(1)
    return [torch.randn(1, 20, 9, 9) * scale for scale in (0.5, 3)]


@pytest.fixture(scope="module", params=["native", "python"])
def net(request, model, inputs):
    return dycl.compile(
        model, (inputs[0],), target=["x86-64-v3", "x86-64-v4"], host=request.param
    )


@pytest.fixture(scope="module")
def saved(net, tmp_path_factory):
    path = tmp_path_factory.mktemp("targets") / "both.dycl"
    net.save(path)
    return path


def assert_right(net, model, inputs):
    sides = set()
    for x in inputs:
        torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-5)
        sides.add(net.path[0].taken)
    assert sides == {True, False}


def test_the_best_is_taken(net, saved, model, inputs):
    assert [code.target for code in net.codes] == ["x86-64-v4", "x86-64-v3"]
    loaded = dycl.load(saved)
    assert loaded.target == "x86-64-v4"
    for x in inputs:
        assert torch.equal(loaded(x), net(x))
    assert_right(loaded, model, inputs)


@pytest.mark.parametrize("target", BOTH)
def test_each_is_what_it_is_alone(net, saved, model, inputs, target, monkeypatch):
    alone = dycl.compile(model, (inputs[0],), target=target, host=net.host)
    monkeypatch.setattr(artifact, "cpu_features", lambda: features_of(target))
    loaded = dycl.load(saved)
    assert loaded.target == target
    assert_right(loaded, model, inputs)
    for x in inputs:
        assert torch.equal(loaded(x), alone(x))
    other = Net().eval()
    loaded.load_weights(other.state_dict())
    assert_right_but_for_path(loaded, other, inputs)


def assert_right_but_for_path(net, model, inputs):
    for x in inputs:
        torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-5)


def test_one_may_be_named(saved, model, inputs, monkeypatch):
    assert dycl.load(saved, target="x86-64-v3").target == "x86-64-v3"
    monkeypatch.setenv("DYCL_TARGET", "x86-64-v3")
    loaded = dycl.load(saved)
    assert loaded.target == "x86-64-v3"
    assert_right(loaded, model, inputs)
    assert dycl.load(saved, target="x86-64-v4").target == "x86-64-v4"
    monkeypatch.setenv("DYCL_TARGET", "pentium")
    with pytest.raises(
        ArtifactError,
        match="has no code for 'pentium', only for x86-64-v4, x86-64-v3.*DY603",
    ):
        dycl.load(saved)


def test_a_processor_with_neither(saved, monkeypatch):
    """Nothing is run: not even loaded."""
    v3 = features_of("x86-64-v3")
    monkeypatch.setattr(artifact, "cpu_features", lambda: tuple({*v3} - {"fma"}))
    monkeypatch.setattr(artifact, "load_code", None)
    monkeypatch.setattr(artifact, "NativeLibrary", None)
    with pytest.raises(ArtifactError) as caught:
        dycl.load(saved)
    text = str(caught.value)
    assert "fma (for x86-64-v3)" in text
    assert "avx512f, avx512vl, fma (for x86-64-v4)" in text
    with pytest.raises(ArtifactError, match="avx512f"):
        dycl.load(saved, target="x86-64-v4")


def test_what_both_want_is_stored_once(net, saved):
    with zipfile.ZipFile(saved) as archive:
        made = json.loads(archive.read("manifest.json"))["made"]
        names = {n.rpartition("/")[0] for n in archive.namelist() if "/" in n}
    assert names == {*BOTH}

    def made_for(code):
        return net.network if code is net.codes[0] else bound(net, code, net.weights)

    each = [set(made_for(code).made()) for code in net.codes]
    assert set(made) == each[0] | each[1]
    assert any("fc.weight" in name for name in each[0] & each[1])


def test_same_network_same_bytes(net, saved, model, inputs, tmp_path):
    """With kernels that are compiled anew; both hosts have the same."""
    again = dycl.compile(
        model,
        (inputs[1],),
        target="x86-64-v4, x86-64-v3",
        host=net.host,
        cache=net.host == "python",
    )
    again.save(tmp_path / "again.dycl")
    assert (tmp_path / "again.dycl").read_bytes() == saved.read_bytes()


ALONE = """
import sys
for name in ("torch", "xdsl", "torch_mlir", "safetensors"):
    sys.modules[name] = None
import dycl, numpy as np
net = dycl.load(sys.argv[1])
print(net.target, net(np.ones((1, 20, 9, 9), np.float32)).tobytes().hex())
"""


@pytest.mark.parametrize("target", BOTH)
def test_numpy_is_enough(net, saved, target):
    command = [sys.executable, "-c", ALONE, str(saved)]
    environment = {"PYTHONPATH": ":".join(sys.path), "DYCL_TARGET": target}
    said = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout.split()
    x = np.ones((1, 20, 9, 9), np.float32)
    assert said == [target, dycl.load(saved, target=target)(x).tobytes().hex()]


def test_names_of_targets():
    assert CompileOptions().targets == ("native",)
    assert CompileOptions(target=["x86-64-v3", "native", "x86-64-v3"]).targets == (
        "native",
        "x86-64-v3",
    )
    for wrong in ("x86-64-v3,sparc", ["sparc"], "x86-64-v3,", []):
        with pytest.raises(ValueError, match="not one of native, x86-64-v4, x86-64-v3"):
            CompileOptions(target=wrong)


# ---- from C


@pytest.fixture(scope="module")
def folder(model, inputs, tmp_path_factory):
    if CC is None:
        pytest.skip("there is no C compiler")
    at = tmp_path_factory.mktemp("c")
    net = dycl.compile(model, (inputs[0],), target=BOTH)
    net.save(at / "net", folder=True)
    source = __import__("pathlib").Path(__file__).parents[3] / "examples/c/run.c"
    command = [
        *CC.command,
        "-Wall",
        "-Wextra",
        "-Inet",
        source,
        "net/model.so",
    ]
    command += [f"-Wl,-rpath,{at / 'net'}", "-o", "run"]
    subprocess.run(command, cwd=at, check=True)
    return at


def run_c(folder, x, **environment):
    return subprocess.run(
        [folder / "run", "net/weights.safetensors"],
        cwd=folder,
        input=x.numpy().tobytes(),
        capture_output=True,
        env=environment,
    )


@pytest.mark.parametrize("target", [None, *BOTH])
def test_a_c_program_takes_the_best_or_the_one_named(folder, inputs, target):
    loaded = dycl.load(folder / "net", target=target)
    for x in inputs:
        done = run_c(folder, x, **({} if target is None else {"DYCL_TARGET": target}))
        assert done.returncode == 0, done.stderr
        assert done.stdout == loaded(x.numpy()).tobytes()


def test_a_c_program_says_what_is_missing(folder, inputs, tmp_path):
    done = run_c(folder, inputs[0], DYCL_TARGET="pentium")
    assert done.returncode == 1
    assert b"DYCL_TARGET is 'pentium', for which there is no code" in done.stderr
    text = (folder / "net" / "model.c").read_text()
    for name in ("dycl.h", "pick.h", "pick.c"):
        (tmp_path / name).write_text((folder / "net" / name).read_text())
    (tmp_path / "model.c").write_text(text.replace('"abm avx ', '"abm avx99 avx '))
    command = [
        *CC.command,
        "-shared",
        "-fPIC",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]
    subprocess.run(
        [*command, "model.c", "pick.c", "-o", "model.so"], cwd=tmp_path, check=True
    )
    done = run_c(folder, inputs[0], LD_PRELOAD=str(tmp_path / "model.so"))
    assert done.returncode == 1
    assert b"this processor lacks avx99, which the code for x86-64-v3 needs" in (
        done.stderr
    )
