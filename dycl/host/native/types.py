"""Types and literals of C for those of the host."""

import math
import re
import struct
from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, f64, i1, i64
from xdsl.ir import Attribute, SSAValue

import dycl.ir as d
from dycl.host.lines import indent
from dycl.ir.host.types import (
    NUMBERS,
    STR,
    BufferType,
    dtype_of,
    is_static,
)

ELEMENTS = {
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
    "bool": "bool",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
}
"""The name of a dtype -> the C type of an element; halves are their bits."""
_SCALARS: dict[Attribute, str] = {
    i1: "bool",
    i64: "int64_t",
    f64: "double",
    STR: "const dycl_text *",
}


class CannotPrint(Exception):
    """This host has no form in C; the text says what keeps it, as a noun phrase."""


def element_type(buffer: BufferType) -> str:
    """The C type of an element; halves are their bits."""
    return ELEMENTS[dtype_of(buffer)]


def item_size(dtype: str) -> int:
    """How many bytes an element takes."""
    digits = "".join(c for c in dtype if c.isdigit())
    return int(digits) // 8 if digits else 1


def c_type(found: Attribute, *, fills: bool = False) -> str:
    """The C type of a value: `const float *`, `int64_t`. `fills`: it is written to."""
    if isinstance(found, MemRefType):
        kind = element_type(found) if is_static(found) else "dycl_tensor"
        return f"{'' if fills else 'const '}{kind} *"
    if isinstance(found, d.NodeType):
        return "const dycl_node *"
    return "const dycl_list *" if isinstance(found, d.SequenceType) else _SCALARS[found]


def dtype_code(dtype: str) -> str:
    """The constant of heap.h for a dtype."""
    return f"DYCL_{dtype.upper()}"


def declared(value_type: str, name: str) -> str:
    """`float *x`, `int64_t n`."""
    return f"{value_type}{name}" if value_type.endswith("*") else f"{value_type} {name}"


def slot(value: SSAValue) -> str:
    """The member of a `dycl_value` that holds a value."""
    return member(value.type)


def member(found: Attribute) -> str:
    """The member of a `dycl_value` that holds values of a type."""
    if isinstance(found, MemRefType):
        return "tensor" if is_static(found) else "sized"
    if isinstance(found, d.SequenceType):
        return "list"
    if isinstance(found, d.NodeType):
        return "node"
    if found == f64:
        return "real"
    return "text" if found == STR else "integer"


def c_number(value: bool | float) -> str:
    """A number as an atom of C text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value == -(2**63):
            return "INT64_MIN"
        text = f"{value}" if abs(value) < 2**31 else f"INT64_C({value})"
    elif not math.isfinite(value):
        text = "(double)NAN" if math.isnan(value) else "(double)INFINITY"
        text = f"-{text}" if value < 0 else text
    else:
        text = repr(value)
    return f"({text})" if text.startswith("-") else text


def c_text(text: str) -> str:
    """A string literal: UTF-8 with whatever is not plain as octal digits."""
    plain = re.compile(r"[ !#->@-\[\]-~]")  # not `?`: trigraphs
    return '"{}"'.format(
        "".join(
            chr(b) if plain.match(chr(b)) else f"\\{b:03o}"
            for b in text.encode("utf-8", "surrogatepass")
        )
    )


def c_elements(value: DenseIntOrFPElementsAttr, buffer: BufferType) -> list[str]:
    """The elements of a constant tensor as C initialisers.

    What a float holds is written as the double that it equals.
    """
    dtype = dtype_of(buffer)
    values = cast("Sequence[int | float]", value.get_values())
    if dtype == "float16":
        bits = [int.from_bytes(struct.pack("<e", v), "little") for v in values]
        return [f"0x{b:04x}" for b in bits]
    if dtype == "bfloat16":
        return [
            f"0x{b:04x}" for b in struct.unpack(f"<{len(values)}H", value.data.data)
        ]
    if dtype == "bool":
        return [c_number(bool(v)) for v in values]
    return [c_number(v) for v in values]


def kind_of(value: SSAValue) -> tuple[str, list[int] | None]:
    """Dtype and shape of a tensor; `int`, `float` or `bool` and None of a number."""
    if isinstance(value.type, MemRefType):
        return dtype_of(value.type), list(value.type.get_shape())
    if isinstance(value.type, d.NodeType):
        return "node", None
    return NUMBERS[value.type], None


def c_table(head: str, entries: Iterable[str]) -> list[str]:
    """`head = {entry, ...};`, one entry on a line; C has no empty ones."""
    lines = [f"{entry}," for entry in entries]
    return [f"{head} = {{", *indent(lines or ["0,"]), "};"]
