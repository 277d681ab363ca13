"""Command lines of our own tools, run again and again in forks of this process.

A tool takes seconds to import what it needs, for work of some milliseconds. So this
process imports what the runs before have imported, and each run is a fork, in which all
that it does is gone with it. Other commands are run by the shell.
"""

import contextlib
import gc
import importlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

_TOOLS = {
    "dycl": "dycl.tools.cli",
    "dycl-opt": "dycl.tools.opt",
    "dycl-run": "dycl.tools.run",
    "dycl-kernel-opt": "dycl.kernels.cpu.opt",
}
"""Console script -> the module whose `main` it calls."""
_IN_QUOTES = frozenset("$`\n\\")
"""What the shell looks at inside quotes as well."""
_UNQUOTED = frozenset("|&;<>*?()[]{}~!#")
_IMPORTED = "imported.txt"


class Done(NamedTuple):
    """How a command ended."""

    status: int
    output: str
    """What it wrote to its standard error, then what it wrote to its output."""


def run_command(command: str, folder: Path, seconds: float) -> Done | None:
    """Run a command line in an empty folder; None: it takes longer."""
    if (tool := tool_of(command)) is not None:
        return _run_forked(*tool, folder, seconds)
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return None
    return Done(done.returncode, done.stderr + done.stdout)


def tool_of(command: str) -> tuple[str, list[str]] | None:
    """The module of a command that is one of our tools, and its arguments; None: it is
    another, asks something of the shell, or means another installation's tool."""
    if _IN_QUOTES & set(command):
        return None
    raw = shlex.shlex(command, posix=False)
    raw.whitespace_split = True
    try:
        words = list(raw)
        first, *arguments = shlex.split(command)
    except ValueError:
        return None
    if any(word[0] not in "'\"" and _UNQUOTED & set(word) for word in words):
        return None
    path = shutil.which(first)
    ours = Path(sys.executable).parent
    if first in _TOOLS and (path is None or Path(path).parent == ours):
        return _TOOLS[first], arguments
    if Path(first).parent == ours and Path(first).name in _TOOLS:
        return _TOOLS[Path(first).name], arguments
    return None


def _run_forked(
    module: str, arguments: Sequence[str], folder: Path, seconds: float
) -> Done | None:
    outputs = [folder / "stderr.txt", folder / "stdout.txt"]
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()  # What is there is looked at by no fork, and so not copied.
    if (child := os.fork()) == 0:
        _be(module, arguments, folder, outputs)
    status = _status(child, seconds)
    if status is None:
        return None
    with contextlib.suppress(OSError):
        _import((folder / _IMPORTED).read_text(encoding="utf-8").split())
    return Done(status, "".join(path.read_text(errors="replace") for path in outputs))


def _status(child: int, seconds: float) -> int | None:
    """The exit status of a process, which is ended after some time: None."""
    end, pause = time.monotonic() + seconds, 0.001
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _be(
    module: str, arguments: Sequence[str], folder: Path, outputs: Sequence[Path]
) -> NoReturn:
    """Be the command, and end with its status; say what it has imported."""
    status = 1
    before = set(sys.modules)
    try:
        os.setsid()
        os.chdir(folder)
        _redirect(outputs)
        sys.argv = [module, *arguments]
        status = _main(module)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        news = [name for name in sys.modules if name not in before]
        Path(_IMPORTED).write_text(" ".join(news), encoding="utf-8")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _main(module: str) -> int:
    try:
        result: object = importlib.import_module(module).main()
    except SystemExit as end:
        result = end.code
    if isinstance(result, str):
        print(result, file=sys.stderr)
        return 1
    return result if isinstance(result, int) else 0


def _redirect(outputs: Sequence[Path]) -> None:
    """Nothing comes in; what goes out, in files."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for path, target in zip(outputs, (2, 1), strict=True):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, target)
    sys.stdin = os.fdopen(0)
    sys.stdout = os.fdopen(1, "w", errors="backslashreplace")
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")


def _import(names: Sequence[str]) -> None:
    """Import what a run has imported of installed packages, for the next ones."""
    for name in names:
        if name not in sys.modules and name.partition(".")[0] in _KEPT:
            with contextlib.suppress(Exception):
                importlib.import_module(name)


_KEPT = ("dycl", "xdsl", "numpy", "torch", "torch_mlir", "sympy", "mpmath")
"""Packages that no command changes; what else it imports may be the user's."""
