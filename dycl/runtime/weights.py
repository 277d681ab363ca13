"""Weights in a safetensors file, read without copying; and as a user gives them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.dtypes import array_of_tensor, bits_of, dtype_name, numpy_dtype
from dycl.runtime.inputs import is_torch_tensor
from dycl.runtime.members import ArtifactError

SAFETENSORS_DTYPES: dict[str, str] = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
}
"""What a safetensors file calls a dtype -> what NumPy calls it."""

SAFETENSORS_NAMES = {dtype: name for name, dtype in SAFETENSORS_DTYPES.items()}
"""What NumPy calls a dtype -> what a safetensors file calls it."""

_GIVEN_DTYPES = {**SAFETENSORS_DTYPES, "C64": "complex64"}
"""The same of files that users give: a network has the parts of a complex weight."""

FILLER = "__filler__"
"""What the names of entries begin with that only align the next one."""


class WeightError(ValueError):
    """Weights do not fit the network; the text names all that do not."""

    code = "DY604"

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


PREPARED = "__prepared__"
"""What the names of entries begin with that are made of others, for kernels."""

Stored = tuple[str, tuple[int, ...], Array]
"""Dtype, shape and bytes of a tensor."""


def read_weights(
    data: memoryview, name: str
) -> tuple[dict[str, Array], dict[str, Stored]]:
    """Name -> array, and what is made of weights, in the memory of `data`.

    Nobody may write there. Entries of a dtype that NumPy lacks are left out.
    ArtifactError: `data` is not a safetensors file, which the message calls `name`.
    """
    try:
        length = int.from_bytes(data[:8], "little")
        header: Any = json.loads(bytes(data[8 : 8 + length]))
        body = data[8 + length :]
        stored = {
            key: _array(body, entry)
            for key, entry in header.items()
            if not key.startswith(("__metadata__", FILLER))
            and entry["dtype"] in _GIVEN_DTYPES
        }
        arrays = {n: a for n, a in stored.items() if not n.startswith(PREPARED)}
        prepared = {
            n: (dtype_name(a), a.shape, a.reshape(-1).view(np.uint8))
            for n, a in stored.items()
            if n.startswith(PREPARED)
        }
        return arrays, prepared
    except _NO_WEIGHTS as error:
        raise ArtifactError(f"'{name}' is not a safetensors file: {error}") from error


_NO_WEIGHTS = (
    *(ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError),
)


def _array(body: memoryview, entry: Any) -> Array:
    dtype = numpy_dtype(_GIVEN_DTYPES[entry["dtype"]]).newbyteorder("<")
    shape = tuple(map(int, entry["shape"]))
    start, end = map(int, entry["data_offsets"])
    if end - start != math.prod(shape) * dtype.itemsize or end > len(body):
        raise ValueError("an entry does not lie inside it")
    return np.frombuffer(body[start:end], dtype).reshape(shape)


def parts_of(name: str) -> list[tuple[str, str]]:
    """The parts of a complex weight, each with the name that it has in a network."""
    return [(part, f"{name}.{part}") for part in ("real", "imag")]


def given_weights(source: Mapping[str, Any] | Path | str) -> dict[str, Array]:
    """Weights as a user gives them: arrays or torch tensors by name, or a file.

    Of a complex one the two parts.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        if path.suffix != ".safetensors":
            raise WeightError(f"'{path}' is not a safetensors file")
        with path.open("rb") as opened:
            given = read_weights(memoryview(opened.read()), path.name)[0]
    else:
        given = {name: _of(name, value) for name, value in source.items()}
    return {
        key: part
        for name, array in given.items()
        for key, part in _in_parts(name, array)
    }


def _in_parts(name: str, array: Array) -> list[tuple[str, Array]]:
    if array.dtype.kind != "c":
        return [(name, array)]
    return [(key, getattr(array, part)) for part, key in parts_of(name)]


def _resolved(tensor: Any) -> Any:
    """A tensor whose memory has the signs that its elements have."""
    return tensor.resolve_conj().resolve_neg()


def _of(name: str, value: Any) -> Array:
    if is_torch_tensor(value):
        try:
            value = array_of_tensor(_resolved(value.detach().cpu()))
        except TypeError as error:
            raise WeightError(f"`{name}` has a dtype that NumPy lacks") from error
    if not isinstance(value, np.ndarray):
        raise WeightError(f"`{name}` is of type {type(value).__name__}, not a tensor")
    return bits_of(cast(Array, value))


__all__ = [
    "FILLER",
    "SAFETENSORS_DTYPES",
    "SAFETENSORS_NAMES",
    "WeightError",
    "given_weights",
    "parts_of",
    "read_weights",
]
