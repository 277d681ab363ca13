"""One contestant: a worker in a process of its own, what it may take, what it said."""

import json
import os
import re
import resource
import select
import signal
import statistics
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.peers import OURS

ROOT = Path(__file__).parent.parent
ENVIRONMENT = ROOT / "build" / "bench-env"
"""Where `make bench-setup` installs the peers."""

TURN_LIMIT = 60.0


@dataclass(frozen=True)
class Limits:
    """What a contestant may take until it has compiled and answered."""

    seconds: float = 300.0
    memory: float = 8.0
    """GiB of each of its processes."""


USUAL = Limits()


class Failed(Exception):
    """A contestant that cannot take part, in one line."""


@dataclass
class Entry:
    """What is known of one contestant on one subject."""

    peer: str
    error: str = ""
    version: str = ""
    compile: float = 0.0
    """Seconds of CPU, all threads, the export included."""
    errors: list[Any] = field(default_factory=list)
    """Of each path: the relative difference from eager, or what was raised."""
    peak: float = 0.0
    resident: float = 0.0
    host: str | None = None
    plain: list[str] | None = None
    setting: str = ""
    """By which of its settings it is raced, where it was tried with several."""
    probes: list[float] = field(default_factory=list)
    """Of each path, the seconds of one call before the race."""
    times: list[list[float]] = field(default_factory=list)
    """Of each path, the seconds of all its calls."""
    slices: list[list[int]] = field(default_factory=list)
    """Of each path, the slice that each of those calls was in."""

    def right(self, path: int, tolerance: float = 1e-3) -> bool:
        """Whether it gave eager's answer there."""
        error = self.errors[path] if path < len(self.errors) else None
        return isinstance(error, int | float) and error <= tolerance

    def best(self, path: int) -> float:
        """The fastest call."""
        return min(self.times[path])

    def median(self, path: int) -> float:
        """The median call."""
        return statistics.median(self.times[path])


def python_of(peer: str, pythons: Mapping[str, str] = {}) -> str:
    """A contestant's interpreter: its own, ours, or that of the peers."""
    if peer in pythons:
        return pythons[peer]
    own = ENVIRONMENT / "bin" / "python"
    return sys.executable if peer in OURS or not own.exists() else str(own)


class Contestant:
    """A worker process, stopped while it is not asked."""

    def __init__(
        self,
        peer: str,
        subject: Path,
        folder: Path,
        threads: int,
        limits: Limits,
        python: str = "",
    ):
        """Start it and wait until it has compiled. Failed: it has not."""
        self.entry = Entry(peer)
        command = [python or python_of(peer), "-m", "bench.worker", peer]
        self._log = folder / f"{peer}.log".replace(" ", "-")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, str(subject), str(folder), str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(threads),
                cwd=ROOT,
                start_new_session=True,
            )
        hold(self._process, limits)
        try:
            told = self._read(limits.seconds)
        except KeyboardInterrupt:
            self.close()
            raise
        if "error" in told:
            self.close()
            raise Failed(told["error"])
        for name, value in told.items():
            setattr(self.entry, name, value)
        self.entry.times = [[] for _ in self.entry.errors]
        self.entry.slices = [[] for _ in self.entry.errors]
        self._stop()

    def turn(self, path: int, calls: int, clock: str, number: int = 0) -> None:
        """Let it run a path so often, in that slice. Failed: it does not answer."""
        os.killpg(self._process.pid, signal.SIGCONT)
        asked = json.dumps({"path": path, "calls": calls, "clock": clock})
        self._process.stdin.write(asked.encode() + b"\n")
        self._process.stdin.flush()
        self.entry.times[path] += self._read(TURN_LIMIT)
        self.entry.slices[path] += [number] * calls
        self._stop()

    def close(self) -> None:
        """End it and all that it started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGCONT)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def _stop(self) -> None:
        os.killpg(self._process.pid, signal.SIGSTOP)

    def _read(self, limit: float) -> Any:
        """One line of JSON. Failed: none comes."""
        ready, _, _ = select.select([self._process.stdout], [], [], limit)
        line = self._process.stdout.readline() if ready else b""
        if line:
            return json.loads(line)
        why = f"nothing after {limit:.0f} s"
        if ready:
            said = self._log.read_text(encoding="utf-8", errors="replace")
            why = f"the process died: {error_in(said)}"
        self.close()
        raise Failed(why)


def hold(process: subprocess.Popen[bytes], limits: Limits) -> None:
    """Let a process, and those that it will start, have so much memory each."""
    most = int(limits.memory * 2**30)
    resource.prlimit(process.pid, resource.RLIMIT_DATA, (most, most))


def environment(threads: int) -> dict[str, str]:
    """That of a worker: so many threads for whatever pool it uses."""
    count = str(threads)
    pools = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TVM_NUM_THREADS")
    paths = {"PYTHONPATH": str(ROOT)}
    quiet = {"PYTHONWARNINGS": "ignore"}
    # Inductor's compilers one after the other, as children: their time is counted.
    quiet["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    return {**os.environ, **dict.fromkeys(pools, count), **paths, **quiet}


def started(
    name: str,
    subject: Path,
    folder: Path,
    threads: int,
    limits: Limits,
    python: str = "",
):
    """A contestant. Failed: it cannot compile, or could not within as much before.

    That a peer failed is kept in `folder`; ours is tried every time.
    """
    note = folder / f"{name}-{threads}.failed.json".replace(" ", "-")
    if note.exists():
        before = json.loads(note.read_text(encoding="utf-8"))
        if all(before[what] >= most for what, most in asdict(limits).items()):
            raise Failed(before["error"])
    try:
        return Contestant(name, subject, folder, threads, limits, python)
    except Failed as failed:
        if name not in OURS:
            kept = {"error": str(failed), **asdict(limits)}
            note.write_text(json.dumps(kept) + "\n", encoding="utf-8")
        raise


def uncoloured(text: str) -> str:
    """A text without what makes letters of a terminal coloured."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def error_in(traceback: str) -> str:
    """The line of a traceback that names the last error."""
    lines = [line for line in uncoloured(traceback).splitlines() if line[:1].strip()]
    named = [line for line in lines if ": " in line and "Error" in line.split(": ")[0]]
    return (named or lines or ["it failed"])[-1][:160]
