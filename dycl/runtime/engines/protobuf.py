"""ONNX models as bytes: as much of the format of protocol buffers as graphs need.

The numbers of fields are those of `onnx.proto`, which never change. So neither the
package `onnx` nor a generated reader is needed to write a model.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Union

import numpy as np

from dycl.runtime.buffers import Array

IR_VERSION = 8
"""Of the format: the one of opset 17, which later readers read."""

ELEMENTS: dict[str, int] = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float64": 11,
}
"""dtype -> ONNX's number of it, for every dtype that is handed over."""

Attribute = Union[int, float, str, Sequence[int], Sequence[float]]
"""What an attribute of a node may be."""

_FLOAT, _INT, _STRING, _FLOATS, _INTS = 1, 2, 3, 6, 7


def model(graph: bytes, opset: int) -> bytes:
    """A ModelProto of a GraphProto that uses ops of this opset."""
    imported = _text(1, "") + _number(2, opset)
    return (
        _number(1, IR_VERSION)
        + _text(2, "dycl")
        + _bytes(7, graph)
        + _bytes(8, imported)
    )


def graph(
    name: str,
    nodes: Sequence[bytes],
    initializers: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
) -> bytes:
    """A GraphProto of its parts."""
    parts = [*(_bytes(1, node) for node in nodes), _text(2, name)]
    parts += [_bytes(5, tensor) for tensor in initializers]
    parts += [_bytes(11, value) for value in inputs]
    parts += [_bytes(12, value) for value in outputs]
    return b"".join(parts)


def node(
    kind: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str,
    attributes: Mapping[str, Attribute],
) -> bytes:
    """A NodeProto; an input called "" is left out."""
    parts = [_text(1, value) for value in inputs]
    parts += [_text(2, value) for value in outputs]
    parts += [_text(3, name), _text(4, kind)]
    parts += [_bytes(5, _attribute(k, v)) for k, v in attributes.items()]
    return b"".join(parts)


def tensor(name: str, array: Array) -> bytes:
    """A TensorProto with the elements of an array. KeyError: ONNX lacks the dtype."""
    data = np.ascontiguousarray(array).tobytes()
    dims = b"".join(_number(1, size) for size in array.shape)
    return (
        dims + _number(2, ELEMENTS[array.dtype.name]) + _text(8, name) + _bytes(9, data)
    )


def initializer(name: str, array: Array) -> bytes:
    """What a GraphProto has more by a tensor of this name."""
    return _bytes(5, tensor(name, array))


def value(name: str, dtype: str, shape: Sequence[int]) -> bytes:
    """A ValueInfoProto of an input or output."""
    sizes = b"".join(_bytes(1, _number(1, size)) for size in shape)
    kind = _number(1, ELEMENTS[dtype]) + _bytes(2, sizes)
    return _text(1, name) + _bytes(2, _bytes(1, kind))


def _attribute(name: str, given: Attribute) -> bytes:
    if isinstance(given, int):
        kind, data = _INT, _number(3, given)
    elif isinstance(given, float):
        kind, data = _FLOAT, _varint(2 << 3 | 5) + struct.pack("<f", given)
    elif isinstance(given, str):
        kind, data = _STRING, _text(4, given)
    elif given and isinstance(given[0], float):
        kind = _FLOATS
        data = b"".join(_varint(7 << 3 | 5) + struct.pack("<f", v) for v in given)
    else:
        kind, data = _INTS, b"".join(_number(8, int(v)) for v in given)
    return _text(1, name) + data + _number(20, kind)


def _number(field: int, given: int) -> bytes:
    return _varint(field << 3) + _varint(given & (1 << 64) - 1)


def _text(field: int, given: str) -> bytes:
    return _bytes(field, given.encode())


def _bytes(field: int, given: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(given)) + given


def _varint(given: int) -> bytes:
    parts = bytearray()
    while given > 127:
        parts.append(given & 127 | 128)
        given >>= 7
    parts.append(given)
    return bytes(parts)
