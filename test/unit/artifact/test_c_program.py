"""`examples/c/run.c`, built against an artifact: the same numbers, the same path."""

import subprocess
from pathlib import Path

import pytest

from dycl.toolchain import find_compiler

CC = find_compiler()

SOURCE = Path(__file__).parents[3] / "examples" / "c" / "run.c"

pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def folder(net, tmp_path_factory):
    """A program that was built against an artifact."""
    at = tmp_path_factory.mktemp("c")
    net.save(at / "net", folder=True)
    command = [
        *CC.command,
        "-Wall",
        "-Wextra",
        "-Inet",
        SOURCE,
        "net/model.so",
    ]
    command += [f"-Wl,-rpath,{at / 'net'}", "-o", "run"]
    subprocess.run(command, cwd=at, check=True)
    return at


def test_it_computes_the_same(net, folder, inputs):
    sides = set()
    for x in inputs:
        command = [folder / "run", "net/weights.safetensors", "5"]
        done = subprocess.run(
            command, cwd=folder, input=x.numpy().tobytes(), capture_output=True
        )
        assert done.returncode == 0, done.stderr
        y = net(x.numpy())["y"]
        assert done.stdout == y.tobytes()
        [decision] = net.path
        sides.add(decision.taken)
        said = "true" if decision.taken else "false"
        assert done.stderr.decode().startswith(f"y.sum() > 0 is {said} (conftest.py:")
    assert sides == {True, False}


def test_an_input_that_is_not_there(folder):
    command = [folder / "run", "net/weights.safetensors", "5"]
    done = subprocess.run(command, cwd=folder, input=b"", capture_output=True)
    assert done.returncode == 1
    assert b"stdin holds no input" in done.stderr
    full = ["sh", "-c", "./run net/weights.safetensors 5 > /dev/full"]
    done = subprocess.run(full, cwd=folder, input=bytes(16), capture_output=True)
    assert done.returncode == 1
    assert b"stdout cannot be written" in done.stderr


def test_other_weights_are_refused(folder, tmp_path):
    (tmp_path / "w.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    command = [folder / "run", str(tmp_path / "w.safetensors"), "5"]
    done = subprocess.run(command, cwd=folder, input=b"", capture_output=True)
    assert done.returncode == 1
    assert b"w.safetensors: `fc.weight` is not in it" in done.stderr
