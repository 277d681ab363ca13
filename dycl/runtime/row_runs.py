"""Rows that native code runs, one after the other or in groups.

A call takes a microsecond around what it computes; to cut rows out of a batch and to
join results takes another, and to give and to fetch them from Python some more.
`rows.h` reads batches where they lie, and writes results into batches; here it is told
what these are. Threads may share the runs of a call (`row_team.h`).
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import finalize

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.decisions import Decision
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import is_torch_tensor
from dycl.runtime.locks import Lock
from dycl.runtime.machine import processors
from dycl.runtime.objects import NUMBERS, Wanted, method_of, want_tensor
from dycl.runtime.path_bytes import PathBytes
from dycl.runtime.row_results import built, leaf_of
from dycl.runtime.tensors import to_torch
from dycl.runtime.values import words_at

if TYPE_CHECKING:
    from dycl.runtime.native import NativeInstance
    from dycl.runtime.net import CompiledNet
    from dycl.runtime.row_batches import Batches

Paths = tuple["tuple[Decision, ...]", ...]

_UNFIT = -100
_INT = ctypes.c_int64
_WORD = ctypes.c_uint32
_ADDRESS = ctypes.c_void_p


class _Value(ctypes.Structure):
    """`struct dycl_row_value`."""

    _fields_ = (("place", _INT), ("is_number", _INT), ("bytes", _INT))


class _Rows(ctypes.Structure):
    """`struct dycl_rows`."""

    _fields_ = (
        ("objects", _ADDRESS),
        ("wanted", ctypes.POINTER(Wanted)),
        ("steps", ctypes.POINTER(_INT)),
        ("results", _INT),
        ("values", ctypes.POINTER(_Value)),
        ("is_grouped", _INT),
        ("log", _INT),
        ("numbers", _INT),
        ("runs", _INT),
        ("count", _INT),
        ("given", ctypes.POINTER(_INT)),
        ("made", ctypes.POINTER(_ADDRESS)),
        ("next", _INT),
    )


class _Each(ctypes.Structure):
    """`struct dycl_each`."""

    _fields_ = (
        ("net", _ADDRESS),
        ("rows", ctypes.POINTER(_Rows)),
        ("path", _ADDRESS),
        ("room", _INT),
        ("used", _INT),
        ("how", _INT),
        ("failed", _INT),
    )


class _Team(ctypes.Structure):
    """`struct dycl_team`."""

    _fields_ = (
        ("each", ctypes.POINTER(_Each)),
        ("threads", _INT),
        ("turn", _WORD),
        ("asleep", _WORD),
        ("round", _WORD),
        ("waiting", _WORD),
        ("ends", _WORD),
        ("stops", _WORD),
        ("control", _WORD),
    )


class _Helper(ctypes.Structure):
    """`struct dycl_helper`."""

    _fields_ = (("team", ctypes.POINTER(_Team)), ("number", _INT), ("seen", _WORD))


_RUNS = _Rows.runs.offset // 8
_WORDS_OF_ROWS = ctypes.sizeof(_Rows) // 8
_PATH, _USED = _Each.path.offset // 8, _Each.used.offset // 8
_WORDS_OF_EACH = ctypes.sizeof(_Each) // 8


class RowRun(NamedTuple):
    """What a run of some rows has decided."""

    number: int
    """Of the run, by the order of its rows."""
    path: bytes
    """What `path_of` takes."""
    log: bytes
    """Events of rows, int64 each, if it took many."""


class RowRuns:
    """Runs rows on the handles of some instances, on a thread for each.

    One call at a time has it: whoever calls runs the first one, threads of its own the
    others. They begin with it, and end with the last reference to it.
    """

    def __init__(self, batches: Batches, instances: Sequence[NativeInstance]):
        self.batches = batches
        self.busy = threading.Lock()
        """Whoever calls `run` has it, if there are threads."""
        self._owner = os.getpid()
        self._instances = instances
        self._rows, kept = _described(batches)
        self._each = each = (_Each * len(instances))()
        for one, instance in zip(each, instances):
            one.net, one.rows = instance.handle, ctypes.pointer(self._rows)
        self._words = words_at(ctypes.addressof(self._rows), _WORDS_OF_ROWS)
        self._paths = [
            PathBytes(words_at(ctypes.addressof(one), _WORDS_OF_EACH), _PATH, _USED)
            for one in each
        ]
        self._team = _Team(each, len(instances))
        library = batches.native.library
        team = ctypes.addressof(self._team)
        self._run, method = method_of(library.address("dycl_each_row"), team)
        self._kept = (kept, method)
        end = library.function("dycl_end_team", None, _ADDRESS)
        forget = library.function("dycl_forget_runs", None, _ADDRESS)
        # Whoever helps has all of this until it has ended.
        owned = _Owned(forget, (self._team, each, self._rows, kept, instances, library))
        for number in range(1, len(instances)):
            helper = _Helper(ctypes.pointer(self._team), number)
            threading.Thread(
                target=_help,
                args=(library.address("dycl_help_rows"), helper, owned),
                name=f"dycl-rows-{number}",
                daemon=True,
            ).start()
        finalize(self, _end, end, team, owned, self._owner).atexit = False

    def is_of(self, batches: Batches) -> bool:
        """Whether it runs these rows, and its threads are of this process."""
        return self.batches is batches and self._owner == os.getpid()

    def run(self, arguments: tuple[object, ...], runs: int) -> list[bytes] | None:
        """Run all rows of inputs and results, in so many runs, 0: one for each row.

        This gives what `runs_in` takes; None, and nothing is run: the arguments are no
        such batches. Raises what the first run raises that does.
        """
        self._words[_RUNS] = runs
        found = self._run(arguments)
        if found == _UNFIT:
            return None
        if found >= 0:
            self._instances[found].failed(-self._each[found].how)
        return [path.read() for path in self._paths]


class Team:
    """The threads that share the rows of a network's calls, once some are to."""

    def __init__(self, new: Callable[[], Any], current: tuple[Any, ...]):
        """`new` gives what makes an instance of `current`, the weights."""
        self._new, self._current = new, current
        self._lock = Lock()
        self._runs: RowRuns | None = None

    def taken_for(self, batches: Batches, count: int) -> RowRuns | None:
        """What runs on `count` threads, for whoever calls alone: it is busy, until it
        is released. None: another call has it, or there are no processors for it."""
        runs = self._runs
        if runs is None or not runs.is_of(batches):
            count = min(count, processors())
            if count < 2:
                return None
            with self._lock.lock:
                runs = self._runs
                if runs is None or not runs.is_of(batches):
                    new = self._new()
                    instances = [new(*self._current) for _ in range(count)]
                    runs = self._runs = RowRuns(batches, instances)
        return runs if runs.busy.acquire(blocking=False) else None


class _Owned:
    """Memory that native code uses; what it has made is freed with it."""

    def __init__(self, forget: Callable[[int], None], kept: tuple[Any, ...]):
        self._forget = forget
        self.kept = kept

    def __del__(self) -> None:
        """Nobody runs on it any more."""
        for one in self.kept[1]:
            self._forget(ctypes.addressof(one))


def _end(end: Callable[[int], None], team: int, owned: _Owned, owner: int) -> None:
    """No more is to be run. `owned` is there until now, at least."""
    del owned
    if owner == os.getpid():
        end(team)


def _help(function: int, helper: _Helper, owned: _Owned) -> None:
    """What a thread does that helps."""
    help_rows, method = method_of(function, ctypes.addressof(helper), takes_one=False)
    help_rows()
    del method, owned


def _described(batches: Batches) -> tuple[_Rows, object]:
    """What native code is told of rows, and what has to outlive that."""
    specs, leaves = batches.specs, batches.leaves
    wanted = (Wanted * (len(specs) + 1))()
    steps = (_INT * (len(specs) + 1))()
    kept: list[Any] = []
    for place, spec in enumerate(specs):
        if spec.shape is None:
            wanted[place].rank = NUMBERS[spec.dtype]
            continue
        shape = spec.shape
        if place in batches.inputs:
            row = tuple(size for size in shape[1:] if isinstance(size, int))
            steps[place] = math.prod(row) * numpy_dtype(spec.dtype).itemsize
            shape = ("rows", *row)
        kept.append(want_tensor(wanted[place], spec.dtype, shape))
    values = (_Value * (len(leaves) + 1))()
    for value, place, leaf in zip(values, batches.outputs, leaves):
        size = math.prod(leaf.shape) * leaf.dtype.itemsize
        value.place, value.is_number, value.bytes = place, leaf.is_number, size
    given = (_INT * (len(specs) + 1))()
    made = (_ADDRESS * (len(leaves) + 1))()
    objects = batches.native.objects
    assert objects is not None
    rows = _Rows(
        *(objects.address, wanted, steps, len(leaves), values),
        *(batches.is_grouped, batches.log, batches.numbers, 0, 0, given, made, 0),
    )
    return rows, (kept, objects)


def rows_at_once(
    net: CompiledNet, form: Mapping[str, Any], *, is_grouped: bool
) -> RowsAtOnce | None:
    """What runs rows of a network for one row, or for many, of which `form` says what
    there is to know of rows; None: native code cannot do it alone."""
    if len(form["ways"]) != 1 or (is_grouped and form["form"] == "one by one"):
        return None
    (way,) = form["ways"]
    inputs = form["inputs"]
    batches = net.groups(inputs, form) if is_grouped else net.batches(inputs, way)
    return None if batches is None else RowsAtOnce(net, batches, way)


class RowsAtOnce:
    """Calls of a network with batches of rows, whose only way out is `way`."""

    def __init__(self, net: CompiledNet, batches: Batches, way: Mapping[str, Any]):
        self._net = net
        self._batches = batches
        self._structure: Mapping[str, Any] = way["structure"]
        self._values: Sequence[Mapping[str, Any]] = way["values"]
        self._leaves = [(leaf.shape, leaf.dtype) for leaf in batches.leaves]

    def __call__(
        self, args: tuple[object, ...], count: int, runs: int = 0, threads: int = 1
    ) -> tuple[Any, list[bytes]] | None:
        """The result for all rows, in so many runs, 0: one for each row, which threads
        may share; and what `runs_in` takes.

        None: the arguments are not at once batches. Raises what the first run raises
        that does.
        """
        made = [np.empty((count, *shape), dtype) for shape, dtype in self._leaves]
        written = self._net.run_batches(self._batches, (*args, *made), runs, threads)
        return None if written is None else (self._result(args, made), written)

    def _result(self, args: tuple[object, ...], made: list[Array]) -> Any:
        leaves = [leaf_of(*pair) for pair in zip(made, self._values)]
        result = built(self._structure, leaves, len(made[0]))
        for value in args:
            if type(value) is not np.ndarray and is_torch_tensor(value):
                return to_torch(result)
        return result


def runs_in(written: Sequence[bytes]) -> list[RowRun]:
    """What each run has decided, in the order of their rows."""
    result: list[RowRun] = []
    for words in written:
        at = 0
        while at < len(words):
            number, path, log = memoryview(words)[at : at + 12].cast("I")
            middle = at + 12 + 4 * path
            end = middle + 4 * log
            result.append(RowRun(number, words[at + 12 : middle], words[middle:end]))
            at = end
    return sorted(result)


def paths_of(net: CompiledNet, written: Sequence[bytes]) -> Callable[[], Paths]:
    """What gives the path of each row, if each had a run of its own."""
    return lambda: tuple(net.path_of(run.path) for run in runs_in(written))


def path_of_last(net: CompiledNet, written: Sequence[bytes]) -> tuple[Decision, ...]:
    """What the last run has decided."""
    return net.path_of(runs_in(written)[-1].path)
