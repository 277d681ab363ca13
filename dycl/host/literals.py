"""Python text for constants, and for what a host function returns."""

import base64
import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, i1
from xdsl.ir import Attribute

from dycl.ir.datatypes import NodeType
from dycl.ir.host.layouts import memory_shape
from dycl.ir.host.memories import memory_of
from dycl.ir.host.types import NUMBERS, BufferType, dtype_of
from dycl.ir.library_objects import TORCH_SIZE
from dycl.ir.records import Record
from dycl.ir.state import kept_as_text
from dycl.ir.values import DeviceRef, GlobalRef, LeafRef, ObjectRef, ParamRef

WIDTH = 88
_MOST_INLINE = 64
"""Constant tensors with more elements are printed as base64."""


def literal(value: object) -> str:
    """A constant as an atom of Python text.

    ValueError: it is not plain data (None, bool, int, float, str, tuple, list, dict,
    records).
    """
    return structure(value, _no_leaf)


def structure(value: object, leaf: Callable[[int], str]) -> str:
    """Python text that builds `value`; `leaf(i)` is the text of the i-th leaf."""
    match value:
        case LeafRef(index):
            return leaf(index)
        case tuple():
            items = [structure(v, leaf) for v in cast(tuple[object, ...], value)]
            return tuple_text(items)
        case list():
            items = [structure(v, leaf) for v in cast(list[object], value)]
            return f"[{', '.join(items)}]"
        case Record(kind, fields):
            items = tuple_text([structure(v, leaf) for v in fields])
            names = tuple_text([quoted(name) for name in kind.fields])
            head = f"{quoted(kind.name)}, {quoted(kind.kind)}"
            return f"rt.record({head}, {names}, {items})"
        case dict():
            entries = cast(dict[object, object], value).items()
            items = [f"{literal(k)}: {structure(v, leaf)}" for k, v in entries]
            return "{" + ", ".join(items) + "}"
        case GlobalRef() | DeviceRef():
            return f"rt.named({quoted(named(value))})"
        case bool() | None:
            return str(value)
        case str():
            return quoted(value)
        case int() | float():
            return _number(value)
        case _:
            raise ValueError(f"{value!r} is not plain data")


def named(value: GlobalRef | DeviceRef) -> str:
    """What `dycl.runtime.records.named` finds it by."""
    if isinstance(value, DeviceRef):
        return f"torch.device:{value.device}"
    return value.name


def pattern(value: object) -> tuple[str, list[str | int]]:
    """Python text in which `...` stands for each tensor, and which tensors these are.

    A tensor is a `LeafRef` or a `ParamRef`. What is no plain data is None.
    """
    places: list[str | int] = []

    def one(found: object) -> object:
        match found:
            case LeafRef(index):
                places.append(index)
                return LeafRef(0)
            case ParamRef(path=path):
                places.append(path)
                return LeafRef(0)
            case tuple() | list():
                items = [one(v) for v in cast("list[object]", found)]
                return tuple(items) if isinstance(found, tuple) else items
            case dict():
                entries = cast("dict[object, object]", found).items()
                return {key: one(item) for key, item in entries}
            case None | bool() | int() | float() | str():
                return found
            case ObjectRef():
                return kept_as_text(found)
            case Record() if found.type.name == TORCH_SIZE:
                return one(found.items[0])  # It is kept as a tuple.
            case _:
                return None

    return structure(one(value), lambda _: "..."), places


def tuple_text(items: Sequence[str]) -> str:
    """`(a, b)`, `(a,)`, `()`."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def quoted(text: str) -> str:
    """A string literal in double quotes, ASCII only."""
    body = ascii(text)
    if body[0] == "'" and '"' not in body:
        return f'"{body[1:-1]}"'
    return body


def memory_text(value_type: Attribute) -> list[str]:
    """The memory of a buffer as the last argument of a call; []: the processor's."""
    memory = memory_of(value_type)
    return [quoted(memory)] if memory else []


def tensor(value: DenseIntOrFPElementsAttr, memory: str = "") -> str:
    """The call on `rt` that makes a constant tensor, in a memory."""
    shape = tuple(value.get_shape())
    buffer: BufferType = MemRefType(value.get_element_type(), shape)
    head = f"{quoted(dtype_of(buffer))}, {literal(shape)}"
    is_bool = buffer.element_type == i1
    values = [bool(v) if is_bool else v for v in value.get_values()]
    where = f", {quoted(memory)}" if memory else ""
    if not values:
        return f"rt.buffer({head}{where})"
    if len({repr(v) for v in values}) == 1:  # not `==`: 0.0 == -0.0
        values = values[:1]
    if len(values) <= _MOST_INLINE:
        return f"rt.constant({head}, {literal(values)}{where})"
    # xDSL keeps elements in little-endian order, but a bool as any nonzero byte.
    data = bytes(cast(Any, values)) if is_bool else value.data.data
    text = quoted(base64.b64encode(data).decode())
    return f"rt.packed({head}, {text}{where})"


def wrapped(start: str, arguments: Sequence[str]) -> list[str]:
    """`start(arguments)` as one line, or as several where it would be too long."""
    line = f"{start}({', '.join(arguments)})"
    if len(line) <= WIDTH - 4:
        return [line]
    lines = [f"{start}("]
    for argument in arguments:
        if argument.startswith(('"', "'")):
            lines.append(f"    {argument},")
            continue
        lines += textwrap.wrap(
            f"{argument},",
            WIDTH - 4,
            initial_indent="    ",
            subsequent_indent="     ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return [*lines, ")"]


def _no_leaf(index: int) -> str:
    raise ValueError(f"leaf {index} in a constant")


def _number(value: float) -> str:
    """Negative numbers in parentheses: `(-2) ** 2` is not `-2 ** 2`."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def kind_and_shape(value_type: Attribute) -> tuple[str, tuple[int, ...] | None]:
    """`"float32", (1, 3)` for a buffer, `"int", None` for a number."""
    if isinstance(value_type, MemRefType):
        return dtype_of(value_type), memory_shape(value_type)
    if isinstance(value_type, NodeType):
        return "node", None
    return NUMBERS[value_type], None
