"""Rows that native code runs one after the other, each as a call with it alone.

A call takes a microsecond around what it computes; to cut rows out of a batch and to
join results takes another. `rows.h` reads batches where they lie, and writes results
into batches; here it is told what these are.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.decisions import Decision, Taken
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import InputSpec, is_torch_tensor
from dycl.runtime.objects import NUMBERS, Wanted, method_of, want_tensor
from dycl.runtime.row_results import built, leaf_of
from dycl.runtime.row_threads import CHUNKS, Threads, even
from dycl.runtime.signature import items_of
from dycl.runtime.tensors import to_torch

if TYPE_CHECKING:
    from dycl.runtime.native import NativeHost
    from dycl.runtime.net import CompiledNet

Paths = tuple["tuple[Decision, ...]", ...]

_MOST_RANK = 16
_NO_ROOM = -101
_ROOM = 64
"""Decisions, and a word for each row, of a call that has made none before."""


class _Value(ctypes.Structure):
    """`struct dycl_row_value`."""

    _fields_ = (
        ("place", ctypes.c_int64),
        ("is_number", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
    )


class _Each(ctypes.Structure):
    """`struct dycl_each`."""

    _fields_ = (
        ("net", ctypes.c_void_p),
        ("objects", ctypes.c_void_p),
        ("wanted", ctypes.POINTER(Wanted)),
        ("steps", ctypes.POINTER(ctypes.c_int64)),
        ("results", ctypes.c_int64),
        ("values", ctypes.POINTER(_Value)),
        ("path", ctypes.c_void_p),
        ("room", ctypes.c_int64),
        ("used", ctypes.c_int64),
        ("done", ctypes.c_int64),
    )


class Leaf(NamedTuple):
    """What rows return at one place."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """Behind the dimension of rows."""
    is_number: bool


class Batches(NamedTuple):
    """What rows are run on, and what they give."""

    function: int
    """Where `dycl_each_row` is."""
    objects: int
    """What it has to know of objects."""
    specs: Sequence[InputSpec]
    inputs: Sequence[int]
    """Which of these have rows."""
    leaves: Sequence[Leaf]


def batches_of(
    native: NativeHost,
    specs: Sequence[InputSpec],
    inputs: Sequence[int],
    way: Mapping[str, Any],
) -> Batches | None:
    """Of a host for one row, with the only `way` out of it (`row_results`).

    None: its rows cannot be run by native code alone.
    """
    objects, tables = native.objects, native.tables
    values: Sequence[Mapping[str, Any]] = way["values"]
    kinds = [
        v["dtype"] if v["shape"] is None else [v["dtype"], v["shape"]] for v in values
    ]
    leaves: list[Leaf] = []
    for value in values:
        shape = value["shape"]
        tail = () if shape is None else tuple(shape[1:] if shape[:1] == [1] else shape)
        leaves.append(Leaf(numpy_dtype(value["dtype"]), tail, shape is None))
    shapes = [spec.shape[1:] for spec in specs if spec.shape] + [
        x.shape for x in leaves
    ]
    if (
        objects is None
        or not leaves
        or tables["effects"]
        or any(isinstance(size, str) or not size for shape in shapes for size in shape)
        or any(spec.dtype == "node" for spec in specs)
        or any(len(spec.shape or ()) > _MOST_RANK for spec in specs)
        or any([*map(_plain, entry["types"])] != kinds for entry in tables["returns"])
        or not all(_agree(way["structure"], e["structure"]) for e in tables["returns"])
    ):
        return None
    try:
        function = native.library.address("dycl_each_row")
    except AttributeError:  # it was compiled before there was one
        return None
    return Batches(function, objects.address, specs, inputs, leaves)


def _plain(kind: Any) -> Any:
    """The type of an output as the form of rows has it."""
    return kind if isinstance(kind, (str, dict)) else [kind[0], [*kind[1]]]


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a way out and a place that returns make the same of their leaves."""
    if "leaf" in one or "constant" in one:
        return one.get("leaf") == other.get("leaf") and (
            "constant" not in one or "value" in other
        )
    if "dict" in one:
        ours, theirs = one["dict"], other.get("dict")
        return (
            theirs is not None
            and [key for key, _ in ours] == [key.get("value") for key, _ in theirs]
            and all(_agree(a, b) for (_, a), (_, b) in zip(ours, theirs))
        )
    mine, yours = items_of(one), items_of(other)
    return (
        mine is not None
        and yours is not None
        and ("list" in one) == ("list" in other)
        and len(mine) == len(yours)
        and all(map(_agree, mine, yours))
    )


class RowRuns:
    """Runs rows on the handle of one thread."""

    def __init__(self, batches: Batches, handle: int):
        self.batches = batches
        specs, leaves = batches.specs, batches.leaves
        wanted = (Wanted * (len(specs) + 1))()
        steps = (ctypes.c_int64 * (len(specs) + 1))()
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
        for place, leaf in enumerate(leaves):
            size = math.prod(leaf.shape) * leaf.dtype.itemsize
            values[place] = _Value(place, leaf.is_number, size)
        count = len(leaves)
        self._each = _Each(handle, batches.objects, wanted, steps, count, values)
        self._make_room(_ROOM)
        self._run, method = method_of(batches.function, ctypes.addressof(self._each))
        self._kept = (kept, method)

    def _make_room(self, words: int) -> None:
        """Have memory for so many ints, which begins with what is there."""
        memory = (ctypes.c_uint32 * words)()
        if (used := self._each.used) > 0:
            ctypes.memmove(memory, self._each.path, 4 * used)
        self._each.path, self._each.room = ctypes.addressof(memory), words
        self._memory = memory
        self._path = memoryview(memory).cast("B")

    def run(self, arguments: tuple[object, ...]) -> int | bytes:
        """Run all rows of inputs and results: what `paths_in` takes; or what `failed`
        of an instance does, if a row raises, or the arguments are no such batches."""
        each = self._each
        each.used = each.done = 0
        while (how := self._run(arguments)) == _NO_ROOM:
            self._make_room(2 * each.room)
        return self._path[: 4 * each.used].tobytes() if how == 0 else how


def rows_at_once(
    single: CompiledNet, inputs: Sequence[int], way: Mapping[str, Any]
) -> RowsAtOnce | None:
    """What runs rows of a network for one row, with the only `way` out; None: native
    code cannot do it alone."""
    batches = single.batches(inputs, way)
    return None if batches is None else RowsAtOnce(single, batches, way)


class RowsAtOnce:
    """Calls of a network for one row, one after the other for many."""

    def __init__(self, single: CompiledNet, batches: Batches, way: Mapping[str, Any]):
        self._single = single
        self._batches = batches
        self._structure: Mapping[str, Any] = way["structure"]
        self._values: Sequence[Mapping[str, Any]] = way["values"]
        self._leaves = [(leaf.shape, leaf.dtype) for leaf in batches.leaves]

    def __call__(
        self, args: tuple[object, ...], count: int, threads: Threads | None = None
    ) -> tuple[Any, Callable[[], Paths]] | None:
        """The result for all rows, which threads may share, and what gives their paths.

        None: the arguments are not at once batches. Raises what the first row raises
        that does.
        """
        made = [np.empty((count, *shape), dtype) for shape, dtype in self._leaves]
        written: list[bytes | None]
        if threads is None:
            written = [self._single.each_row(self._batches, (*args, *made))]
        else:
            bounds = even(count, min(count, CHUNKS * threads.count))
            jobs = [partial(self._part, args, made, *part) for part in bounds]
            written = threads.share(jobs)
        ran = [part for part in written if part is not None]
        return self._result(args, made, ran) if len(ran) == len(written) else None

    def _part(
        self, args: tuple[object, ...], made: list[Array], first: int, last: int
    ) -> bytes | None:
        """Some of the rows."""
        part: list[Any] = list(args)
        for index in self._batches.inputs:
            part[index] = part[index][first:last]
        results = [batch[first:last] for batch in made]
        return self._single.each_row(self._batches, (*part, *results))

    def _result(
        self, args: tuple[object, ...], made: list[Array], written: Sequence[bytes]
    ) -> tuple[Any, Callable[[], Paths]]:
        leaves = [leaf_of(*pair) for pair in zip(made, self._values)]
        result = built(self._structure, leaves, len(made[0]))
        for value in args:
            if type(value) is not np.ndarray and is_torch_tensor(value):
                result = to_torch(result)
                break
        return result, lambda: tuple(
            self._single.path_of(taken) for part in written for taken in paths_in(part)
        )


def paths_in(written: bytes) -> list[Taken]:
    """What each of some rows has decided."""
    result: list[Taken] = []
    at = 0
    while at < len(written):
        end = at + 4 + 4 * int.from_bytes(written[at : at + 4], "little")
        result.append(written[at + 4 : end])
        at = end
    return result
