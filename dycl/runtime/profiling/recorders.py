"""How a run is recorded: the host in C notes launches itself, one in Python is wrapped.

Both leave the same: the run, then its launches in order, each with the number of
decisions made before it. Nothing is in the way of a run that is not recorded.
"""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional, cast

import numpy as np

from dycl.runtime.host_services import HostServices
from dycl.runtime.kernels import Argument, Launch
from dycl.runtime.native import NativeHost, NativeInstance
from dycl.runtime.profiling.clocks import Clock, NativeClock, PythonClock

EVENT = np.dtype([("begin", "u8"), ("end", "u8"), ("place", "u4"), ("decisions", "u4")])
"""`struct dycl_event` of times.h. The first is the run, whose place says nothing."""
_MOST_EVENTS = 1 << 22
"""As in times.c."""

Load = Callable[[Any], Callable[..., Any]]
"""`load` of a printed host."""
Twin = Callable[[Callable[[Load], Load]], HostServices]
"""Makes what runs the printed host of an instance once more, around another `load`."""


class Run(NamedTuple):
    """What was noted of a run."""

    events: bytes
    """An array of EVENT."""
    path: bytes
    """The decisions, as `dycl_net` has them: 2 * number + (1 if it was true)."""
    dropped: int
    """Launches for which there was no room."""
    spent: int = 0
    """Nanoseconds that recording took of the call."""


Take = Callable[[], Optional[Run]]
"""What was noted, if anything was run; to be asked once, when the call has ended."""
Sink = Callable[[Take], None]


class ProfileError(RuntimeError):
    """A network cannot be profiled."""


class _Timed:
    """A function that tells before it runs what to ask afterwards."""

    def __init__(self, plain: Callable[..., Any], sink: Sink, take: Take):
        self.plain = plain
        self._sink, self._take = sink, take

    def __call__(self, *args: Any) -> Any:
        self._sink(self._take)
        return self.plain(*args)


class NativeRecorder:
    """Records the runs of a host in C."""

    def __init__(self, host: NativeHost, clock: NativeClock, sink: Sink):
        """`sink` is told of each run, by the thread that runs it."""
        self._time, self._take = host.time, host.take_events
        self._clock = clock
        self._sink = sink

    def attach(self, instance: NativeInstance, twin: Twin) -> None:
        """Record the runs of an instance that begin from now on."""
        find, handle = weakref.ref(instance), instance.handle
        events, dropped = ctypes.c_void_p(), ctypes.c_int64()
        places = ctypes.byref(events), ctypes.byref(dropped)

        def take() -> Run | None:
            count, found = self._take(handle, *places), find()
            if not count or found is None:
                return None
            whole = ctypes.string_at(cast(int, events.value), count * EVENT.itemsize)
            return Run(whole, found.path_bytes(), dropped.value)

        if instance.run_on is not None:
            instance.run_on = _Timed(instance.run_on, self._sink, take)
        # In front of the method of the class.
        instance.__dict__["forward"] = _Timed(instance.forward, self._sink, take)
        if instance.on_gpu is not None:
            instance.on_gpu.waits = True
        self._time(handle, self._clock.mode)

    def detach(self, instance: NativeInstance) -> None:
        """Record no more."""
        self._time(instance.handle, 0)
        instance.__dict__.pop("forward", None)
        if instance.on_gpu is not None:
            instance.on_gpu.waits = False
        if isinstance(instance.run_on, _Timed):
            instance.run_on = instance.run_on.plain


class PythonRecorder:
    """Records the runs of a printed host, on buffers of their own."""

    def __init__(self, sink: Sink):
        """`sink` is told of each run, by the thread that runs it."""
        self._sink = sink

    def attach(self, instance: HostServices, twin: Twin) -> None:
        """Record the runs of an instance that begin from now on."""
        instance.forward = _TimedForward(instance, twin, self._sink)

    def detach(self, instance: HostServices) -> None:
        """Record no more."""
        if isinstance(instance.forward, _TimedForward):
            instance.forward = instance.forward.plain


class _TimedForward:
    """The printed host, loaded once more with launches that are timed."""

    def __init__(self, instance: HostServices, twin: Twin, sink: Sink):
        self.plain = instance.forward
        self._taken = instance.taken
        self._twin = twin
        self._sink = sink
        self._timed: HostServices | None = None
        self._notes = _Notes()

    def __call__(self, *args: Any) -> Any:
        now, notes = time.perf_counter_ns, self._notes
        entered = now()
        if self._timed is None:  # by the thread that uses it, as a GPU wants it
            self._timed = self._twin(self._around)
            self._timed.taken = self._taken
        forward = self._timed.forward
        notes.launches.clear()
        notes.dropped = 0
        self._sink(self._take)
        begin = now()
        notes.spent = begin - entered
        try:
            return forward(*args)
        finally:
            notes.run = (begin, now(), 0, 0)

    def _take(self) -> Run:
        notes = self._notes
        events = np.array([notes.run, *notes.launches], EVENT)
        path = np.array([2 * n + side for n, side in self._taken], np.uint32)
        return Run(events.tobytes(), path.tobytes(), notes.dropped, notes.spent)

    def _around(self, load: Load) -> Load:
        return lambda services: load(_TimedServices(services, self._notes))


def recorder_of(
    native: NativeHost | None, sink: Sink
) -> tuple[NativeRecorder | PythonRecorder, Clock]:
    """What records the runs of a network with this host, if it has one in C, and by
    which clock. ProfileError: its code is of a version without clocks."""
    if native is None:
        return PythonRecorder(sink), PythonClock()
    if native.time is None:
        raise ProfileError(
            "the native code of this network has no clocks: save it again with this "
            "version of dycl, or load it with host='python'"
        )
    clock = NativeClock(native.library)
    return NativeRecorder(native, clock, sink), clock


class _Notes:
    """What happens in a run."""

    def __init__(self) -> None:
        self.run: tuple[int, int, int, int] = (0, 0, 0, 0)
        self.launches: list[tuple[int, int, int, int]] = []
        self.dropped = self.spent = 0

    def add(self, begin: int, place: int, decisions: int) -> None:
        if len(self.launches) < _MOST_EVENTS:
            end = time.perf_counter_ns()
            self.launches.append((begin, end, place, decisions))
        else:
            self.dropped += 1


class _TimedServices:
    """What a printed host calls `rt`, with launches that are timed."""

    def __init__(self, services: HostServices, notes: _Notes):
        self._services = services
        self._notes = notes
        self._count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._services, name)

    def launch(
        self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> Launch:
        services, add, place = self._services, self._notes.add, self._count
        self._count += 1
        plain, finish = services.launch(name, inputs, outputs), services.finish
        now = time.perf_counter_ns

        def launch(*values: Argument) -> None:
            begin = now()
            plain(*values)
            finish()
            add(begin, place, len(services.taken))

        return launch
