"""A command in a fork of the warm process behaves as one that Python is started for."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

WARM = Path(__file__).parents[3] / "tools" / "warm.py"
COMMAND = """
import os
import signal
import sys


def main():
    what, *rest = sys.argv[1:]
    if what == "echo":
        print(sys.stdin.read().upper(), rest, os.getcwd(), os.environ.get("DYCL_SAID"))
        print("to stderr", file=sys.stderr)
    if what == "status":
        sys.exit(int(rest[0]))
    if what == "returns":
        return int(rest[0])
    if what == "sentence":
        sys.exit("it is wrong")
    if what == "raises":
        raise ValueError("no")
    if what == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "imports":
        print("colorsys" in sys.modules)
        import colorsys
    if what == "changes":
        print(os.environ.get("DYCL_LEFT"))
        os.environ["DYCL_LEFT"] = "1"
"""


@pytest.fixture(name="server")
def _server(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "dycl_command.py").write_text(COMMAND)
    socket = tmp_path / "own" / "socket"
    socket.parent.mkdir()
    server = subprocess.Popen(
        [sys.executable, str(WARM), "serve", str(socket)],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    while not socket.exists():
        assert server.poll() is None
        time.sleep(0.01)
    yield socket
    server.kill()
    server.wait()


def run(server: Path, *arguments: str, **how: object) -> tuple[int, str, str]:
    """Exit status, output, errors."""
    command = [sys.executable, "-I", "-S", str(WARM), str(server), "dycl_command"]
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, check=False, **how
    )
    return done.returncode, done.stdout, done.stderr


def test_input_output_folder_and_environment(server: Path, tmp_path: Path) -> None:
    long = "x" * 200_000
    found = run(
        server,
        *("echo", "a b", ""),
        input=f"text {long}\n",
        cwd=tmp_path,
        env={**os.environ, "DYCL_SAID": long[:100_000]},
    )
    said = f"TEXT {long.upper()}\n ['a b', ''] {tmp_path} {long[:100_000]}\n"
    assert found == (0, said, "to stderr\n")


def test_output_goes_to_a_pipe_or_a_file(server: Path, tmp_path: Path) -> None:
    with open(tmp_path / "out", "w+") as out:
        out.write("before\n")
        out.flush()
        command = [sys.executable, "-I", "-S", str(WARM), str(server), "dycl_command"]
        subprocess.run([*command, "changes"], stdout=out, check=True)
        out.seek(0)
        assert out.read() == "before\nNone\n"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("status", "0"), 0, ""),
        (("status", "3"), 3, ""),
        (("returns", "2"), 2, ""),
        (("sentence",), 1, "it is wrong\n"),
        (("raises",), 1, "ValueError: no\n"),
        (("killed",), 134, ""),
    ],
)
def test_exit_status(
    server: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    found, output, errors = run(server, *arguments)
    assert (found, output) == (status, "")
    assert errors.endswith(said)
    assert run(server, "status", "0")[0] == 0  # the server goes on


def test_imports_stay_and_all_else_goes(server: Path) -> None:
    assert [run(server, "imports")[1] for _ in range(2)] == ["False\n", "True\n"]
    assert [run(server, "changes")[1] for _ in range(2)] == ["None\n", "None\n"]


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    program = (
        "import subprocess, sys, pathlib, time\n"
        "subprocess.Popen([sys.executable, *sys.argv[1:]])\n"
        "while not pathlib.Path(sys.argv[-1]).exists(): time.sleep(0.01)\n"
    )
    command = [sys.executable, "-c", program, str(WARM), "serve", f"{folder}/socket"]
    subprocess.run(command, check=True)
    end = time.monotonic() + 60
    while folder.exists():
        assert time.monotonic() < end
        time.sleep(0.05)
