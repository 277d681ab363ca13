"""What many calls add up to: times by launch, by side of a decision, by path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dycl.runtime.profiling.clocks import Clock
from dycl.runtime.profiling.distributions import Distributions
from dycl.runtime.profiling.paths import Paths
from dycl.runtime.profiling.recorders import EVENT, Run


@dataclass(frozen=True)
class Call:
    """One call, as it was recorded."""

    thread: int
    begin: int
    """Nanoseconds of CLOCK_MONOTONIC, as `end`."""
    end: int
    has_raised: bool
    run: Run


@dataclass(frozen=True)
class TimedRun:
    """A run in nanoseconds of CLOCK_MONOTONIC, as arrays of float64."""

    begin: float
    end: float
    begins: Any
    ends: Any
    places: Any
    """Which launch each is."""
    decisions: Any
    """How many decisions were made before each."""
    path: Any

    @classmethod
    def of(cls, run: Run, clock: Clock) -> TimedRun:
        """By the clock that it was timed by."""
        events = np.frombuffer(run.events, EVENT)
        begins, ends = (clock.nanoseconds(events[name]) for name in ("begin", "end"))
        return cls(
            float(begins[0]),
            float(ends[0]),
            begins[1:],
            ends[1:],
            events["place"][1:].astype(np.int64),
            events["decisions"][1:].astype(np.int64),
            np.frombuffer(run.path, np.uint32).astype(np.int64),
        )

    def segments(self) -> Any:
        """Where the run is cut: it begins, each decision, it ends.

        A decision has no time of its own: it counts from the end of the launch before
        it, so its own work, some nanoseconds, is part of what follows it.
        """
        before = np.searchsorted(self.decisions, np.arange(len(self.path)), "right")
        ends = np.concatenate([[self.begin], self.ends])
        return np.concatenate([[self.begin], ends[before], [self.end]])


class Totals:
    """Sums of calls. Not for several threads at once."""

    def __init__(self, launches: int, decisions: int):
        """Of a network with so many launches and decisions."""
        self.calls = Distributions(1)
        self.launches = Distributions(launches)
        self.segments = Distributions(1 + 2 * decisions)
        """Row 0: until the first decision; then 1 + 2 * number + side."""
        self.paths = Paths()
        self.run = self.kernels = 0.0
        """Nanoseconds in runs, and of these in launches."""
        self.raised = self.dropped = 0

    def add(self, calls: Sequence[Call], clock: Clock) -> None:
        """Add calls."""
        for call in calls:
            run = TimedRun.of(call.run, clock)
            whole = call.end - call.begin
            self.calls.add([0], [whole])
            times = run.ends - run.begins
            self.launches.add(run.places, times)
            self.segments.add(
                np.concatenate([[0], 1 + run.path]), np.diff(run.segments())
            )
            self.paths.add(call.run.path, whole)
            self.run += run.end - run.begin
            self.kernels += float(times.sum())
            self.raised += call.has_raised
            self.dropped += call.run.dropped
