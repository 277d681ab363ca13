"""Saving and loading: the same network, from a file that NumPy alone can run."""

import json
import subprocess
import sys
import weakref
import zipfile

import numpy as np
import pytest
import safetensors.numpy
import torch

import dycl
from dycl.kernels.cpu.engine import CpuLibrary
from dycl.runtime import ArtifactError, artifact, library, loading, manifest
from dycl.runtime.targets import features_of, why_not_here


def assert_equal(one, other, inputs):
    sides = set()
    for x in inputs:
        ours, theirs = one(x), other(x)
        assert ours["side"] == theirs["side"]
        assert np.array_equal(ours["y"], theirs["y"])
        assert one.path == other.path
        sides.add(ours["side"])
    assert sides == {"up", "down"}


def test_it_is_the_same_network(net, saved, inputs):
    loaded = dycl.load(saved)
    assert loaded.inputs == net._net.inputs
    assert loaded.decisions == net.decisions
    assert_equal(net, loaded, inputs)


def test_the_python_host_calls_what_is_linked_for_the_native_one(
    model, inputs, monkeypatch
):
    """Linking takes as long as compiling a small kernel."""
    monkeypatch.delattr(CpuLibrary, "shared_object")
    net = dycl.compile(model, (inputs[0],))
    assert net.host == "native"
    assert_equal(net.with_python_host(), net, inputs)


def test_a_folder_does_as_well(net, inputs, tmp_path):
    net.save(tmp_path / "net", folder=True)
    net.save(tmp_path / "net", folder=True)
    assert_equal(net, dycl.load(tmp_path / "net"), inputs)


def test_a_folder_with_other_files_is_left_alone(net, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="other files"):
        net.save(tmp_path, folder=True)


ALONE = """
import sys
for name in ("torch", "xdsl", "torch_mlir", "safetensors"):
    sys.modules[name] = None
import dycl, numpy as np
net = dycl.load(sys.argv[1])
print(net(np.ones((1, 4), np.float32))["side"], len(net.path))
"""


def test_numpy_is_enough(saved, net):
    command = [sys.executable, "-c", ALONE, str(saved)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == f"{net(np.ones((1, 4), np.float32))['side']} 1\n"


def test_it_needs_libc_and_libm_alone(net, tmp_path):
    net.save(tmp_path / "net", folder=True)
    files = sorted((tmp_path / "net").rglob("*.so"))
    assert [str(f.relative_to(tmp_path / "net")) for f in files] == [
        "model.so",
        "native/model.so",
    ]
    for file in files:
        command = ["readelf", "-d", str(file)]
        said = subprocess.run(command, capture_output=True, text=True, check=True)
        lines = [line for line in said.stdout.splitlines() if "NEEDED" in line]
        needed = {line.split("[")[1][:-1] for line in lines}
        loader = {"ld-linux-x86-64.so.2"}  # A part of libc, which has thread-locals.
        assert needed <= {"libc.so.6", "libm.so.6", *loader}
        listed = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
        names = {line.split()[0].rpartition("/")[2] for line in listed.splitlines()}
        assert names <= {
            "linux-vdso.so.1",
            "ld-linux-x86-64.so.2",
            "libc.so.6",
            "libm.so.6",
        }
        assert str(tmp_path).encode() not in file.read_bytes()


def test_a_network_without_kernels_is_saved(tmp_path):
    net = dycl.compile(lambda x, n: (x, n + 1), (torch.ones(2), 3))
    assert not net.library.specs
    net.save(tmp_path / "net.dycl")
    x, n = dycl.load(tmp_path / "net.dycl")(np.ones(2, np.float32), 3)
    assert (x.tolist(), n) == ([1, 1], 4)


def test_same_network_same_bytes(model, net, saved, tmp_path):
    net.save(tmp_path / "again.dycl")
    assert (tmp_path / "again.dycl").read_bytes() == saved.read_bytes()
    anew = dycl.compile(model, (np.zeros((1, 4), np.float32),), cache=False)
    anew.save(tmp_path / "anew.dycl")
    assert (tmp_path / "anew.dycl").read_bytes() == saved.read_bytes()


def test_nothing_names_this_machine(saved):
    for word in (b"/home/", b"/tmp/", b"/root/", b"/work/"):
        assert word not in saved.read_bytes()


def test_weights_are_mapped_aligned_and_plain_safetensors(saved, model):
    loaded = dycl.load(saved)
    for array in loaded.weights.values():
        assert array.__array_interface__["data"][0] % 64 == 0
        assert not array.flags.owndata
    with zipfile.ZipFile(saved) as archive:
        stored = safetensors.numpy.load(archive.read("weights.safetensors"))
    state = model.state_dict()
    assert {n for n in stored if not n.startswith("__")} == set(state) - {"head.weight"}
    assert np.array_equal(stored["fc.weight"], state["fc.weight"])


def test_what_is_written_about_it(saved):
    loaded = dycl.load(saved)
    assert loaded.manifest["inputs"] == [
        {"name": "x", "dtype": "float32", "shape": [1, 4]}
    ]
    y = {"dtype": "float32", "shape": [1, 5]}
    assert loaded.manifest["outputs"] == [
        {"dict": [["y", y], ["side", {"constant": side}]]} for side in ("up", "down")
    ]
    assert [d["test"] for d in loaded.source_map["decisions"]] == ["y.sum() > 0"]
    kinds = [node["kind"] for node in loaded.hcfg["nodes"]]
    assert kinds.count("decision") == 1


# ---- what cannot be loaded


@pytest.fixture
def folder(net, tmp_path):
    net.save(tmp_path / "net", folder=True)
    return tmp_path / "net"


def members(folder):
    return [
        "manifest.json",
        *json.loads((folder / "manifest.json").read_text())["files"],
    ]


def test_any_changed_byte_is_found(folder):
    for name in members(folder):
        file = folder / name
        right = file.read_bytes()
        wrong = bytearray(right)
        wrong[len(wrong) // 2] ^= 1
        file.write_bytes(wrong)
        with pytest.raises(ArtifactError, match=rf"damaged: {name}.*DY603"):
            dycl.load(folder)
        file.write_bytes(right)
    dycl.load(folder)


def test_a_file_that_was_cut_off(saved, tmp_path):
    data = saved.read_bytes()
    for end in (0, 10, len(data) // 2, len(data) - 30):
        (tmp_path / "cut.dycl").write_bytes(data[:end])
        with pytest.raises(ArtifactError, match="damaged"):
            dycl.load(tmp_path / "cut.dycl")


def test_a_missing_member(folder):
    for name in members(folder)[1:]:
        data = (folder / name).read_bytes()
        (folder / name).unlink()
        with pytest.raises(ArtifactError, match=f"{name} is missing"):
            dycl.load(folder)
        (folder / name).write_bytes(data)


def test_weights_need_not_be_hashed(folder):
    file = folder / "weights.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    dycl.load(folder, verify=False)


def test_another_format(folder, monkeypatch):
    now = manifest.FORMAT
    monkeypatch.setattr(manifest, "FORMAT", now + 1)
    words = f"has format {now}; this version of dycl reads"
    with pytest.raises(ArtifactError, match=words):
        dycl.load(folder)


def test_another_processor(saved, monkeypatch):
    monkeypatch.setattr(artifact, "cpu_features", lambda: ("sse4_2",))
    with pytest.raises(
        ArtifactError, match=r"can run. What it lacks: .*\(for native\)"
    ):
        dycl.load(saved)
    monkeypatch.setattr(artifact, "triple", lambda: "riscv64-linux")
    with pytest.raises(ArtifactError, match="this machine, riscv64-linux, can run"):
        dycl.load(saved)


@pytest.mark.skipif(bool(why_not_here("x86-64-v3")), reason="this processor is older")
def test_it_asks_for_what_it_was_compiled_for(tmp_path, monkeypatch):
    model, x = torch.nn.Linear(4, 4).eval(), torch.ones(1, 4)
    net = dycl.compile(model, (x,), target="x86-64-v3")
    net.save(tmp_path / "v3.dycl")
    monkeypatch.setattr(artifact, "cpu_features", lambda: features_of("x86-64-v3"))
    loaded = dycl.load(tmp_path / "v3.dycl")
    np.testing.assert_array_equal(loaded(x.numpy()), net(x))


def test_something_else(tmp_path):
    (tmp_path / "x.dycl").write_text("no zip")
    with pytest.raises(ArtifactError, match="not a .dycl file"):
        dycl.load(tmp_path / "x.dycl")
    with zipfile.ZipFile(tmp_path / "z.dycl", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(ArtifactError, match=r"it has no manifest.json"):
        dycl.load(tmp_path / "z.dycl")
    with pytest.raises(FileNotFoundError):
        dycl.load(tmp_path / "none.dycl")


def test_code_loads_where_memory_files_do_not_exist(saved, monkeypatch):
    monkeypatch.delattr(loading.os, "memfd_create")
    monkeypatch.setattr(library, "_loaded", weakref.WeakValueDictionary())
    assert dycl.load(saved)(np.ones((1, 4), np.float32))["side"] in ("up", "down")
