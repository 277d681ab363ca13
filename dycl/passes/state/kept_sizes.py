"""A `torch.Size` of dynamic sizes in the state: ints, of which each call makes one.

In a structure of the state it is a record of the class (`size_of_torch`), with an
argument for each int:

    #dycl.record<"torch.Size", "call", ["sizes"], [#dycl.tuple<[#dycl.leaf<1>]>]>

A network that runs keeps a tuple. So where one call leaves a size and another a tuple
of as many ints, the next call could not tell which it is given (`confused`).
"""

from collections.abc import Iterator, Sequence
from typing import cast

from dycl.analysis.tensors.abstract import (
    children,
    is_container,
    is_size,
    kind_of,
    sizes_of,
)
from dycl.ir.library_objects import TORCH_SIZE
from dycl.ir.records import Record


def from_structure(value: object) -> object:
    """A structure with sizes of torch's where it has records of them."""
    if isinstance(value, Record) and value.type.name == TORCH_SIZE:
        return sizes_of(cast("tuple[object, ...]", value.items[0]))
    match value:
        case list():
            return [from_structure(part) for part in children(value)]
        case dict():
            entries = cast("dict[object, object]", value).items()
            return {key: from_structure(part) for key, part in entries}
        case tuple() if type(cast("object", value)) is tuple:
            return tuple(map(from_structure, children(cast("object", value))))
        case _:
            return value


def confused(row: Sequence[object], known: Sequence[Sequence[object]]) -> int | None:
    """Which item of a kind of state is a `torch.Size` in one place where another kind
    has a tuple of ints, or the other way round, that may equal it."""
    for other in known:
        for i, (one, two) in enumerate(zip(row, other, strict=True)):
            if any(_are_confused(*pair) for pair in _pairs(one, two)):
                return i
    return None


def _pairs(one: object, other: object) -> Iterator[tuple[object, object]]:
    """The parts of two values that stand in the same places, and they themselves."""
    yield one, other
    if is_container(one) and is_container(other):
        for pair in zip(children(one), children(other), strict=False):
            yield from _pairs(*pair)


def _are_confused(one: object, other: object) -> bool:
    if is_size(one) == is_size(other):
        return False
    size, pair = (one, other) if is_size(one) else (other, one)
    if type(pair) is not tuple:
        return False
    sizes = cast("tuple[object, ...]", size)
    items = cast("tuple[object, ...]", pair)
    return len(sizes) == len(items) and all(kind_of(item) == "int" for item in items)
