"""The state of a network in memory of its own, which native code reads and writes.

A call then neither makes nor looks at an object for it (`kept.h`). That needs each
value to be a number or a tensor of known size, and each place that returns to leave
what one of the variants takes; where it is not so, `State` has them as objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from dycl.runtime.buffers import Array, Buffer, allocate
from dycl.runtime.inputs import InputSpec
from dycl.runtime.kernels import Argument
from dycl.runtime.open_shapes import Shape
from dycl.runtime.signature import items_of
from dycl.runtime.values import Reader, make_reader
from dycl.runtime.variables import Row
from dycl.runtime.zipping import zip_equal


class CannotKeep(Exception):
    """There is a value that has no cell."""


class _Move(ctypes.Structure):
    """`struct dycl_move`."""

    _fields_ = (("output", ctypes.c_int64), ("cell", ctypes.c_int64))


class _Left(ctypes.Structure):
    """`struct dycl_left`."""

    _fields_ = (
        ("kind", ctypes.c_int64),
        ("count", ctypes.c_int64),
        ("moves", ctypes.c_void_p),
    )


class _Kept(ctypes.Structure):
    """`struct dycl_kept`."""

    _fields_ = (
        ("given", ctypes.c_int64),
        ("kind", ctypes.c_int64),
        ("now", ctypes.c_void_p),
        ("next", ctypes.c_void_p),
        ("sizes", ctypes.c_void_p),
        ("left", ctypes.c_void_p),
    )


class _Leaf(NamedTuple):
    """A value that a place leaves: where in its outputs, and as what."""

    output: int
    spec: InputSpec


class _Place(NamedTuple):
    """What a place that returns leaves: rows in order, each leaf in a cell."""

    variant: int
    leaves: list[tuple[_Leaf, int]]


class Cells:
    """A cell for each argument that is state, then for what is only set."""

    def __init__(
        self,
        rows: Sequence[Row],
        specs: Sequence[InputSpec],
        kind: int | None,
        given: int,
        returns: Sequence[Mapping[str, Any]],
    ):
        """As `State` has it; `given` inputs are the user's, `returns` is of host.json.

        CannotKeep: there is a value that has no cell.
        """
        if any(spec.is_open for spec in specs):
            raise CannotKeep
        self._specs = list(specs)
        self._rows = rows
        places = [self._place(entry) for entry in returns]
        count = len(self._specs)
        self._words = (ctypes.c_int64 * (count + 1))()
        self._floats = (ctypes.c_double * count).from_buffer(self._words)
        others, sizes = (ctypes.c_void_p * (count + 1))(), (ctypes.c_int64 * count)()
        self._arrays: list[dict[int, Array]] = []
        for cell, spec in enumerate(self._specs):
            buffers: list[Buffer] = []
            if spec.shape is not None:
                buffers = [allocate(spec.dtype, spec.sizes) for _ in range(2)]
                self._words[cell], others[cell] = (b.address for b in buffers)
                sizes[cell] = buffers[0].array.nbytes
            self._arrays.append({b.address: b.array for b in buffers})
        left = (_Left * (len(places) + 1))()
        moves = [_moves(place) for place in places]
        for one, place, moved in zip(left, places, moves):
            one.kind, one.count = place.variant, len(place.leaves)
            one.moves = ctypes.addressof(moved)
        memory = (self._words, others, sizes, left)
        kept = _Kept(
            given, -1 if kind is None else kind, *map(ctypes.addressof, memory)
        )
        self._kept = (kept, memory, moves)
        self.address = ctypes.addressof(kept)
        """Of what native code has to know."""
        self._readers = [
            self._read_by(place, entry) for place, entry in zip_equal(places, returns)
        ]

    def load(self, arguments: Sequence[Argument]) -> None:
        """Give the next run these, as `State.arguments` has them."""
        for cell, value in enumerate(arguments):
            if isinstance(value, Buffer):
                np.copyto(self._arrays[cell][self._words[cell]], value.array)
            elif isinstance(value, float):
                self._floats[cell] = value
            else:
                self._words[cell] = value

    def values(self, site: int) -> list[object]:
        """The value of each row after a run that returned at this place: copies."""
        return [read() for read in self._readers[site]]

    # ---- what a place leaves

    def _place(self, entry: Mapping[str, Any]) -> _Place:
        _, state = entry["structure"]["tuple"]
        left: list[Any] = state["tuple"]
        variants = max(
            (len(r.given) for r in self._rows if r.mode == "keep"), default=1
        )
        for variant in range(variants):
            pairs: list[tuple[_Leaf, int]] = []
            fits = True
            for row, structure in zip_equal(self._rows, left):
                if row.mode == "grow":
                    raise CannotKeep
                if row.mode == "set":
                    pairs += self._own_cells(_leaves(structure, entry["types"]))
                    continue
                wanted, arguments = row.given[variant]
                leaves = _leaves(structure, entry["types"])
                if not _fits(wanted, structure, entry["types"]) or any(
                    _kind(leaf.spec) != _kind(self._specs[place])
                    for leaf, place in zip_equal(leaves, arguments)
                ):
                    fits = False
                    break
                pairs += zip_equal(leaves, arguments)
            if fits:
                return _Place(variant, pairs)
        raise CannotKeep

    def _own_cells(self, leaves: Sequence[_Leaf]) -> Iterator[tuple[_Leaf, int]]:
        for leaf in leaves:
            yield leaf, len(self._specs)
            self._specs.append(leaf.spec)

    def _read_by(self, place: _Place, entry: Mapping[str, Any]) -> list[Reader]:
        cells = iter([cell for _, cell in place.leaves])

        def leaf(output: int, kind: Any) -> Reader:
            return (lambda: None) if kind == "None" else self._reader(next(cells))

        left = entry["structure"]["tuple"][1]["tuple"]
        return [make_reader(item, entry["types"], leaf) for item in left]

    def _reader(self, cell: int) -> Reader:
        words, floats, arrays = self._words, self._floats, self._arrays[cell]
        spec = self._specs[cell]
        if spec.dtype == "int":
            return lambda: words[cell]
        if spec.dtype == "float":
            return lambda: floats[cell]
        if spec.dtype == "bool" and spec.shape is None:
            return lambda: words[cell] != 0
        return lambda: arrays[words[cell]].copy()


def _kind(spec: InputSpec) -> tuple[str, Shape | None]:
    return spec.dtype, spec.shape


def _moves(place: _Place) -> Any:
    pairs = [_Move(leaf.output, cell) for leaf, cell in place.leaves]
    return (_Move * (len(pairs) + 1))(*pairs)


def _leaves(structure: Any, types: Sequence[Any]) -> list[_Leaf]:
    """The leaves of a structure, in the order in which `make_reader` comes to them."""
    if "leaf" in structure:
        place = structure["leaf"]
        kind: Any = types[place]
        if kind == "None":
            return []
        if kind in ("int", "float", "bool"):
            return [_Leaf(place, InputSpec("", kind, None))]
        if isinstance(kind, list) and -1 not in kind[1]:
            return [_Leaf(place, InputSpec("", kind[0], tuple(kind[1])))]
        raise CannotKeep
    if "value" in structure:
        return []
    items = items_of(structure)
    if items is None and "dict" in structure:
        items = [item for _, item in structure["dict"]]
    if items is None:
        raise CannotKeep
    return [leaf for item in items for leaf in _leaves(item, types)]


def _fits(wanted: object, structure: Any, types: Sequence[Any]) -> bool:
    """Whether a structure is what a variant takes, in which `...` is any leaf."""
    if "leaf" in structure and types[structure["leaf"]] != "None":
        return wanted is ...
    if (items := items_of(structure)) is not None:
        if type(wanted).__name__ != next(iter(structure)):
            return False
        inner = list(cast("Sequence[object]", wanted))
    elif "dict" in structure:
        entries = structure["dict"]
        keys = [key.get("value") for key, _ in entries]
        if not isinstance(wanted, dict) or list(cast(Any, wanted)) != keys:
            return False
        items = [item for _, item in entries]
        inner = list(cast("dict[object, object]", wanted).values())
    else:
        value = structure.get("value")
        return type(wanted) is type(value) and repr(wanted) == repr(value)
    return len(inner) == len(items) and all(
        _fits(one, item, types) for one, item in zip_equal(inner, items)
    )
