"""The race: contestants in processes of their own, called in turns on the same inputs.

Each is a `bench.worker`. While it is not its turn a contestant is stopped (SIGSTOP), so
that idle threads which spin take nothing from the others. A turn is one call that is
not counted and then as many calls as every other contestant has on that path; rounds go
through paths and contestants, so that whatever else the machine does falls on all of
them. All turns of a path in a round are in one slice (`bench.slices`).
"""

import json
import shutil
import statistics
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from bench.contestant import (
    ROOT,
    USUAL,
    Contestant,
    Entry,
    Failed,
    Limits,
    environment,
    error_in,
    hold,
    python_of,
    started,
)
from bench.peers import PEERS
from bench.peers.onnx import FILE
from bench.slices import Slices

FEWEST, MOST = 2, 100
"""Calls of a turn."""


def race(
    subject: Path,
    peers: list[str],
    folder: Path,
    threads: int = 1,
    rounds: int = 5,
    seconds: float = 0.05,
    clock: str = "wall",
    limits: Limits = USUAL,
    slices: Slices | None = None,
    pythons: Mapping[str, str] = {},
    say=print,
) -> list[Entry]:
    """What each of the peers did on a subject, in the order given.

    `seconds`: about those of a contestant's turn, of which as many calls are made that
    the median of them takes so long; `clock`: one of `bench.worker.CLOCKS`; `pythons`:
    peer -> its interpreter, where it is not the usual one. Without rounds each
    is ended as soon as it has answered: what it compiled is kept in `folder`, for a
    race to come. What was kept there for an older subject goes.
    """
    made = subject.stat().st_mtime if subject.exists() else 0.0
    if folder.exists() and folder.stat().st_ctime < made:
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    needed = [name for name in peers if PEERS[name].after == "onnx"]
    export = None
    if needed:
        export = Export(python_of(needed[0], pythons), subject, folder, limits)
    slices = slices or Slices()
    entries, running = [], []
    try:
        for name in peers:
            begun = time.perf_counter()
            entry = Entry(name)
            entries.append(entry)
            try:
                cost = export.wait() if name in needed else {}
                python = python_of(name, pythons)
                contestant = started(name, subject, folder, threads, limits, python)
            except Failed as failed:
                entry.error = str(failed)
                say(f"    {name}: {failed}")
                continue
            contestant.entry.compile += cost.get("seconds", 0.0)
            contestant.entry.peak = max(contestant.entry.peak, cost.get("peak", 0.0))
            entries[-1] = contestant.entry
            if rounds:
                running.append(contestant)
            else:
                contestant.close()
            wrong = [
                path
                for path in range(len(contestant.entry.errors))
                if not contestant.entry.right(path)
            ]
            say(
                f"    {name}: {time.perf_counter() - begun:.1f} s"
                + (f", wrong on paths {wrong}" if wrong else "")
            )
        _rounds(running, rounds, seconds, clock, slices)
    finally:
        slices.close()
        for contestant in running:
            contestant.close()
        if export is not None:
            export.close()
    return entries


def _rounds(
    running: list[Contestant], rounds: int, seconds: float, clock: str, slices: Slices
) -> None:
    """Turns; a contestant that fails is out, and its entry says why."""
    if not running:
        return
    paths = range(len(running[0].entry.errors))
    calls = [calls_of(running, path, seconds) for path in paths]
    for number in range(rounds):
        first = number % len(running)
        for path in paths:
            racing = [
                each
                for each in [*running[first:], *running[:first]]
                if not each.entry.error and _answers(each, path)
            ]
            once = sum(each.entry.probes[path] for each in racing)
            slices.room_for(1.2 * once * (calls[path] + 1))
            for contestant in racing:
                try:
                    contestant.turn(path, calls[path], clock, slices.number)
                except Failed as failed:
                    contestant.entry.error = str(failed)


def calls_of(running: list[Contestant], path: int, seconds: float) -> int:
    """How many calls of a path each contestant has in a turn, all of them the same."""
    probes = [each.entry.probes[path] for each in running if _answers(each, path)]
    if not probes:
        return FEWEST
    return max(FEWEST, min(MOST, int(seconds / statistics.median(probes))))


def _answers(contestant: Contestant, path: int) -> bool:
    """Whether it gives any answer on a path, right or wrong."""
    return not isinstance(contestant.entry.errors[path], str)


class Export:
    """The rewritten model's ONNX, which several peers want: made in a process.

    It goes on while contestants that do not need it compile. What is in `folder`
    already is used again.
    """

    def __init__(self, python: str, subject: Path, folder: Path, limits: Limits):
        """Begin it, by an interpreter."""
        self._note = folder / f"{FILE}.json"
        self._log = folder / "onnx.log"
        self._limits = limits
        self._process = None
        if not self._note.exists():
            command = [python, "-m", "bench.peers.onnx"]
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [*command, str(subject), str(folder)],
                    stdout=log,
                    stderr=log,
                    env=environment(1),
                    cwd=ROOT,
                )
            hold(self._process, limits)

    def wait(self) -> dict[str, float]:
        """What it cost. Failed: there is none."""
        if self._process is not None:
            try:
                status = self._process.wait(self._limits.seconds)
            except subprocess.TimeoutExpired:
                self.close()
                raise Failed(f"no ONNX after {self._limits.seconds:.0f} s") from None
            if status:
                said = self._log.read_text(encoding="utf-8", errors="replace")
                raise Failed(f"no ONNX: {error_in(said)}")
        return json.loads(self._note.read_text(encoding="utf-8"))

    def close(self) -> None:
        """End it."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
