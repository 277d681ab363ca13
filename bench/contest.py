"""The race: contestants in processes of their own, called in turns on the same inputs.

Each is a `bench.worker`. While it is not its turn a contestant is stopped (SIGSTOP), so
that idle threads which spin take nothing from the others. A turn is one call that is
not counted and then calls for a slice of time; rounds go through paths and contestants,
so that whatever else the machine does falls on all of them.
"""

import json
import os
import resource
import select
import shutil
import signal
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.peers import OURS, PEERS

ROOT = Path(__file__).parent.parent
ENVIRONMENT = ROOT / "build" / "bench-env"
"""Where `make bench-setup` installs the peers."""

EXPORT_LIMIT = 600.0
TURN_LIMIT = 60.0


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
    times: list[list[float]] = field(default_factory=list)
    """Of each path, the seconds of all its calls."""

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


def python_of(peer: str) -> str:
    """The interpreter that a contestant runs in: ours, or that of the peers."""
    own = ENVIRONMENT / "bin" / "python"
    return sys.executable if peer in OURS or not own.exists() else str(own)


class Contestant:
    """A worker process, stopped while it is not asked."""

    def __init__(
        self, peer: str, subject: Path, folder: Path, threads: int, limit: float
    ):
        """Start it and wait until it has compiled. Failed: it has not."""
        self.entry = Entry(peer)
        command = [python_of(peer), "-m", "bench.worker", peer]
        with (folder / f"{peer}.log".replace(" ", "-")).open("wb") as log:
            self._process = subprocess.Popen(
                [*command, str(subject), str(folder), str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(threads),
                cwd=ROOT,
                start_new_session=True,
            )
        told = self._read(limit)
        if "error" in told:
            self.close()
            raise Failed(told["error"])
        for name, value in told.items():
            setattr(self.entry, name, value)
        self.entry.times = [[] for _ in self.entry.errors]
        self._stop()

    def turn(self, path: int, seconds: float, clock: str) -> None:
        """Let it run a path for a while. Failed: it does not answer."""
        os.killpg(self._process.pid, signal.SIGCONT)
        asked = json.dumps({"path": path, "seconds": seconds, "clock": clock})
        self._process.stdin.write(asked.encode() + b"\n")
        self._process.stdin.flush()
        self.entry.times[path] += self._read(TURN_LIMIT + seconds)
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
        why = f"nothing after {limit:.0f} s" if not ready else "the process died"
        self.close()
        raise Failed(why)


def environment(threads: int) -> dict[str, str]:
    """That of a worker: so many threads for whatever pool it uses."""
    count = str(threads)
    pools = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TVM_NUM_THREADS")
    paths = {"PYTHONPATH": str(ROOT)}
    quiet = {"PYTHONWARNINGS": "ignore"}
    return {**os.environ, **dict.fromkeys(pools, count), **paths, **quiet}


def race(
    subject: Path,
    peers: list[str],
    folder: Path,
    threads: int = 1,
    rounds: int = 5,
    seconds: float = 0.05,
    clock: str = "wall",
    limit: float = 300.0,
    say=print,
) -> list[Entry]:
    """What each of the peers did on a subject, in the order given.

    `seconds`: of a turn; `clock`: one of `bench.worker.CLOCKS`; `limit`: seconds that a
    contestant may take to compile. What was kept in `folder` for an older subject goes.
    """
    made = subject.stat().st_mtime if subject.exists() else 0.0
    if folder.exists() and folder.stat().st_ctime < made:
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    exported = _export(subject, peers, folder, say)
    entries, running = [], []
    try:
        for name in peers:
            begun = time.perf_counter()
            entry = Entry(name)
            entries.append(entry)
            after = exported.get(PEERS[name].after, 0.0)
            if isinstance(after, str):
                entry.error = f"no ONNX: {after}"
                continue
            try:
                contestant = Contestant(name, subject, folder, threads, limit)
            except Failed as failed:
                entry.error = str(failed)
                say(f"    {name}: {failed}")
                continue
            contestant.entry.compile += after
            entries[-1] = contestant.entry
            running.append(contestant)
            wrong = [
                path
                for path in range(len(contestant.entry.errors))
                if not contestant.entry.right(path)
            ]
            say(
                f"    {name}: {time.perf_counter() - begun:.1f} s"
                + (f", wrong on paths {wrong}" if wrong else "")
            )
        _rounds(running, rounds, seconds, clock)
    finally:
        for contestant in running:
            contestant.close()
    return entries


def _rounds(running: list[Contestant], rounds: int, seconds: float, clock: str) -> None:
    """Turns; a contestant that fails is out, and its entry says why."""
    for number in range(rounds):
        if not running:
            return
        first = number % len(running)
        for path in range(len(running[0].entry.errors)):
            for contestant in [*running[first:], *running[:first]]:
                if contestant.entry.error or not _answers(contestant, path):
                    continue
                try:
                    contestant.turn(path, seconds, clock)
                except Failed as failed:
                    contestant.entry.error = str(failed)


def _answers(contestant: Contestant, path: int) -> bool:
    """Whether it gives any answer on a path, right or wrong."""
    return not isinstance(contestant.entry.errors[path], str)


def _export(subject: Path, peers: list[str], folder: Path, say) -> dict[str, Any]:
    """Step -> the seconds it took, or why it failed; only what the peers need.

    An export that is there already is used again.
    """
    needed = [name for name in peers if PEERS[name].after == "onnx"]
    if not needed:
        return {}
    note = folder / "onnx.json"
    if note.exists():
        return json.loads(note.read_text(encoding="utf-8"))
    command = [python_of(needed[0]), "-m", "bench.peers.onnx"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [*command, str(subject), str(folder)],
            env=environment(1),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=EXPORT_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"onnx": f"nothing after {EXPORT_LIMIT:.0f} s"}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    result: dict[str, Any] = {"onnx": seconds}
    if done.returncode:
        (folder / "onnx.log").write_text(done.stderr, encoding="utf-8")
        result = {"onnx": error_in(done.stderr)}
        say(f"    ONNX export: {result['onnx']}")
    note.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return result


def error_in(traceback: str) -> str:
    """The line of a traceback that names the last error."""
    lines = [line for line in traceback.splitlines() if line[:1].strip()]
    named = [line for line in lines if ": " in line and "Error" in line.split(": ")[0]]
    return (named or lines or ["it failed"])[-1][:160]
