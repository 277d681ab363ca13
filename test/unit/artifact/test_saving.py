"""Where an artifact cannot be written: a sentence, and all is as it was before.

And what cannot be saved in another way than by `save`.
"""

import copy
import os
import pickle
import resource
import subprocess
import sys

import pytest

import dycl
from dycl.artifact.archive import write_archive, write_folder


@pytest.fixture
def little_room():
    """No file may be larger than 4 KiB, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def files(folder):
    found = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in found}


def test_folders_are_made(net, tmp_path, inputs):
    for as_folder in (False, True):
        path = tmp_path / f"{as_folder}/a/b/net.dycl"
        net.save(path, folder=as_folder)
        assert dycl.load(path)(inputs[0])["side"] == net(inputs[0])["side"]


SMALL = {"manifest.json": b"{}", "some/other": b"1"}
LARGE = {**SMALL, "some/large": bytes(10000)}
WRITERS = pytest.mark.parametrize("write", [write_archive, write_folder])


@WRITERS
def test_a_full_disk(write, tmp_path, little_room):
    path = tmp_path / "net.dycl"
    with pytest.raises(OSError, match=r"net.dycl' cannot be written: .*; nothing was"):
        write(path, LARGE)
    assert not os.listdir(tmp_path)


@WRITERS
def test_what_was_there_stays(write, tmp_path, little_room):
    path = tmp_path / "net.dycl"
    write(path, SMALL)
    before = files(tmp_path)
    with pytest.raises(OSError, match="nothing was changed"):
        write(path, LARGE)
    assert files(tmp_path) == before
    assert os.listdir(tmp_path) == ["net.dycl"]


@pytest.mark.parametrize("folder", [False, True])
def test_within_a_file(net, tmp_path, folder):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(
        NotADirectoryError, match="cannot be written: '.*file' is not a folder"
    ):
        net.save(tmp_path / "file/net.dycl", folder=folder)
    assert files(tmp_path) == {"file": b"mine"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_without_permission(net, tmp_path):
    (tmp_path / "shut").mkdir(mode=0o500)
    with pytest.raises(PermissionError, match="Permission denied; nothing was changed"):
        net.save(tmp_path / "shut/net.dycl")


def test_one_in_place_of_the_other(net, tmp_path):
    path = tmp_path / "net.dycl"
    net.save(path)
    before = files(tmp_path)
    with pytest.raises(FileExistsError, match="there is a file"):
        net.save(path, folder=True)
    assert files(tmp_path) == before
    net.save(tmp_path / "folder", folder=True)
    before = files(tmp_path)
    with pytest.raises(IsADirectoryError, match="cannot be written: Is a directory"):
        net.save(tmp_path / "folder")
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    "make",
    [copy.copy, copy.deepcopy, pickle.dumps],
    ids=["copy", "deepcopy", "pickle"],
)
def test_neither_copied_nor_pickled(net, saved, make):
    for one in (net, dycl.load(saved)):
        name = type(one).__name__
        words = f"a {name} cannot be copied or pickled: .*load"
        with pytest.raises(TypeError, match=words):
            make(one)


FORK = """
import os, sys
import numpy as np
import dycl
net = dycl.load(sys.argv[1])
x = np.ones((1, 4), np.float32)
wanted = net(x)["y"]
for _ in range(4):
    child = os.fork()
    if child == 0:
        right = all(np.array_equal(net(x)["y"], wanted) for _ in range(100))
        right &= not np.array_equal(net(-x)["y"], wanted)
        os._exit(0 if right else 1)
    assert np.array_equal(net(x)["y"], wanted)
    assert os.waitpid(child, 0)[1] == 0
print("right")
"""


def test_a_fork_after_it_was_loaded(saved):
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(saved)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "right\n", done.stderr
