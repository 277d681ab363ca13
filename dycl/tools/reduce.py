"""The reducer: the smallest program that still makes a command fail in the same way.

    dycl-opt --reduce='dycl-opt -p normalise %s' net.mlir
    dycl-opt --reduce='dycl compile %s:build' net.py
    dycl-opt --reduce= dycl-crash-1a2b3c4d

`%s` is the file to try, at the end of the command if it is not written. A folder is one
that a crash left: its program and its command are taken. A failure is the same if the
exit status is, and the first line that says `error` or names an exception, less numbers
and names in quotes. What is left is printed; a program that does not fail is an error.

`reduce_ir` drops ops, opens regions and drops functions and objects; `reduce_python`
leaves out statements, coarse ones first, and opens blocks. A command that is one of our
tools is run in forks of this process (`warm_commands`). `--reduce-seconds` ends the
search with the smallest program found until then.
"""

import re
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dycl.ir.placing_parser import decode
from dycl.tools.reduce_ir import ir_steps
from dycl.tools.reduce_python import reduce_python
from dycl.tools.usage import UsageError
from dycl.tools.warm_commands import run_command

Steps = Callable[[str], Iterator[str]]
"""The smaller candidates of a text, those that promise most first."""

_SECONDS = 120.0
"""How long the first run of the command may take."""
_NOT_RUN = (126, 127)
"""What the shell says of a command that it cannot run, or does not find."""
_TIMES = 10
"""One that takes so many times the first one has not failed."""


class Failure(NamedTuple):
    """How a command fails."""

    status: int
    message: str


@dataclass
class Oracle:
    """A command to run on candidates; each is tried once."""

    command: str
    suffix: str
    seconds: float = float("inf")
    """For the whole search; after that nothing fails."""
    wanted: Failure | None = None
    tried: set[str] = field(default_factory=set[str])
    limit: float = _SECONDS
    started: float = field(default_factory=time.monotonic)
    told: float = 0.0

    def start(self, text: str) -> None:
        """Note how the command fails on the whole. UsageError: it does not."""
        self.started = time.monotonic()
        self.wanted = self.failure(text)
        self.limit = min(_SECONDS, _TIMES * (self.taken + 1))
        self.tried.add(text)
        if self.wanted is None:
            raise UsageError(f"`{self.command}` does not fail")
        if self.wanted.status in _NOT_RUN:
            raise UsageError(f"`{self.command}` is not run: {self.wanted.message}")
        status, message = self.wanted
        print(f"reducing: status {status}, {message}", file=sys.stderr)

    @property
    def taken(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def fails(self, text: str) -> bool:
        """Whether the command fails as it did on the whole; tells of progress."""
        if text in self.tried or self.taken > self.seconds:
            return False
        self.tried.add(text)
        same = self.failure(text) == self.wanted
        if same or self.taken - self.told > 5:
            self.told = self.taken
            lines = f"{text.count(chr(10))} lines {'fail' if same else 'do not fail'}"
            count = f"{len(self.tried)} programs tried, {self.taken:.0f} s"
            print(f"reducing: {lines}; {count}", file=sys.stderr)
        return same

    def failure(self, text: str) -> Failure | None:
        """How the command fails on a text; None: it does not, or takes too long."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"reduced{self.suffix}"
            path.write_text(text, encoding="utf-8")
            command = with_file(self.command, path)
            done = run_command(command, Path(folder), self.limit)
        if done is None or done.status == 0:
            return None
        return Failure(done.status, signature(done.output))


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


def reduce_file(command: str, source: Path, seconds: float = float("inf")) -> str:
    """The reduced text, or what there is of it after some seconds.

    UsageError: no such file, no command, or it does not fail.
    """
    if source.is_dir():
        command = command or crash_command(source)
        source = source / "input.mlir"
    if not source.is_file():
        raise UsageError(f"there is no file '{source}'")
    if not command:
        raise UsageError("--reduce needs a command to run on the file")
    text = decode(source.read_bytes(), str(source))
    oracle = Oracle(command, source.suffix, seconds)
    try:
        oracle.start(text)
    except UsageError as error:
        raise UsageError(f"{error} on '{source}'") from error
    if source.suffix == ".py":
        result = reduce_python(text, oracle.fails)
    else:
        result = reduced(text, ir_steps, oracle.fails)
    if oracle.taken > seconds:
        print("reducing: stopped by --reduce-seconds", file=sys.stderr)
    return result


def crash_command(folder: Path) -> str:
    """The command of a crash folder, with `%s` for its program. UsageError."""
    script = folder / "reproduce.sh"
    if not script.is_file():
        raise UsageError(f"'{folder}' is not a folder that a crash left")
    _, _, command = script.read_text(encoding="utf-8").partition(" && ")
    return command.strip().replace("input.mlir", "%s")


def reduced(text: str, steps: Steps, fails: Callable[[str], bool]) -> str:
    """The text made smaller as long as some candidate fails."""
    again = True
    while again:
        again = False
        for candidate in steps(text):
            if fails(candidate):
                text, again = candidate, True
                break
    return text
