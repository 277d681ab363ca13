"""A compiled network as a Python callable."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

from dycl.runtime.buffers import Array
from dycl.runtime.calls import Calls
from dycl.runtime.decisions import Decision, Taken, path_of
from dycl.runtime.host_services import HostServices
from dycl.runtime.inputs import Inputs, InputSpec
from dycl.runtime.kernels import KernelTable
from dycl.runtime.native import UNFIT, NativeHost
from dycl.runtime.observers import Observer
from dycl.runtime.open_shapes import SizeRange
from dycl.runtime.profiling.clocks import Clock
from dycl.runtime.profiling.environment import profile_if_asked
from dycl.runtime.profiling.profile import Recorder
from dycl.runtime.profiling.recorders import Sink, recorder_of
from dycl.runtime.refilled import RefilledArguments
from dycl.runtime.row_calls import RowCalls
from dycl.runtime.signature import Signature
from dycl.runtime.state import State, run_with
from dycl.runtime.summary import bytes_of, summary
from dycl.runtime.tensors import to_torch
from dycl.runtime.variables import Row
from dycl.runtime.weight_set import Made, WeightSet
from dycl.runtime.weights import given_weights
from dycl.runtime.written import WrittenInputs

T = TypeVar("T")


class CompiledNet(RowCalls):
    """A network that runs without torch: printed host, kernels and weights.

    Call it as the model: with NumPy arrays (NumPy comes back) or torch tensors (torch
    comes back, without gradients); those on a GPU if the network runs there. Every
    tensor that comes back is a copy of its own, also where the model returns its input,
    a view or a weight: writing to it changes neither the input nor the network, and no
    later call overwrites it. Eager returns the same object in these cases; the values
    are equal.

    An input that the model writes to is written when the call has ended: the caller's
    tensor then holds what eager leaves there, and so do lists and dicts among the
    arguments. A call that raises writes nothing.

    Threads may call it at the same time: each has its own buffers and its own `path`,
    weights and kernels are shared. A network with state has one state for all threads,
    and runs one call at a time.
    """

    def __init__(
        self,
        host: str,
        kernels: KernelTable | Mapping[str, Any],
        weights: Mapping[str, Array] | WeightSet,
        *,
        filename: str = "<host.py>",
        aliases: Mapping[str, str] | None = None,
        native: NativeHost | None = None,
        signature: Signature | None = None,
    ):
        """Load `host`, the text of a printed host module.

        `weights` are those by state-dict name. `filename` is where debuggers and
        tracebacks find the text; `aliases` are second names of weights. With `native`,
        that runs, and the text only says what state there is. `signature` is what is
        around the inputs, if anything is. KeyError: a kernel or a
        weight is missing. ValueError: a weight has another shape or dtype than the
        host was printed for.
        """
        self._native = native
        namespace = _namespace(host, filename, native)
        self._decisions: tuple[tuple[str, str, str, int], ...] = namespace["DECISIONS"]
        self.launches: tuple[tuple[str, str, int], ...] = namespace.get("LAUNCHES", ())
        """All launches of kernels in order: kernel, file, line."""
        specs = [InputSpec(*entry) for entry in namespace["INPUTS"]]
        table, count, kind = namespace.get("STATE", ((), len(specs), None))
        ranges = [SizeRange(*entry) for entry in namespace.get("SIZES", ())]
        self._inputs = Inputs(specs[:count], ranges)
        if not isinstance(weights, WeightSet):
            weights = WeightSet(weights)
        variables = [Row(*entry) for entry in table]
        written = [row for row in variables if row.writes]
        refilled = [row for row in variables if row.refills]
        rows = [row for row in variables if not (row.writes or row.refills)]
        self._written = WrittenInputs(written, self._inputs.specs)
        self._refilled = RefilledArguments(refilled)
        self._state = State(rows, specs[count:], kind, weights.params)
        returns_more = bool(written or refilled)
        runs = kernels if native is None else native.gpu
        self._inputs.on_gpu = getattr(runs, "lends", False) and not variables
        is_alone = bool(rows) and not returns_more
        if is_alone and native is not None and native.objects is not None:
            self._state.live_in_cells(count, native.tables["returns"])
        load: Callable[[HostServices], Callable[..., Any]] = namespace["load"]
        self._calls = calls = Calls(
            load, kernels, native, self._state, returns_more, weights, self.check_file
        )
        self._aliases = aliases or {}
        self.signature = signature
        self._at_once = calls.make_at_once()
        self.at_once = self._at_once if signature is None else _unfit
        """Call with arguments by position; UNFIT, and nothing is run, if they are not
        at once what the network takes: `__call__` looks at them more closely. Raises
        what the network raises."""
        self.observer: Observer | None = None
        """Who is told of calls, if anybody is."""
        profile_if_asked(self)

    def __reduce__(self) -> NoReturn:
        """TypeError: it holds code and memory of this process."""
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: load the "
            "artifact where you need it; threads can share one"
        )

    def __repr__(self) -> str:
        """Inputs, decisions, host and weights, in one line."""
        return self._summary()

    def _summary(self, *more: str) -> str:
        weights = bytes_of([*self._calls.weights.params.values()])
        return summary(type(self).__name__, self, weights, *more)

    def check_file(self) -> None:
        """Raise if the file of the network was written to; this one is of no file."""

    @property
    def host(self) -> Literal["native", "python"]:
        """What runs the decisions: compiled code, or the printed Python."""
        return "python" if self._native is None else "native"

    @property
    def inputs(self) -> tuple[InputSpec, ...]:
        """What the network takes, in order."""
        return self._inputs.specs

    @property
    def sizes(self) -> tuple[SizeRange, ...]:
        """What the names in the shapes of inputs may stand for."""
        return self._inputs.ranges

    @property
    def decisions(self) -> tuple[tuple[str, str, str, int], ...]:
        """All decisions that a run can make, in order: name, test, file, line."""
        return self._decisions

    @property
    def path(self) -> tuple[Decision, ...]:
        """Decisions of this thread's last call in order, until it ended or raised."""
        return self.path_of(self._calls.taken())

    def taken(self) -> Taken:
        """What `path_of` makes the path of this thread's last call from."""
        return self._calls.taken()

    def path_of(self, taken: Taken) -> tuple[Decision, ...]:
        """The decisions of a call: what `taken` gave after it."""
        return path_of(self._decisions, taken)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the network. InputError: an argument does not fit."""
        if not kwargs and (returned := self.at_once(args)) is not UNFIT:
            return returned
        return self.looked_at(args, kwargs)

    def looked_at(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """A call whose arguments are not at once what the network takes."""
        observer = self.observer
        if observer is None:
            return self._looked_at(args, kwargs)
        return observer.call(lambda: self._observed(args, kwargs))

    def _observed(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """A call that was not tried at once."""
        is_plain = not kwargs and self.signature is None
        if is_plain and (returned := self._at_once(args)) is not UNFIT:
            return returned
        return self._looked_at(args, kwargs)

    def observe(self, observer: Observer | None) -> Observer | None:
        """Tell `observer` of each call from now on, in all threads; who was told."""
        before, self.observer = self.observer, observer
        is_plain = observer is None and self.signature is None
        self.at_once = self._at_once if is_plain else _unfit
        self._calls.observe(observer)
        return before

    def recorder(self, sink: Sink) -> tuple[Recorder, Clock]:
        """What records runs and gives them to `sink`, and the clock that it reads.

        ProfileError: its host cannot be timed.
        """
        return recorder_of(self._native, sink)

    def _looked_at(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        if self.signature is None:
            return self._taken_apart(args, kwargs, {})
        inputs, held = self.signature.take(args, kwargs)
        return self._taken_apart(inputs, {}, held)

    @property
    def state(self) -> dict[str, Any]:
        """What the network keeps from call to call: a copy, by attribute.

        torch tensors after a call with torch tensors, else NumPy arrays. May be set,
        also in part: `net.state = {"hidden": None}`. KeyError: there is no such state;
        InputError: the network was not compiled for a value of this kind.
        """
        with self._state.lock:
            values = self._state.values()
            return to_torch(values) if self._state.saw_torch else values

    @state.setter
    def state(self, values: Mapping[str, Any]) -> None:
        with self._state.lock:
            self._state.update(values)

    def with_state(
        self, values: Mapping[str, Any] | None, run: Callable[[], T]
    ) -> tuple[T, dict[str, Any]]:
        """What `run` gives, which calls the network with this state instead of its own
        (None: the one it was compiled with), and the state that it leaves."""
        return run_with(self._state, values, run)

    def reset_state(self) -> None:
        """Make the state what it was when the model was compiled."""
        with self._state.lock:
            self._state.reset()

    @property
    def weights(self) -> Mapping[str, Array]:
        """The weights by state-dict name, as they are now; not to be written to.

        Those that were left out when the network was saved are not there.
        """
        return self._calls.weights.params

    @property
    def weight_set(self) -> WeightSet:
        """The weights as kernels take them; not to be written to."""
        return self._calls.weights

    def made(self) -> Mapping[str, Made]:
        """What is made of the weights once, for kernels; not to be written to."""
        return self._calls.made()

    def load_weights(
        self, source: Mapping[str, Any] | Path | str, *, strict: bool = True
    ) -> None:
        """Use other weights from the next call on, in all threads.

        `source` is a state dict of arrays or torch tensors, or a safetensors file; its
        values are copied. What the network keeps from call to call stays as it is.
        WeightError: a name, shape or dtype is not the network's, or, unless `strict`
        is False, a weight is missing; or one is needed whose values were left out when
        the network was saved. Then nothing has changed.
        """
        given = given_weights(source)
        self.use(self._calls.weights.with_new(given, self._aliases, strict))

    def use(self, weights: WeightSet) -> None:
        """Run with these weights from the next call on. KeyError, ValueError,
        WeightError: they are not the network's; then nothing has changed."""
        self._calls.use(weights)


def _unfit(arguments: tuple[object, ...]) -> Any:
    """Nothing is at once what the network takes."""
    return UNFIT


def _namespace(host: str, filename: str, native: NativeHost | None) -> dict[str, Any]:
    """What the printed host defines; with a native one, as little as will do."""
    if native is not None and not native.tables["state"]:
        listed = native.tables["inputs"]
        inputs = [(n, t, s if s is None else tuple(s)) for n, t, s in listed]
        decisions = tuple([tuple(entry) for entry in native.tables["decisions"]])
        launches = tuple([tuple(entry) for entry in native.tables.get("launches", ())])
        return {
            "load": None,
            "INPUTS": inputs,
            "SIZES": native.tables.get("sizes", ()),
            "DECISIONS": decisions,
            "LAUNCHES": launches,
        }
    namespace: dict[str, Any] = {"__name__": "dycl_host", "__file__": filename}
    exec(compile(host, filename, "exec"), namespace)
    _show_in_tracebacks(filename, host)
    return namespace


def _show_in_tracebacks(filename: str, text: str) -> None:
    """Let tracebacks and debuggers show a host that is not a file."""
    if filename.startswith("<"):
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
