"""Recorded calls in the Trace Event Format, which Perfetto and Chrome show."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dycl.runtime.profiling.clocks import Clock
from dycl.runtime.profiling.totals import Call, TimedRun
from dycl.runtime.zipping import zip_equal


def trace_events(
    calls: Sequence[Call],
    clock: Clock,
    launches: Sequence[tuple[str, str, int]],
    decisions: Sequence[tuple[str, str, str, int]],
    threads: Mapping[int, str],
) -> list[dict[str, Any]]:
    """A slice for each call, in it one for its run, in that its kernels; a mark for
    each decision. `threads`: their names."""
    process = os.getpid()
    events: list[dict[str, Any]] = [
        {
            **{"ph": "M", "name": "thread_name", "pid": process, "tid": thread},
            "args": {"name": name},
        }
        for thread, name in threads.items()
    ]
    for call in calls:
        where = {"pid": process, "tid": call.thread}
        found = _of_call(call, TimedRun.of(call.run, clock), launches, decisions)
        events += [{**event, **where} for event in found]
    return events


def _of_call(
    call: Call,
    run: TimedRun,
    launches: Sequence[tuple[str, str, int]],
    decisions: Sequence[tuple[str, str, str, int]],
) -> Iterator[dict[str, Any]]:
    yield _slice("call", "call", call.begin, call.end, {"raised": call.has_raised})
    # Two clocks: what lies inside is shown inside.
    least, most = float(call.begin), float(call.end)
    begin, end = (min(max(t, least), most) for t in (run.begin, run.end))
    yield _slice("run", "host", begin, end, {})
    for first, last, place in zip_equal(run.begins, run.ends, run.places):
        kernel, file, line = launches[place]
        first, last = (min(max(float(t), begin), end) for t in (first, last))
        yield _slice(kernel, "kernel", first, last, {"line": f"{file}:{line}"})
    for number, at in zip_equal(run.path, run.segments()[1:-1]):
        name, test, file, line = decisions[number >> 1]
        yield {
            **{"ph": "i", "s": "t", "cat": "decision"},
            "name": f"{test or name or 'a decision'} is {bool(number & 1)}",
            "ts": min(max(float(at), begin), end) / 1e3,
            "args": {"decision": name, "line": f"{file}:{line}"},
        }


def _slice(
    name: str, kind: str, begin: float, end: float, args: Mapping[str, Any]
) -> dict[str, Any]:
    """A complete event; microseconds, to the nanosecond."""
    times = {"ts": begin / 1e3, "dur": max(end - begin, 0.0) / 1e3}
    return {"ph": "X", "name": name, "cat": kind, **times, "args": dict(args)}
