"""The calls of a network: one instance for each thread, one state for all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Union, cast
from weakref import WeakMethod, WeakSet

from dycl.runtime.decisions import Taken
from dycl.runtime.host_services import HostServices
from dycl.runtime.kernels import Argument, KernelTable, NoRoom
from dycl.runtime.locks import Lock
from dycl.runtime.native import UNFIT, NativeHost, NativeInstance
from dycl.runtime.observers import Observer
from dycl.runtime.preparation import Preparations
from dycl.runtime.row_batches import Batches
from dycl.runtime.row_runs import RowRuns, Team
from dycl.runtime.state import State
from dycl.runtime.together import Together
from dycl.runtime.weight_set import Made, WeightSet

Instance = Union[HostServices, NativeInstance]
"""What one thread runs."""


class Calls:
    """Runs the host on arguments, by any thread, with the weights of now."""

    def __init__(
        self,
        load: Callable[[HostServices], Callable[..., Any]],
        kernels: KernelTable | Mapping[str, Any],
        native: NativeHost | None,
        state: State,
        returns_more: bool,
        weights: WeightSet,
        check: Callable[[], None],
    ):
        """`load` makes the printed host's `forward`; with `native`, that runs. The
        method `check` is called before an instance is made. `returns_more`: a run
        returns what the caller's own objects are to hold. KeyError, ValueError: as
        `CompiledNet`.
        """
        # Weakly: a network is gone with the last reference to it, not some time later.
        self._check = WeakMethod(check)
        self._load = load
        self._kernels = kernels
        self._native = native
        self._state = state
        self._returns_more = returns_more
        self._observer: Observer | None = None
        self._instances = WeakSet[Instance]()
        self._lock = Lock()
        """Of the two."""
        try:
            self.use(weights)
        except NoRoom:
            if not getattr(kernels, "waits", False):
                raise
            self._take(weights, Preparations(weights), [])

    def __del__(self) -> None:
        """A printed host refers to its services, and they to it."""
        for instance in getattr(self, "_instances", ()):
            if isinstance(instance, HostServices):
                instance.close()

    def use(self, weights: WeightSet) -> None:
        """Run with these weights from now on, if they can be used."""
        preparations = Preparations(weights)
        unused = self._new_instance(weights, preparations)
        self._take(weights, preparations, [unused])

    def _take(
        self, weights: WeightSet, preparations: Preparations, unused: list[Instance]
    ) -> None:
        self._current = weights, preparations
        self._state.params = weights.params
        self._threads = threading.local()
        self._team = Team(WeakMethod(self._new_instance), (weights, preparations))
        self._unused = unused
        """What the first thread that calls has as its own."""

    @property
    def weights(self) -> WeightSet:
        """Those of now."""
        return self._current[0]

    def made(self) -> Mapping[str, Made]:
        """What is made of the weights once, for kernels; not to be written to."""
        weights, preparations = self._current
        if self._native is not None:
            return self._native.made(weights)
        return preparations.all()

    def taken(self) -> Taken:
        """Decisions of this thread's last call, in order."""
        instance: Instance | None = getattr(self._threads, "instance", None)
        if isinstance(instance, NativeInstance):
            return instance.path_bytes()
        return [] if instance is None else [*instance.taken]

    def make_at_once(self) -> Callable[[tuple[object, ...]], Any]:
        """What runs a call whose arguments are at once what the host takes, and gives
        UNFIT for others."""
        # Not methods: to look up what they need would take as long as the rest.
        state, lock = self._state, self._state.lock

        def without_state(arguments: tuple[object, ...]) -> Any:
            instance: Any
            try:
                instance = self._threads.instance
            except AttributeError:
                instance = None
            if instance is None:
                instance = self._instance()
            if instance.busy:
                return UNFIT
            instance.busy = True
            try:
                site = instance.run_on(arguments)
                return instance.readers[site]() if site >= 0 else instance.failed(site)
            finally:
                instance.busy = False

        def with_state(arguments: tuple[object, ...]) -> Any:
            with lock:
                if state.busy or not (state.is_loaded or state.load()):
                    return UNFIT
                instance: Any
                try:
                    instance = self._threads.instance
                except AttributeError:
                    instance = None
                if instance is None:
                    instance = self._instance()
                state.busy = True
                try:
                    site = instance.run_on(arguments)
                    if site < 0:
                        return instance.failed(site)
                    state.site = site
                    return instance.readers[site]()
                finally:
                    state.busy = False

        if self._native is None or self._native.objects is None or self._returns_more:
            return lambda arguments: UNFIT
        if not state.rows:
            return without_state
        return (lambda arguments: UNFIT) if state.cells is None else with_state

    def run_batches(
        self, batches: Batches, arguments: tuple[object, ...], runs: int, threads: int
    ) -> list[bytes] | None:
        """As `RowCalls.run_batches`; None: the arguments are not at once batches."""
        if threads > 1 and (team := self._team.taken_for(batches, threads)) is not None:
            try:
                return team.run(arguments, runs)
            finally:
                team.busy.release()
        instance = self._instance()
        if not isinstance(instance, NativeInstance) or instance.busy:
            return None
        alone: RowRuns | None = getattr(self._threads, "row_runs", None)
        if alone is None or alone.batches is not batches:
            alone = self._threads.row_runs = RowRuns(batches, [instance])
        instance.busy = True
        try:
            return alone.run(arguments, runs)
        finally:
            instance.busy = False

    def run_together(
        self, calls: Sequence[Sequence[Argument]]
    ) -> list[tuple[Any, bytes]] | None:
        """As `Together.run`, of a host in native code without state."""
        together: Together | None = getattr(self._threads, "together", None)
        if together is None:
            assert self._native is not None
            new = cast("Callable[..., NativeInstance]", self._new_instance)
            made = partial(new, *self._current)
            together = self._threads.together = Together(self._native, made)
        return together.run(calls)

    def run(self, arguments: list[Argument], saw_torch: bool) -> object:
        """One call. With `returns_more`: what it returns, and that."""
        if self._state.rows:
            return self._run_with_state(arguments, saw_torch)
        instance = self._instance()
        if instance.busy:  # a call within the call, by a signal or where it prints
            instance = self._new_instance(*self._current)
        instance.busy = True
        try:
            instance.start()
            return instance.forward(*arguments)
        finally:
            instance.busy = False

    def _run_with_state(self, arguments: list[Argument], saw_torch: bool) -> object:
        """A call that raises leaves the state as it was."""
        state = self._state
        with state.lock:
            if state.busy:
                raise RuntimeError(
                    "a network with state was called while it runs, by the same "
                    "thread: it runs one call at a time"
                )
            instance = self._instance()
            state.busy = True
            try:
                instance.start()
                returned, left = instance.forward(*arguments, *state.arguments())
                kept = len(state.rows)
                state.store(left[:kept], saw_torch)
            finally:
                state.busy = False
        return (returned, left[kept:]) if self._returns_more else returned

    def _instance(self) -> Instance:
        """This thread's, with the weights of now."""
        threads = self._threads
        if not hasattr(threads, "instance"):
            try:
                instance = self._unused.pop()
            except IndexError:
                instance = self._new_instance(*self._current)
            else:
                self._check_file()
            threads.instance = instance
        return threads.instance

    def observe(self, observer: Observer | None) -> None:
        """Tell `observer` of all instances, those of now and those to come."""
        with self._lock.lock:
            for instance in self._instances:
                if self._observer is not None:
                    self._observer.detach(instance)
                if observer is not None:
                    observer.attach(instance, self._twin)
            self._observer = observer

    def _new_instance(self, weights: WeightSet, preparations: Preparations) -> Instance:
        self._check_file()
        instance: Instance
        if self._native is not None:
            instance = NativeInstance(self._native, weights, self._state.cells)
        else:
            instance = self._services(weights, preparations, self._load)
        with self._lock.lock:
            self._instances.add(instance)
            if self._observer is not None:
                self._observer.attach(instance, self._twin)
        return instance

    def _check_file(self) -> None:
        if (check := self._check()) is not None:
            check()

    def _services(
        self, weights: WeightSet, preparations: Preparations, load: Callable[..., Any]
    ) -> HostServices:
        """What runs the printed host."""
        own: Any = getattr(self._kernels, "make_services", None)
        make = own or partial(HostServices, self._kernels)
        return make(weights, load, preparations)

    def _twin(self, around: Callable[[Any], Any]) -> HostServices:
        """The same once more, around another `load`."""
        return self._services(*self._current, around(self._load))
