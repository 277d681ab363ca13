"""What is known of a value that is one or the other, where paths meet."""

from collections.abc import Callable
from typing import cast

from dycl.analysis.tensors.abstract import (
    ANY,
    ITEMS,
    Bound,
    Dim,
    Node,
    OpenSizes,
    Pending,
    Scalar,
    Sequence,
    Tensor,
    Unbound,
    Unjoined,
    Unknown,
    is_container,
    is_open,
    kind_of,
    name,
    signature,
)
from dycl.ir.records import Record


def join(first: object, second: object) -> object:
    """What is known of a value that is one or the other."""
    match first, second:
        case ((Unbound() | Pending()), _):
            return second
        case _, (Unbound() | Pending()):
            return first
        case Tensor(), Tensor() if _fits(first, second):
            if first == second:
                return first
            return Tensor.contiguous(first.shape, first.dtype)
        case Sequence(one), Sequence(other):
            return _join_sequences(one, other)
        case _:
            return _join_python(first, second)


def _fits(first: Tensor, second: Tensor) -> bool:
    return (first.shape, first.dtype) == (second.shape, second.dtype)


def _join_sequences(
    one: "Tensor | Scalar | Sequence | Node | None", other: object
) -> object:
    if one is None or other is None:
        return Sequence(one or cast("Tensor | Scalar | Sequence | Node | None", other))
    element = join(one, other)
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        element = widened(one, other, lambda _: ANY) or element
    if isinstance(element, ITEMS):
        return Sequence(element)
    return Unknown(f"one list has {name(one)} for an item, the other {name(other)}")


def widened(
    one: Tensor, other: Tensor, dynamic_size: Callable[[int], Dim]
) -> Tensor | None:
    """A tensor that is one or the other, of dynamic size where they differ.

    None: they differ in dtype or rank.
    """
    if one.dtype != other.dtype or len(one.shape) != len(other.shape):
        return None
    if one == other:
        return one
    pairs = enumerate(zip(one.shape, other.shape, strict=True))
    shape = tuple(a if a == b else dynamic_size(d) for d, (a, b) in pairs)
    return Tensor.contiguous(shape, one.dtype)


def _join_python(first: object, second: object) -> object:
    kind = kind_of(first)
    if kind is not None and kind == kind_of(second):
        return first if signature(first) == signature(second) else Scalar(kind)
    if is_container(first) and is_container(second):
        # The two sides' lists are two objects, and either may still be changed.
        if type(first) is type(second) and type(first) in (tuple, OpenSizes):
            ones = cast("tuple[object, ...]", first)
            others = cast("tuple[object, ...]", second)
            if len(ones) == len(others):
                joined = map(join, ones, others)
                return tuple(joined) if type(first) is tuple else OpenSizes(joined)
        if _are_of_one_class(first, second):
            ones, others = cast(Record, first), cast(Record, second)
            return Record(ones.type, tuple(map(join, ones.items, others.items)))
        return _unjoined(first, second)
    if isinstance(first, (Bound, Unknown)):
        return _unjoined(first, second)
    if signature(first) == signature(second):
        return first
    return _unjoined(first, second)


def _are_of_one_class(first: object, second: object) -> bool:
    if not isinstance(first, Record) or not isinstance(second, Record):
        return False
    return first.type == second.type


def _unjoined(first: object, second: object) -> Unknown:
    if is_open(first) or is_open(second):
        return Unknown()
    one, other = name(first), name(second)
    if one == other:
        other = "another one"
    return Unjoined(f"one side gives {one}, the other {other}")
