"""What comes back of many rows, put together and taken apart.

`ways` of the compiler's form say what the model returns: a structure, and the dtype and
shape of each value of one row; a number has no shape. A structure is one of

    {"leaf": 0}   {"constant": None}   {"tuple": [...]}   {"list": [...]}
    {"dict": [[key, structure], ...]}
    {"record": {"name": "net.Output", "kind": "dataclass", "fields": [[name, ...]]}}
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import is_torch_tensor
from dycl.runtime.records import make_record
from dycl.runtime.tensors import to_torch


def placed(batch: Array, numbers: Array | None, count: int) -> Array:
    """A batch in the order of the rows."""
    if numbers is None or count == 1:
        return batch
    placed = np.empty((count, *batch.shape[1:]), batch.dtype)
    placed[numbers] = batch
    return placed


def leaf_of(batch: Array, value: Mapping[str, Any]) -> Any:
    """What comes back of a batch: one tensor, or a list with an item for each row."""
    shape = value["shape"]
    if shape is None:
        return batch.tolist()
    if shape[:1] == [1]:
        return batch
    return [one_of(row, value) for row in batch]


def one_of(row: Array, value: Mapping[str, Any]) -> Any:
    """The value of one row: a tensor with memory of its own, or a number."""
    if value["shape"] is None:
        return row.item()
    return np.array(row).reshape(value["shape"])


def built(
    structure: Mapping[str, Any], leaves: Sequence[Any], count: int | None = None
) -> Any:
    """What `forward` returns, of its leaves; `count`: for so many rows."""
    ((kind, content),) = structure.items()
    if kind == "leaf":
        return leaves[content]
    if kind == "constant":
        return _constant(content, count)
    items = [built(item, leaves, count) for item in _parts(kind, content)]
    return _made(kind, content, items)


def _parts(kind: str, content: Any) -> list[Mapping[str, Any]]:
    """The structures in a structure that is no leaf and no constant."""
    if kind == "record":
        return [item for _, item in content["fields"]]
    return [item for _, item in content] if kind == "dict" else content


def _found(kind: str, content: Any, value: Any) -> Sequence[Any]:
    """What a value of such a structure has for each of them."""
    if kind == "dict":
        return [value[key] for key, _ in content]
    if kind != "record" or isinstance(value, tuple):
        return value
    names = [name for name, _ in content["fields"]]
    if type(value) is dict:  # It stands in for a mapping whose class is not there.
        return [cast("dict[str, Any]", value).get(name) for name in names]
    return [getattr(value, name) for name in names]


def _made(kind: str, content: Any, items: list[Any]) -> Any:
    """A value of such a structure."""
    if kind == "record":
        fields = tuple(name for name, _ in content["fields"])
        return make_record(content["name"], content["kind"], fields, items)
    if kind == "dict":
        return {key: item for (key, _), item in zip(content, items)}
    return tuple(items) if kind == "tuple" else items


def _constant(content: Any, count: int | None) -> Any:
    """What every row returns: a number for each row, as others that differ; None and
    texts once."""
    is_number = isinstance(content, (bool, int, float))
    return [content] * count if is_number and count is not None else content


def combined(
    results: Sequence[Any],
    structure: Mapping[str, Any],
    values: Sequence[Mapping[str, Any]],
) -> Any:
    """One result of those of all rows."""
    ((kind, content),) = structure.items()
    if kind == "leaf":
        shape = values[content]["shape"]
        if not shape or shape[0] != 1:
            return list(results)
        return results[0] if len(results) == 1 else concatenated(results)
    if kind == "constant":
        return _constant(content, len(results))
    columns = zip(*(_found(kind, content, result) for result in results))
    items = [
        combined(column, item, values)
        for column, item in zip(columns, _parts(kind, content))
    ]
    return _made(kind, content, items)


def concatenated(results: Sequence[Any]) -> Any:
    """One tensor: torch's, if one of them is, as where a row's tree holds such."""
    if not any(map(is_torch_tensor, results)):
        return np.concatenate(results)
    torch: Any = sys.modules["torch"]
    return torch.cat([*map(to_torch, results)])


def part_of(
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
    items = [
        part_of(item, values, part, row)
        for item, part in zip(_parts(kind, content), _found(kind, content, result))
    ]
    return _made(kind, content, items)


def nothing_of(way: Mapping[str, Any]) -> Any:
    """The result of a call without rows."""
    leaves: list[Any] = []
    for value in way["values"]:
        shape = value["shape"]
        is_batch = shape and shape[0] == 1
        kind = numpy_dtype(value["dtype"])
        leaves.append(np.empty((0, *shape[1:]), kind) if is_batch else [])
    return built(way["structure"], leaves, 0)


def in_rows(
    ways: Sequence[Mapping[str, Any]],
    is_in_order: bool,
    returned: list[Any],
    count: int,
) -> list[Any]:
    """The leaves of the result, if there is one way out; else that of each row."""
    if len(ways) == 1:
        numbers = None if is_in_order else returned.pop(0)
        values = ways[0]["values"]
        return [
            leaf_of(placed(batch, numbers, count), value)
            for batch, value in zip(returned, values)
        ]
    results: list[Any] = [None] * count
    for way in ways:
        numbers, *batches = [returned.pop(0) for _ in (None, *way["values"])]
        for place, number in enumerate(numbers.tolist()):
            row = [
                one_of(batch[place], value)
                for batch, value in zip(batches, way["values"])
            ]
            results[number] = built(way["structure"], row)
    return results
