"""The reducer: the smallest program that still makes a command fail in the same way.

    dycl-opt --reduce='dycl-opt -p normalise %s' net.mlir
    dycl-opt --reduce='dycl compile %s:build' net.py
    dycl-opt --reduce= dycl-crash-1a2b3c4d

`%s` is the file to try, at the end of the command if it is not written. A folder is one
that a crash left: its program and its command are taken. A failure is the same if the
exit status is, and the first line that says `error` or names an exception, less numbers
and names in quotes. What is left is printed; a program that does not fail is an error.

Candidates are made by two sets of rules: `reduce_ir` drops ops, opens regions and drops
functions and objects; `reduce_python` drops statements and opens blocks.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dycl.ir.placing_parser import decode
from dycl.tools.opt_args import UsageError
from dycl.tools.reduce_ir import ir_steps
from dycl.tools.reduce_python import python_steps

Steps = Callable[[str], Iterator[str]]
"""The smaller candidates of a text, those that promise most first."""

_SECONDS = 120
"""How long one run of the command may take; one that takes longer has not failed."""


class Failure(NamedTuple):
    """How a command fails."""

    status: int
    message: str


@dataclass(frozen=True)
class Oracle:
    """A command to run on a candidate."""

    command: str
    suffix: str

    def failure(self, text: str) -> Failure | None:
        """How the command fails on a text; None: it does not, or takes too long."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"reduced{self.suffix}"
            path.write_text(text, encoding="utf-8")
            command = with_file(self.command, path)
            try:
                done = subprocess.run(
                    ["/bin/sh", "-c", command],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=_SECONDS,
                    stdin=subprocess.DEVNULL,
                )
            except subprocess.TimeoutExpired:
                return None
        if done.returncode == 0:
            return None
        return Failure(done.returncode, signature(done.stderr + done.stdout))


def with_file(command: str, path: Path) -> str:
    """The command with a file in the place of `%s`, or at its end."""
    name = shlex.quote(str(path))
    return command.replace("%s", name) if "%s" in command else f"{command} {name}"


def signature(output: str) -> str:
    """The line that says what failed, less what changes with the program's size."""
    lines = output.splitlines()
    said = [
        line for line in lines if re.search(r"\berror\b|\w(Error|Exception)\b", line)
    ]
    line = said[0] if said else next(iter(lines[-1:]), "")
    line = re.sub(r"; to see it again: .*", "", line)
    line = re.sub(r"^\S*?reduced\.\w+:", "", line)
    return re.sub(r"'[^']*'|`[^`]*`|[\w./-]*:\d+:\d+|\d+", "_", line)


def reduce_file(command: str, source: Path) -> str:
    """The reduced text. UsageError: no such file, no command, or it does not fail."""
    if source.is_dir():
        command = command or crash_command(source)
        source = source / "input.mlir"
    if not source.is_file():
        raise UsageError(f"there is no file '{source}'")
    if not command:
        raise UsageError("--reduce needs a command to run on the file")
    steps = python_steps if source.suffix == ".py" else ir_steps
    text = decode(source.read_bytes(), str(source))
    oracle = Oracle(command, source.suffix)
    if (wanted := oracle.failure(text)) is None:
        raise UsageError(f"`{command}` does not fail on '{source}'")
    print(f"reducing: status {wanted.status}, {wanted.message}", file=sys.stderr)
    return reduced(text, steps, lambda one: oracle.failure(one) == wanted)


def crash_command(folder: Path) -> str:
    """The command of a crash folder, with `%s` for its program. UsageError."""
    script = folder / "reproduce.sh"
    if not script.is_file():
        raise UsageError(f"'{folder}' is no folder that a crash left")
    _, _, command = script.read_text(encoding="utf-8").partition(" && ")
    return command.strip().replace("input.mlir", "%s")


def reduced(text: str, steps: Steps, fails: Callable[[str], bool]) -> str:
    """The text made smaller as long as some candidate fails; each is tried once."""
    tried = {text}
    again = True
    while again:
        again = False
        for candidate in steps(text):
            if candidate in tried:
                continue
            tried.add(candidate)
            if fails(candidate):
                text, again = candidate, True
                print(f"reducing: {text.count(chr(10))} lines", file=sys.stderr)
                break
    return text
