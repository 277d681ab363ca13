"""The values in the memory of a handle: what a run has left, and what Python adds.

`host.json` says what each is; `dycl.host.native.tables` describes it.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.effects import do_effect
from dycl.runtime.members import ArtifactError
from dycl.runtime.records import make_record, named
from dycl.runtime.signature import items_of
from dycl.runtime.zipping import zip_equal

INPUTS, OUTPUTS, SITE, PATH, PATH_COUNT, EFFECT, POLL, ARGUMENTS = range(8)
ANSWER, ARENA, OBJECTS, KEPT, ENGINE = range(9, 14)
"""Words of 8 bytes at the start of a handle, `struct dycl_host`."""
_WORDS = 14

_MOST_VIEWS = 16
"""Addresses that are known for an output: places in the arena, inputs, weights."""

Reader = Callable[[], Any]
LeafReader = Callable[[int, Any], Reader]


class Values:
    """The values in the memory of one handle."""

    def __init__(self, tables: Mapping[str, Any], handle: int):
        """Of a handle that `tables` are about."""
        self.tables = tables
        self.words = words_at(handle, _WORDS)
        count = 1 + max(
            (len(e["types"]) for e in (*tables["returns"], *tables["errors"])),
            default=0,
        )
        self.outputs = words_at(self.words[OUTPUTS], count)
        self._floats = words_at(self.words[OUTPUTS], count, "d")
        self.error: BaseException | None = None
        """What Python code raised that native code has called."""
        self.functions: dict[int, Callable[..., Any]] = {
            number: _function(entry["expression"], len(entry["types"]))
            for number, entry in enumerate(tables["effects"])
            if "expression" in entry
        }

    def address_of_output(self, place: int) -> int:
        """Where a place of `outputs` is."""
        return self.words[OUTPUTS] + 8 * place

    def leaf(self, place: int, kind: Any) -> Any:
        """A value that the run has left in `outputs`."""
        return self.reader(place, kind)()

    def reader(self, place: int, kind: Any) -> Reader:
        """What reads a place of `outputs`, again after each run."""
        outputs = self.outputs
        if isinstance(kind, str):
            return self._number_reader(place, kind)
        if isinstance(kind, dict):
            listed = cast("dict[str, Any]", kind)
            return lambda: self.items(outputs[place], listed)
        dtype, shape = numpy_dtype(kind[0]), tuple(kind[1])
        if -1 in shape:
            return lambda: _sized(outputs[place], dtype, len(shape))
        copies: dict[int, Callable[[], Array]] = {}

        def read() -> Array:
            try:
                copy = copies[outputs[place]]
            except KeyError as address:
                if len(copies) >= _MOST_VIEWS:
                    copies.clear()
                [source] = address.args
                copy = copies[source] = view_at(source, dtype, shape).copy
            return copy()

        return read

    def _number_reader(self, place: int, kind: str) -> Reader:
        outputs, floats = self.outputs, self._floats
        if kind == "float":
            return lambda: floats[place]
        if kind == "int":
            return lambda: outputs[place]
        if kind == "bool":
            return lambda: outputs[place] != 0
        return lambda: self._scalar(outputs, floats, place, kind)

    def items(self, address: int, kind: Mapping[str, Any]) -> list[Any]:
        """A list of the run's; its tensors are copied."""
        length, start = words_at(address, 2)
        item: Any = kind["items"]
        if isinstance(item, str):
            return self.array(start, [item] * length)
        addresses = words_at(start, length)
        if isinstance(item, dict):
            return [self.items(one, cast("dict[str, Any]", item)) for one in addresses]
        dtype, shape = numpy_dtype(item[0]), tuple(item[1])
        if -1 in shape:
            return [_sized(one, dtype, len(shape)) for one in addresses]
        return [view_at(one, dtype, shape).copy() for one in addresses]

    def array(self, address: int, types: Sequence[str]) -> list[Any]:
        """The values of an array of them."""
        count = len(types)
        ints, floats = words_at(address, count), words_at(address, count, "d")
        return [self._scalar(ints, floats, i, kind) for i, kind in enumerate(types)]

    def _scalar(self, ints: Any, floats: Any, place: int, kind: str) -> Any:
        if kind == "int":
            return ints[place]
        if kind == "float":
            return floats[place]
        if kind == "bool":
            return bool(ints[place])
        return self._text(ints[place]) if kind == "str" else None

    def _text(self, address: int) -> str:
        words = words_at(address, 4)
        if words[0] < 0:  # the caller's, in a tree
            chars = ctypes.string_at(words[1], words[2])
            return chars.decode("utf-8", "surrogatepass")
        entry = self.tables["texts"][words[0]]
        if "text" in entry:
            return entry["text"]
        values = self.array(words[3], entry["types"])
        count = entry["positional"]
        named = dict(zip_equal(entry["keywords"], values[count:]))
        return entry["format"].format(*values[:count], **named)

    # ---- what native code calls

    def polls(self) -> Generator[int, int]:
        """Each answer lets Python look for Ctrl-C."""
        return self.answers(lambda: None)

    def effects(self) -> Generator[int, int]:
        """Each answer does the effect that the handle asks for."""
        return self.answers(self._effect)

    def _effect(self) -> None:
        site = self.words[SITE]
        entry = self.tables["effects"][site]
        values = self.array(self.words[ARGUMENTS], entry["types"])
        if "expression" not in entry:
            do_effect(entry, values)
            return
        answer = self.functions[site](*values)
        if entry["result"] == "float":
            answer = int.from_bytes(
                struct.pack("=d", answer), sys.byteorder, signed=True
            )
        elif not -(2**63) <= answer < 2**63:
            raise OverflowError("an int does not fit in 64 bits")
        self.words[ANSWER] = answer

    def answers(self, act: Callable[[], None]) -> Generator[int, int]:
        """Yields 0, or 1 if `act` has raised."""
        answer = 0
        while True:
            try:
                yield answer
                act()
                answer = 0
            except GeneratorExit:
                return
            except BaseException as error:
                self.error, answer = error, 1


def _function(expression: str, count: int) -> Callable[..., Any]:
    """What is asked for by `expression`, of `a0`, `a1`, ..."""
    named = ", ".join(f"a{i}" for i in range(count))
    return eval(f"lambda {named}: {expression}", {"math": math, "numpy": np})


def words_at(address: int, count: int, kind: Literal["q", "d"] = "q") -> Any:
    """Words of 8 bytes at an address: ints, or with `d` doubles."""
    memory = (ctypes.c_char * (8 * count)).from_address(address)
    return memoryview(memory).cast("B").cast(kind)


def view_at(
    address: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    owner: object = None,
) -> Array:
    """The elements at an address, which others own; `owner` lives as long as it."""
    if not math.prod(shape):
        return np.empty(shape, dtype)
    return np.asarray(_Memory(address, dtype, shape, owner))


class _Memory:
    """Memory as NumPy reads of it. An array of ctypes would be of a class for each
    size, which takes longer to make than to read, and leaves garbage."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(
        self, address: int, dtype: np.dtype[Any], shape: tuple[int, ...], owner: object
    ):
        self._owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, False),
            "typestr": dtype.str,
            "shape": shape,
        }


def _sized(address: int, dtype: np.dtype[Any], rank: int) -> Array:
    """A copy of a tensor that brings its sizes."""
    data, *shape = (ctypes.c_int64 * (1 + rank)).from_address(address)
    return view_at(data, dtype, tuple(shape)).copy()


def make_reader(
    structure: Mapping[str, Any], types: Sequence[Any], leaf: LeafReader
) -> Reader:
    """What builds a structure from the outputs of a run."""
    if "leaf" in structure:
        return leaf(structure["leaf"], types[structure["leaf"]])
    if "value" in structure:
        value = structure["value"]
        return lambda: value
    if "named" in structure:
        full_name = structure["named"]
        return lambda: named(full_name)
    if "dict" in structure:
        pairs = [
            (make_reader(k, types, leaf), make_reader(v, types, leaf))
            for k, v in structure["dict"]
        ]
        return lambda: {key(): read() for key, read in pairs}
    items = structure.get("items", items_of(structure))
    if items is None:
        raise ArtifactError(f"host.json has an unknown structure: {structure}")
    readers = [make_reader(item, types, leaf) for item in items]
    if "list" in structure:
        return lambda: [read() for read in readers]
    if "tuple" not in structure:
        name, kind, names = (
            *(structure["record"], structure["kind"]),
            tuple(structure["fields"]),
        )
        return lambda: make_record(name, kind, names, [read() for read in readers])
    if len(readers) == 2:  # the usual number, in half the time
        first, other = readers
        return lambda: (first(), other())
    return lambda: tuple([read() for read in readers])
