"""The clocks by which runs are timed, and how their ticks become nanoseconds.

A native run reads the processor's counter where that never stops or changes its pace:
a reading of CLOCK_MONOTONIC takes two or three times as long, which counts where a
kernel takes a microsecond. All times are given as nanoseconds of CLOCK_MONOTONIC, as
`time.perf_counter_ns` has them.
"""

from __future__ import annotations

import ctypes
import time
from typing import Any, Protocol

from dycl.runtime.library import Code
from dycl.runtime.machine import counts_steadily
from dycl.runtime.zipping import zip_equal

MONOTONIC, TICKS = 1, 2
"""As in times.h."""
_READINGS = 1000
_LONG_ENOUGH = 5_000_000
"""Nanoseconds between two readings that say how long a tick is."""


class Clock(Protocol):
    """A clock of runs."""

    name: str
    cost: float
    """Nanoseconds that a reading takes, at least."""

    def nanoseconds(self, ticks: Any) -> Any:
        """Readings (an array) as nanoseconds of CLOCK_MONOTONIC, float64."""
        ...


class PythonClock:
    """`time.perf_counter_ns`: what a Python host is timed by."""

    name = "perf_counter"

    def __init__(self) -> None:
        """Find out what a reading takes."""
        now = time.perf_counter_ns
        begin = now()
        for _ in range(_READINGS):
            now()
        self.cost = (now() - begin) / _READINGS

    def nanoseconds(self, ticks: Any) -> Any:
        """As they are."""
        return ticks.astype("f8")


class NativeClock:
    """What native code reads."""

    def __init__(self, library: Code, mode: int | None = None):
        """`library` has `dycl_clock`; `mode`: another clock than the best."""
        number = ctypes.c_uint64
        where = ctypes.POINTER(number)
        self._library = library  # As long as its functions are called.
        self._read = library.function("dycl_clock", None, ctypes.c_int, where, where)
        self.mode = mode or (TICKS if counts_steadily() else MONOTONIC)
        self.name = "tsc" if self.mode == TICKS else "CLOCK_MONOTONIC"
        self._first = self._last = self._now()
        measure = library.function("dycl_clock_cost", number, *[ctypes.c_int] * 2)
        ticks = min(measure(self.mode, _READINGS) for _ in range(5))
        self.cost = ticks * self._pace() / _READINGS

    def _now(self) -> tuple[int, int]:
        """Ticks, and nanoseconds at the same time."""
        ticks, nanoseconds = ctypes.c_uint64(), ctypes.c_uint64()
        self._read(self.mode, ctypes.byref(ticks), ctypes.byref(nanoseconds))
        return ticks.value, nanoseconds.value

    def _pace(self) -> float:
        """Nanoseconds of a tick: by two readings, when the clock was made and now."""
        while self._last[1] - self._first[1] < _LONG_ENOUGH:
            time.sleep(_LONG_ENOUGH / 1e9)
            self._last = self._now()
        self._last = self._now()
        ticks, nanoseconds = (b - a for a, b in zip_equal(self._first, self._last))
        return nanoseconds / ticks

    def nanoseconds(self, ticks: Any) -> Any:
        """As of now: the longer the clock exists, the better it knows its pace."""
        first = self._first
        return (ticks.astype("i8") - first[0]) * self._pace() + float(first[1])
