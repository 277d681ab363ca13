"""A network whose inputs have rows, each of which goes its own way.

Rows that took one way out of the network come back together: the network gives their
numbers and their values, and which of its decisions they took. Here that is put into
the order of the rows. A network that is not compiled for many rows is called row by
row, which gives the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.decisions import Decision
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import InputError, array_of, as_arrays, is_torch_tensor
from dycl.runtime.tensors import to_torch

if TYPE_CHECKING:
    from dycl.runtime.net import CompiledNet

Path = tuple[Decision, ...]


class Rows:
    """How a network is called with many rows; `paths` are those of its last call."""

    def __init__(
        self,
        net: CompiledNet,
        form: Mapping[str, Any],
        run: Callable[..., Any] | None = None,
    ):
        """`form`: what the compiler says of the rows, as a manifest has it. `run` calls
        the network with the inputs that it was compiled for."""
        self._net = net
        self._run = net if run is None else run
        self.form = form
        """What the compiler says of the rows."""
        self._specs = net.inputs
        self._inputs: Sequence[int] = form["inputs"]
        self._ways: Sequence[Mapping[str, Any]] = form["ways"]
        self._decisions: Sequence[Sequence[Any]] = form["decisions"]
        self._kind: str = form["form"]
        self._most: int = form["most"]
        self._last = threading.local()

    @property
    def is_grouped(self) -> bool:
        """Whether rows that go one way are computed together."""
        return self._kind != "one by one"

    @property
    def paths(self) -> tuple[Path, ...]:
        """For each row of this thread's last call, the decisions that it took."""
        paths: Any = getattr(self._last, "paths", ())
        if callable(paths):
            self._last.paths = paths = paths()
        return paths

    @property
    def path(self) -> Path:
        """What the network decided in this thread's last call, of all rows; nothing if
        that raised."""
        return self._net.path if getattr(self._last, "has_run", False) else ()

    def __call__(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """Run the network for all rows. InputError: an argument does not fit."""
        self._last.paths, self._last.has_run = (), False
        if kwargs or len(args) != len(self._specs):
            args = _in_order([spec.name for spec in self._specs], args, kwargs)
        arrays = as_arrays(args)
        saw_torch = arrays is not None
        if arrays is None:
            saw_torch = any(map(is_torch_tensor, args))
            arrays = [
                value if spec.shape is None else array_of(spec, value)
                for spec, value in zip(self._specs, args)
            ]
        count = self._count([arrays[index] for index in self._inputs])
        if self.is_grouped:
            result = self._together(arrays, count)
        else:
            result = self._one_by_one(arrays, count)
        self._last.has_run = count > 0
        return to_torch(result) if saw_torch else result

    def split(self, result: Any, count: int) -> list[Any]:
        """What each of `count` rows has in the result of a call, as a call with this
        row alone gives it."""
        if len(self._ways) != 1:
            return [*result]
        way = self._ways[0]
        return [
            _split(way["structure"], way["values"], result, row) for row in range(count)
        ]

    def _count(self, arrays: Sequence[object]) -> int:
        """How many rows there are. InputError: inputs have different numbers."""
        counts: list[int] = []
        for index, value in zip(self._inputs, arrays):
            spec = self._specs[index]
            array = cast(Array, value)
            if not isinstance(value, np.ndarray):
                array = array_of(spec, value)  # which raises, with the reason
            if array.ndim == 0:
                raise InputError(f"the input `{spec.name}` has no dimension of rows")
            counts.append(array.shape[0])
            if counts[0] != counts[-1]:
                first = self._specs[self._inputs[0]].name
                raise InputError(
                    f"the input `{spec.name}` has {counts[-1]} rows, and `{first}` has "
                    f"{counts[0]}"
                )
        return counts[0]

    # ---- row by row

    def _one_by_one(self, given: Sequence[object], count: int) -> Any:
        results: list[Any] = []
        taken: list[list[tuple[int, bool]]] = []
        arguments = list(given)
        batches = [(index, cast(Array, given[index])) for index in self._inputs]
        for row in range(count):
            for index, batch in batches:
                arguments[index] = batch[row : row + 1]
            results.append(self._run(*arguments))
            taken.append(self._net.taken())
        self._last.paths = lambda: tuple(map(self._net.path_of, taken))
        if len(self._ways) != 1:
            return results
        if not results:
            return self._nothing(given)
        return _combined(results, self._ways[0]["structure"], self._ways[0]["values"])

    # ---- together

    def _together(self, given: Sequence[object], count: int) -> Any:
        if count == 0:
            return self._nothing(given)
        parts: list[list[Any]] = []
        logs: list[tuple[Array | None, int]] = []
        for first in range(0, count, self._most):
            part, size = given, min(self._most, count - first)
            if size < count:
                part = list(given)
                for index in self._inputs:
                    part[index] = cast(Array, given[index])[first : first + size]
            returned = list(self._run(*part))
            logs.append((returned.pop(0) if self._decisions else None, size))
            parts.append(self._in_rows(returned, size))
        self._last.paths = lambda: tuple(p for log in logs for p in self._decoded(*log))
        if len(self._ways) != 1:
            return [row for part in parts for row in part]
        leaves = parts[0]
        if len(parts) > 1:
            leaves = [
                [*chain(*same)] if isinstance(same[0], list) else np.concatenate(same)
                for same in zip(*parts)
            ]
        return _built(self._ways[0]["structure"], leaves, count)

    def _in_rows(self, returned: list[Any], count: int) -> list[Any]:
        """The leaves of the result, if there is one way out; else that of each row."""
        if len(self._ways) == 1:
            numbers = None if self._kind == "in order" else returned.pop(0)
            values = self._ways[0]["values"]
            return [
                _leaf(_placed(batch, numbers, count), value)
                for batch, value in zip(returned, values)
            ]
        results: list[Any] = [None] * count
        for way in self._ways:
            numbers, *batches = [returned.pop(0) for _ in (None, *way["values"])]
            for place, number in enumerate(numbers.tolist()):
                row = [
                    _one(batch[place], value)
                    for batch, value in zip(batches, way["values"])
                ]
                results[number] = _built(way["structure"], row)
        return results

    def _nothing(self, given: Sequence[object]) -> Any:
        """The result for no rows. InputError: they are not rows of the network's."""
        for index in self._inputs:
            spec, array = self._specs[index], cast(Array, given[index])
            wanted = tuple((spec.shape or ())[1:])
            if array.shape[1:] != wanted or array.dtype != numpy_dtype(spec.dtype):
                found = f"{array.dtype.name}{list(array.shape)}"
                raise InputError(f"the input `{spec.name}` is {found}, not {spec}")
        if len(self._ways) != 1:
            return []
        way = self._ways[0]
        leaves: list[Any] = []
        for value in way["values"]:
            shape = value["shape"]
            if shape and shape[0] == 1:
                dtype = numpy_dtype(value["dtype"])
                leaves.append(np.empty((0, *shape[1:]), dtype))
            else:
                leaves.append([])
        return _built(way["structure"], leaves, 0)

    def _decoded(self, log: Array | None, count: int) -> tuple[Path, ...]:
        """The decisions of each row, from what the network has put down."""
        paths: list[list[Decision]] = [[] for _ in range(count)]
        made: dict[tuple[int, int], Decision] = {}
        for code in [] if log is None else log.tolist():
            rest, side = divmod(code, 2)
            row, number = divmod(rest, len(self._decisions))
            key = number, side
            if key not in made:
                name, test, file, line = self._decisions[number]
                made[key] = Decision(name, test, bool(side), file, line)
            paths[row].append(made[key])
        return tuple(map(tuple, paths))


def _in_order(
    names: Sequence[str], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> tuple[object, ...]:
    given = list(args)
    for name in names[len(args) :]:
        if name not in kwargs:
            raise InputError(f"the input `{name}` is missing")
        given.append(kwargs[name])
    if len(given) > len(names) or len(args) + len(kwargs) > len(names):
        raise InputError(f"the network takes {len(names)} inputs: {', '.join(names)}")
    return tuple(given)


def _placed(batch: Array, numbers: Array | None, count: int) -> Array:
    """A batch in the order of the rows."""
    if numbers is None or count == 1:
        return batch
    placed = np.empty((count, *batch.shape[1:]), batch.dtype)
    placed[numbers] = batch
    return placed


def _leaf(batch: Array, value: Mapping[str, Any]) -> Any:
    """What comes back of a batch: one tensor, or a list with an item for each row."""
    shape = value["shape"]
    if shape is None:
        return batch.tolist()
    if shape[:1] == [1]:
        return batch
    return [_one(row, value) for row in batch]


def _one(row: Array, value: Mapping[str, Any]) -> Any:
    """The value of one row: a tensor with memory of its own, or a number."""
    if value["shape"] is None:
        return row.item()
    return np.array(row).reshape(value["shape"])


def _built(
    structure: Mapping[str, Any], leaves: Sequence[Any], count: int | None = None
) -> Any:
    """What `forward` returns, of its leaves; `count`: for so many rows."""
    ((kind, content),) = structure.items()
    if kind == "leaf":
        return leaves[content]
    if kind == "constant":
        return _constant(content, count)
    if kind == "dict":
        return {key: _built(item, leaves, count) for key, item in content}
    items = [_built(item, leaves, count) for item in content]
    return tuple(items) if kind == "tuple" else items


def _constant(content: Any, count: int | None) -> Any:
    """What every row returns: a number for each row, as others that differ; None and
    texts once."""
    is_number = isinstance(content, (bool, int, float))
    return [content] * count if is_number and count is not None else content


def _combined(
    results: Sequence[Any],
    structure: Mapping[str, Any],
    values: Sequence[Mapping[str, Any]],
) -> Any:
    """One result of those of all rows."""
    ((kind, content),) = structure.items()
    if kind == "leaf":
        shape = values[content]["shape"]
        if shape and shape[0] == 1:
            return np.concatenate(results)
        return list(results)
    if kind == "constant":
        return _constant(content, len(results))
    if kind == "dict":
        return {
            key: _combined([result[key] for result in results], item, values)
            for key, item in content
        }
    items = [
        _combined([result[place] for result in results], item, values)
        for place, item in enumerate(content)
    ]
    return tuple(items) if kind == "tuple" else items


def _split(
    structure: Mapping[str, Any],
    values: Sequence[Mapping[str, Any]],
    result: Any,
    row: int,
) -> Any:
    """One row's part of the result for all rows; tensors have memory of their own."""
    ((kind, content),) = structure.items()
    if kind == "leaf":
        shape = values[content]["shape"]
        if not shape or shape[0] != 1:
            return result[row]
        part = result[row : row + 1]
        return part.clone() if is_torch_tensor(part) else part.copy()
    if kind == "constant":
        return content
    if kind == "dict":
        return {key: _split(item, values, result[key], row) for key, item in content}
    items = [_split(item, values, part, row) for item, part in zip(content, result)]
    return tuple(items) if kind == "tuple" else items
