"""The C program of `dycl example c`, built against an artifact: the same numbers, the
same path; what it reads and writes is checked."""

import subprocess
from pathlib import Path

import pytest

from dycl.toolchain import find_compiler
from dycl.tools import cli, cli_saved

CC = find_compiler()

EXAMPLES = Path(__file__).parents[3] / "examples"

pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def folder(net, tmp_path_factory):
    """A program that was built against an artifact."""
    at = tmp_path_factory.mktemp("c")
    net.save(at / "net", folder=True)
    assert cli_saved.run(["example", "c", str(at)]) == 0
    command = [
        *CC.command,
        *("-Wall", "-Wextra", "-Werror", "-Wconversion", "-std=c11"),
        "-Inet",
        "run.c",
        "net/model.so",
    ]
    command += [f"-Wl,-rpath,{at / 'net'}", "-o", "run"]
    subprocess.run(command, cwd=at, check=True)
    return at


def test_it_computes_the_same(net, folder, inputs):
    sides = set()
    for x in inputs:
        command = [folder / "run", "net/weights.safetensors"]
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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (0, "is shorter"),
        (15, "is shorter"),
        (17, "is longer"),
        (4000, "is longer"),
    ],
)
def test_an_input_of_another_size_is_refused(folder, given, message):
    command = [folder / "run", "net/weights.safetensors"]
    done = subprocess.run(command, cwd=folder, input=bytes(given), capture_output=True)
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode() == (
        f"stdin: the input has 4 elements of 4 bytes, and what is there {message}\n"
    )


def test_what_cannot_be_read_or_written_is_said(folder):
    shell = ["sh", "-c", "./run net/weights.safetensors < ."]
    done = subprocess.run(shell, cwd=folder, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"stdin: Is a directory\n")
    full = ["sh", "-c", "./run net/weights.safetensors > /dev/full"]
    done = subprocess.run(full, cwd=folder, input=bytes(16), capture_output=True)
    assert done.returncode == 1
    assert done.stderr.startswith(b"stdout: No space left on device\n")


def test_a_network_of_another_kind_does_not_compile(folder, tmp_path):
    header = (folder / "net" / "network.h").read_text()
    other = header.replace("#define DYCL_INPUTS 1", "#define DYCL_INPUTS 2")
    (tmp_path / "network.h").write_text(other)
    for name in ("dycl.h", "run.c"):
        at = folder / "net" / name if name == "dycl.h" else folder / name
        (tmp_path / name).write_text(at.read_text())
    command = [*CC.command, "-I.", "-c", "run.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "this program is for networks with one input" in done.stderr


def test_the_example_of_the_package_is_that_of_the_repository(folder):
    shown = (EXAMPLES / "c" / "run.c").read_text()
    assert shown == (folder / "run.c").read_text()


def test_an_example_replaces_nothing(folder, tmp_path, capsys):
    assert cli_saved.run(["example", "c", str(folder)]) == 1
    assert "run.c' is there; --force replaces it" in capsys.readouterr().err
    assert cli_saved.run(["example", "c", str(folder), "--force"]) == 0
    assert cli_saved.run(["example", "net", str(tmp_path / "new")]) == 0
    renamed = (tmp_path / "new" / "net.py").rename(tmp_path / "example_network.py")
    assert cli.run(["run", f"{renamed}:build"]) == 0


def test_other_weights_are_refused(folder, tmp_path):
    (tmp_path / "w.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    command = [folder / "run", str(tmp_path / "w.safetensors")]
    done = subprocess.run(command, cwd=folder, input=b"", capture_output=True)
    assert done.returncode == 1
    assert b"w.safetensors: `fc.weight` is not in it" in done.stderr
