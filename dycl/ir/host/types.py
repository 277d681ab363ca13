"""Types of the host: buffers are memrefs, scalars are Python's numbers and texts."""

from functools import lru_cache

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerType,
    MemRefType,
    NoneAttr,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from dycl.ir.classes import ByType
from dycl.ir.host.layouts import BufferType, blocks_of
from dycl.ir.host.memories import is_memory
from dycl.support.placement import aligned


@irdl_attr_definition
class StrType(ParametrizedAttribute, TypeAttribute, metaclass=ByType):
    """A Python str."""

    name = "host.str"


@irdl_attr_definition
class NoneType(ParametrizedAttribute, TypeAttribute, metaclass=ByType):
    """Python's None."""

    name = "host.none"


STR = StrType()
NONE = NoneType()

NUMBERS: dict[Attribute, str] = {i64: "int", f64: "float", i1: "bool"}
"""The number types, and what Python calls them."""

SCALARS: dict[Attribute, str] = {**NUMBERS, STR: "str", NONE: "None"}
"""Everything that is not a buffer."""

_DTYPES: dict[Attribute, str] = {
    f16: "float16",
    bf16: "bfloat16",
    f32: "float32",
    f64: "float64",
    i1: "bool",
    i8: "int8",
    i16: "int16",
    i32: "int32",
    i64: "int64",
    IntegerType(8, Signedness.UNSIGNED): "uint8",
}


def dtype_of(buffer: BufferType) -> str:
    """torch's name of a buffer's element type.

    Raises KeyError for one that no host holds (complex and quantised types).
    """
    return _DTYPES[buffer.element_type]


@lru_cache(maxsize=4096)
def why_not_a_buffer(buffer: BufferType) -> str | None:
    """Why the host cannot hold this type, as the end of a sentence, or None."""
    if buffer.element_type not in _DTYPES:
        return f"has elements of type {buffer.element_type}, which no host holds"
    if not is_memory(buffer.memory_space):
        return "is not memory of the host"
    if buffer.layout != NoneAttr() and blocks_of(buffer) is None:
        return "is neither row-major nor in blocks"
    return None


def is_static(buffer: Attribute) -> bool:
    """Whether this is a buffer of which all sizes are known."""
    return isinstance(buffer, MemRefType) and DYNAMIC_INDEX not in buffer.get_shape()


def is_float(dtype: str) -> bool:
    """Whether a dtype is one of floats, by its name."""
    return "float" in dtype


def count(buffer: BufferType) -> int | None:
    """How many elements a buffer has; None if only a run can tell."""
    if not is_static(buffer):
        return None
    total = 1
    for size in buffer.get_shape():
        total *= size
    return total


def byte_size(buffer: BufferType) -> int:
    """How many bytes the elements take. The sizes have to be known."""
    total = count(buffer)
    assert total is not None
    digits = "".join(c for c in dtype_of(buffer) if c.isdigit())
    return total * (int(digits) // 8 if digits else 1)


OFFSET = "offset"
"""The place in the arena, in bytes: attribute of `host.alloc` and `host.keep`, and of a
`host.launch` whose kernel takes a workspace."""

ARENA = "arena"
"""Attribute of `host.func`: the size of the arena, in bytes."""


def arena_size(buffer: BufferType) -> int:
    """How many bytes of an arena a buffer takes. The sizes have to be known."""
    return aligned(byte_size(buffer))
