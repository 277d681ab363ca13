"""A file is written to, or replaced, while networks that were loaded from it run.

What is mapped changes with its file. Where it is found out there is a sentence; a file
that was replaced by another one, as `save` does, is no matter.
"""

import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
import torch

import dycl
from dycl.runtime import ArtifactError
from dycl.tools import cli

BOTH = pytest.mark.parametrize("folder", [False, True], ids=["file", "folder"])
LAZY = {
    "hcfg": lambda net, x: net.hcfg,
    "source_map": lambda net, x: net.source_map,
    "weights": lambda net, x: net.weights,
    "reset_state": lambda net, x: net.reset_state(),
    "load_weights": lambda net, x: net.load_weights({}, strict=False),
    "a thread's first call": lambda net, x: in_thread(lambda: net(x)),
}


def in_thread(function):
    raised = []

    def run():
        try:
            function()
        except ArtifactError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    for error in raised:
        raise error


@pytest.fixture
def place(net, tmp_path, folder):
    path = tmp_path / "net"
    net.save(path, folder=folder)
    return path


def weights_file(place):
    return place / "weights.safetensors" if place.is_dir() else place


def spoil(place):
    """Write other numbers into the weights, where they are."""
    file = weights_file(place)
    at = file.read_bytes().index(b'"fc.weight":{"dtype"')
    with file.open("r+b") as opened:
        opened.seek(at + 1)
        opened.write(b"FC")
    later(file)


def later(file):
    about = file.stat()
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns + 1))


@BOTH
@pytest.mark.parametrize("what", LAZY)
def test_written_to(place, inputs, what):
    loaded = dycl.load(place)
    LAZY[what](loaded, inputs[0])
    spoil(place)
    with pytest.raises(ArtifactError, match=r"was written to .* map=False"):
        LAZY[what](loaded, inputs[0])
    with pytest.raises(ArtifactError, match="is damaged"):
        dycl.load(place)


@BOTH
@pytest.mark.parametrize("size", [0, 100, None])
def test_written_to_before_the_first_call(place, inputs, size):
    """By the thread that has loaded it, too."""
    loaded = dycl.load(place)
    if size is None:
        spoil(place)
    else:
        os.truncate(weights_file(place), size)
    with pytest.raises(ArtifactError, match="was written to"):
        loaded(inputs[0])
    with pytest.raises(ArtifactError, match="was written to"):
        loaded(inputs[0])


@BOTH
@pytest.mark.parametrize("size", [0, 100])
def test_cut_off(place, inputs, size):
    """It is not read again, for that would end the process."""
    loaded = dycl.load(place)
    os.truncate(weights_file(place), size)
    with pytest.raises(ArtifactError, match="was written to"):
        loaded.load_weights({}, strict=False)


@BOTH
@pytest.mark.parametrize("what", LAZY)
def test_copied_into_memory(net, place, inputs, what):
    loaded = dycl.load(place, map=False)
    spoil(place)
    LAZY[what](loaded, inputs[0])
    os.truncate(weights_file(place), 0)
    for x in inputs:
        np.testing.assert_array_equal(loaded(x)["y"], net(x)["y"])
    for name, array in net.weights.items():
        assert np.array_equal(loaded.weights[name], array)
        assert not loaded.weights[name].flags.writeable


@BOTH
@pytest.mark.parametrize("verify", [False, True])
def test_touched(place, inputs, verify):
    """Another time alone is no other content."""
    loaded = dycl.load(place, verify=verify)
    later(weights_file(place))
    assert loaded.hcfg
    spoil(place)
    with pytest.raises(ArtifactError, match="was written to"):
        loaded.reset_state()


def other(model):
    """A network of the same kind with other weights."""
    torch.manual_seed(7)
    made = type(model)().eval()
    return dycl.compile(made, (torch.zeros(1, 4),))


@BOTH
def test_saved_over_it(net, model, place, inputs, folder):
    """Those that run have what they had; who loads has the new one."""
    loaded, new = dycl.load(place), other(model)
    new.save(place, folder=folder)
    for x in inputs:
        np.testing.assert_array_equal(loaded(x)["y"], net(x)["y"])
        np.testing.assert_array_equal(dycl.load(place)(x)["y"], new(x)["y"])
    assert loaded.hcfg
    in_thread(lambda: loaded(inputs[0]))


@BOTH
def test_removed(net, place, inputs):
    loaded = dycl.load(place)
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    in_thread(lambda: loaded(inputs[0]))
    for x in inputs:
        np.testing.assert_array_equal(loaded(x)["y"], net(x)["y"])


PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(SEED)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        return self.fc(x) if x.sum() > 0 else -self.fc(x)

def example_inputs():
    return (torch.ones(1, 4),)
"""


def test_the_command_line_replaces(tmp_path, monkeypatch):
    """`dycl compile -o` while a process runs what was there."""
    monkeypatch.chdir(tmp_path)
    x = np.ones((1, 4), np.float32)

    def compile_with(seed):
        file = tmp_path / f"net{seed}.py"
        file.write_text(PROGRAM.replace("SEED", str(seed)))
        with pytest.raises(SystemExit) as ended:
            cli.main(["compile", f"{file}:Net", "-o", "net.dycl"])
        assert ended.value.code == 0
        return dycl.load("net.dycl")

    first = compile_with(1)
    wanted, inode = first(x), os.stat("net.dycl").st_ino
    second = compile_with(2)
    assert os.stat("net.dycl").st_ino != inode
    np.testing.assert_array_equal(first(x), wanted)
    in_thread(lambda: first(x))
    assert not np.array_equal(second(x), wanted)


@BOTH
def test_a_process_survives(place, inputs, tmp_path):
    """It asks for what lies behind the new end of its file, and gets a sentence."""
    program = f"""
import os, sys, dycl
from dycl.runtime import ArtifactError
net = dycl.load({str(place)!r}, verify=False)
os.truncate({str(weights_file(place))!r}, 64)
try:
    net.load_weights({{}}, strict=False)
except ArtifactError:
    sys.exit(7)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == 7
