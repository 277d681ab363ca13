"""Weights in a safetensors file, read without copying; and whether weights fit."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.inputs import is_torch_tensor
from dycl.runtime.members import ArtifactError, open_members

SAFETENSORS_DTYPES: dict[str, str] = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
}
"""What a safetensors file calls a dtype -> what NumPy calls it."""

FILLER = "__filler__"
"""What the names of entries begin with that only align the next one."""


class WeightError(ValueError):
    """Weights do not fit the network; the text names all that do not."""

    code = "DY604"

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


def read_weights(data: memoryview, name: str) -> dict[str, Array]:
    """Name -> array in the memory of `data`, which nobody may write.

    Entries of a dtype that NumPy lacks are left out. ArtifactError: `data` is no
    safetensors file; `name` is what the message calls it.
    """
    try:
        length = int.from_bytes(data[:8], "little")
        header: Any = json.loads(bytes(data[8 : 8 + length]))
        body = data[8 + length :]
        return {
            key: _array(body, entry)
            for key, entry in header.items()
            if not key.startswith("__") and entry["dtype"] in SAFETENSORS_DTYPES
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArtifactError(f"'{name}' is no safetensors file: {error}") from error


def _array(body: memoryview, entry: Any) -> Array:
    dtype = np.dtype(SAFETENSORS_DTYPES[entry["dtype"]]).newbyteorder("<")
    shape = tuple(map(int, entry["shape"]))
    start, end = map(int, entry["data_offsets"])
    if end - start != math.prod(shape) * dtype.itemsize or end > len(body):
        raise ValueError("an entry does not lie inside it")
    return np.frombuffer(body[start:end], dtype).reshape(shape)


def given_weights(source: Mapping[str, Any] | Path | str) -> dict[str, Array]:
    """Weights as a user gives them: arrays or torch tensors by name, or a file."""
    if isinstance(source, str | Path):
        path = Path(source)
        if path.suffix != ".safetensors":
            raise WeightError(f"'{path}' is no safetensors file")
        with path.open("rb") as opened:
            return read_weights(memoryview(opened.read()), path.name)
    return {name: _of(name, value) for name, value in source.items()}


def _of(name: str, value: Any) -> Array:
    if is_torch_tensor(value):
        try:
            value = value.detach().cpu().numpy()
        except TypeError as error:
            raise WeightError(f"`{name}` has a dtype that NumPy lacks") from error
    if not isinstance(value, np.ndarray):
        raise WeightError(f"`{name}` is of type {type(value).__name__}, not a tensor")
    return cast(Array, value)


def fitting(
    current: Mapping[str, Array],
    aliases: Mapping[str, str],
    given: Mapping[str, Array],
    strict: bool,
) -> dict[str, Array]:
    """All weights, `given` ones instead of `current` ones; copies of their own.

    An alias is another name of a weight that a model has under two. WeightError:
    a name, shape or dtype is another; with `strict`, also a name that is missing.
    """
    wrong: list[str] = []
    new: dict[str, Array] = {}
    named: dict[str, str] = {}
    for name, array in given.items():
        path = aliases.get(name, name)
        if path not in current:
            wrong.append(f"the network has no `{name}`")
            continue
        want = current[path]
        if array.dtype != want.dtype or array.shape != want.shape:
            wrong.append(f"`{name}` is {_type(array)}, not {_type(want)}")
        elif path in new and not np.array_equal(new[path], array, equal_nan=_nan(want)):
            wrong.append(f"`{name}` and `{named[path]}` are one weight, but differ")
        else:
            new[path], named[path] = array, name
    if strict:
        meant = {aliases.get(name, name) for name in given}
        wrong += [f"`{name}` is missing" for name in current if name not in meant]
    if wrong:
        more = f", and {len(wrong) - 8} more" if len(wrong) > 8 else ""
        raise WeightError(f"these weights do not fit: {'; '.join(wrong[:8])}{more}")
    copies = {path: np.array(array, order="C") for path, array in new.items()}
    return {**current, **copies}


def _nan(array: Array) -> bool:
    return array.dtype.kind == "f"


def _type(array: Array) -> str:
    return f"{array.dtype.name}{list(array.shape)}"


__all__ = [
    "FILLER",
    "SAFETENSORS_DTYPES",
    "WeightError",
    "fitting",
    "given_weights",
    "open_members",
    "read_weights",
]
