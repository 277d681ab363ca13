"""A profile: the calls of a network while it is profiled, by any thread."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from dycl.runtime.locks import Lock
from dycl.runtime.observers import Observer
from dycl.runtime.profiling.clocks import Clock
from dycl.runtime.profiling.distributions import Distributions
from dycl.runtime.profiling.recorders import Sink, Take, Twin
from dycl.runtime.profiling.table import as_table
from dycl.runtime.profiling.totals import Call, Totals
from dycl.runtime.profiling.trace import trace_events
from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from typing import Self

FORMAT = 1
"""The version of what `Profile.data` gives."""
_BATCH = 1 << 20
"""Bytes of recorded calls that are added up together, between two calls."""
_TRACED = 4 << 20
"""Bytes of recorded calls that a trace may show: the first ones."""


class Recorder(Protocol):
    """Records the runs of instances."""

    def attach(self, instance: Any, twin: Twin) -> None:
        """Record the runs of an instance that begin from now on."""
        ...

    def detach(self, instance: Any) -> None:
        """Record no more."""
        ...


class Profiled(Protocol):
    """A network that can be profiled."""

    @property
    def host(self) -> str:
        """What runs the decisions."""
        ...

    @property
    def decisions(self) -> tuple[tuple[str, str, str, int], ...]:
        """All: name, test, file, line."""
        ...

    @property
    def launches(self) -> tuple[tuple[str, str, int], ...]:
        """All: kernel, file, line."""
        ...

    def observe(self, observer: Observer | None) -> Observer | None:
        """Tell it of each call; who was told before."""
        ...

    def recorder(self, sink: Sink) -> tuple[Recorder, Clock]:
        """What gives `sink` each run, and the clock that it reads."""
        ...


class Profile:
    """Counts and times of a network's calls: by launch, decision and path.

    `with dycl.profile(net) as p:` profiles all calls in the block, of all threads;
    `print(p)` shows it as a table, `p.data()` has the numbers, `p.save` writes them. A
    call within a call counts by itself, and as part of the outer one's host.
    """

    def __init__(self, net: Profiled):
        """Of a network that is profiled from `start` on. ProfileError: its host cannot
        be timed."""
        self._net = net
        self._recorder, self._clock = net.recorder(self._runs)
        self._totals = Totals(len(net.launches), len(net.decisions))
        self._rows = 0
        self._row_decisions: Sequence[Sequence[Any]] = ()
        self._sides: Any = 0
        self._pending: list[Call] = []
        self._traced: list[Call] = []
        self._room, self._left = _BATCH, _TRACED
        self._names: dict[int, str] = {}
        self._open = threading.local()
        self._lock = Lock()
        self._before: Observer | None = None

    # ---- when

    def start(self) -> None:
        """Profile from now on."""
        self._before = self._net.observe(self)

    def stop(self) -> None:
        """Profile no more."""
        self._net.observe(self._before)

    def __enter__(self) -> Self:
        """Profile from now on."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Profile no more."""
        self.stop()

    # ---- what the network tells

    def attach(self, instance: Any, twin: Twin) -> None:
        """See `Observer`."""
        self._recorder.attach(instance, twin)

    def detach(self, instance: Any) -> None:
        """See `Observer`."""
        self._recorder.detach(instance)

    def rows(self, count: int, decisions: Sequence[Sequence[Any]], sides: Any) -> None:
        """See `Observer`."""
        with self._lock.lock:
            self._rows += count
            self._row_decisions = decisions
            self._sides = self._sides + sides

    def call(self, function: Callable[[], Any]) -> Any:
        """Do a call, and count it if it has run anything."""
        calls: list[list[Take]] = self._open.__dict__.setdefault("calls", [])
        told: list[Take] = []
        calls.append(told)
        has_raised = True
        begin = time.perf_counter_ns()
        try:
            returned = function()
            has_raised = False
            return returned
        finally:
            end = time.perf_counter_ns()
            calls.pop()
            runs = [run for take in told if (run := take()) is not None]
            for run in runs[-1:]:
                thread = threading.get_native_id()
                self._add(Call(thread, begin, end - run.spent, has_raised, run))

    def _runs(self, take: Take) -> None:
        """This thread begins a run, in the innermost of its open calls."""
        calls: list[list[Take]] = self._open.__dict__.get("calls", [])
        if calls:
            calls[-1].append(take)

    def _add(self, call: Call) -> None:
        size = len(call.run.events) + len(call.run.path) + 100
        with self._lock.lock:
            self._pending.append(call)
            if self._left > 0:
                self._left -= size
                self._traced.append(call)
                self._names.setdefault(call.thread, threading.current_thread().name)
            self._room -= size
            if self._room < 0:
                self._add_up()

    def _add_up(self) -> None:
        pending, self._pending, self._room = self._pending, [], _BATCH
        if pending:
            self._totals.add(pending, self._clock)

    # ---- what came of it

    def data(self) -> dict[str, Any]:
        """All counts and times as plain data, which JSON can hold.

        "calls": of whole calls; "share": of the kernels, of the host between them, and
        of the rest of a call (arguments, results), which add up to 1. "launches" and
        "decisions" are in the order of the program, "kernels" are launches added up. A
        side's time lasts until the next decision, or the end of the run; "start" until
        the first. "paths": of whole calls, the most frequent first; each a list of
        decision and side. Times are in microseconds.

        "rows", where many are computed together: how many there were, and how many went
        each way at each decision; "decisions" counts how often some did.
        """
        with self._lock.lock:
            self._add_up()
            totals, net = self._totals, self._net
            side = totals.segments.summary
            return {
                **self._of_rows(),
                "format": FORMAT,
                "host": net.host,
                "clock": {"name": self._clock.name, "cost_ns": round(self._clock.cost)},
                "calls": totals.calls.summary(0),
                "raised": totals.raised,
                "dropped_launches": totals.dropped,
                "share": _shares(totals),
                "launches": [
                    {"kernel": kernel, "file": file, "line": line, **row}
                    for (kernel, file, line), row in zip_equal(
                        net.launches,
                        map(totals.launches.summary, range(len(totals.launches))),
                    )
                ],
                "kernels": _kernels(net.launches, totals.launches),
                "start": side(0),
                "decisions": [
                    {
                        **{"name": name, "test": test, "file": file, "line": line},
                        "true": side(2 + 2 * i),
                        "false": side(1 + 2 * i),
                    }
                    for i, (name, test, file, line) in enumerate(net.decisions)
                ],
                "paths": totals.paths.data(),
            }

    def _of_rows(self) -> dict[str, Any]:
        if not self._rows:
            return {}
        decisions = [
            {
                **{"name": name, "test": test, "file": file, "line": line},
                **{"true": int(yes), "false": int(no)},
            }
            for (name, test, file, line), (no, yes) in zip_equal(
                self._row_decisions, self._sides.tolist()
            )
        ]
        return {"rows": {"count": self._rows, "decisions": decisions}}

    def __str__(self) -> str:
        """The profile as tables of text."""
        return as_table(self.data())

    def save(self, path: Path | str, *, trace: bool = True) -> None:
        """Write the profile as JSON, which Perfetto and chrome://tracing show.

        It has the numbers of `data` as "profile", and the first calls (some 100,000
        launches) as "traceEvents"; without `trace`, no events. OSError.
        """
        content: dict[str, Any] = {"profile": self.data()}
        if trace:
            content["traceEvents"] = self._trace()
            content["displayTimeUnit"] = "ns"
        Path(path).write_text(json.dumps(content) + "\n", "utf-8")

    def _trace(self) -> list[dict[str, Any]]:
        with self._lock.lock:
            calls, names = [*self._traced], dict(self._names)
        net = self._net
        return trace_events(calls, self._clock, net.launches, net.decisions, names)


def _kernels(
    launches: Sequence[tuple[str, str, int]], times: Distributions
) -> list[dict[str, Any]]:
    """The launches of each kernel together, with all their places in the source."""
    rows: dict[str, list[int]] = {}
    for row, (kernel, _, _) in enumerate(launches):
        rows.setdefault(kernel, []).append(row)
    return [
        {
            "kernel": kernel,
            "places": list(dict.fromkeys(f"{f}:{n}" for f, n in _lines(launches, own))),
            "launches": len(own),
            **times.summary(*own),
        }
        for kernel, own in rows.items()
    ]


def _lines(
    launches: Sequence[tuple[str, str, int]], rows: Sequence[int]
) -> Iterator[tuple[str, int]]:
    """File and line of each that is known."""
    for row in rows:
        _, file, line = launches[row]
        if file:
            yield file, line


def _shares(totals: Totals) -> dict[str, float]:
    """The parts of the time of all calls."""
    whole = float(totals.calls.total[0])
    if whole == 0:
        return {"kernels": 0.0, "host": 0.0, "arguments_and_results": 0.0}
    parts = {
        "kernels": totals.kernels,
        "host": totals.run - totals.kernels,
        "arguments_and_results": whole - totals.run,
    }
    return {name: round(time / whole, 6) for name, time in parts.items()}
