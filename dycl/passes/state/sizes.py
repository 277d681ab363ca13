"""Tensors in the state whose size differs between calls: `?`, as of an input.

A kind of state that differs from two others in sizes only stands for all such: a cache
that grows by a row in each call. A size that is dynamic when it is left is so at once.
The entry function names these sizes as it does those of inputs, by how the user reaches
the tensor (`self.cache[1].size(0)`):

    dycl.sizes = [#dycl.size<"self.cache.size(0)", 0, "self.cache" 0>]
"""

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue

from dycl.analysis.tensors.abstract import (
    ANY,
    Tensor,
    children,
    is_container,
    leaves,
    map_leaves,
    signature,
)
from dycl.analysis.tensors.joining import widened
from dycl.ir.functions import argument_names
from dycl.ir.input_sizes import SIZES, InputSize, sizes_attr, sizes_of
from dycl.ir.state import State
from dycl.ir.torch import DYNAMIC, VTensorType
from dycl.ir.values import LeafRef

_MOST = 2
"""Kinds that differ in sizes only, each with a body of its own."""

Row = list[object]
"""A kind of state: an abstract value for each variable."""


def is_taken(row: Row, known: Sequence[Row]) -> bool:
    """Whether a kind of state is one of these, or of sizes that one of them leaves
    open."""
    return any(_key(_joined(row, other)) == _key(other) for other in _alike(row, known))


def with_open_sizes(row: Row, known: Sequence[Row]) -> Row:
    """A new kind of state: where enough are known or one is open, of any size."""
    alike = _alike(row, known)
    if len(alike) < _MOST and not any(map(_is_open, (row, *alike))):
        return row
    for other in alike:
        if len(alike) >= _MOST or _is_open(other):
            row = _joined(row, other)
    return row


def open_name(state: State, argument: BlockArgument) -> str | None:
    """How the user reaches an argument that is state of dynamic size:
    `self.cache[1]`."""
    if not _open_dimensions(argument):
        return None
    for variable in state.variables:
        for given in variable.given:
            for place, leaf in _places(f"self.{variable.name}", given):
                if leaf == LeafRef(argument.index):
                    return place
    return None


def name_sizes(entry: FuncOp, state: State) -> None:
    """Name the sizes of state that are not named yet: `self.cache.size(0)`."""
    sizes = list(sizes_of(entry))
    named = {place for size in sizes for place in size.places}
    arguments = list(zip(argument_names(entry), entry.body.block.args, strict=True))
    for name, argument in arguments[state.inputs :]:
        for d in _open_dimensions(argument):
            if (name, d) not in named:
                sizes.append(InputSize(f"{name}.size({d})", 0, None, ((name, d),)))
    if sizes:
        entry.attributes[SIZES] = sizes_attr(sizes)


def _places(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Every leaf of a value, and how the user reaches it."""
    if not is_container(value):
        yield name, value
        return
    parts = children(value)
    keys = cast("dict[object, object]", value) if isinstance(value, dict) else None
    for key, part in zip(keys or range(len(parts)), parts, strict=True):
        yield from _places(f"{name}[{key!r}]", part)


def _open_dimensions(argument: SSAValue) -> list[int]:
    found = argument.type
    sizes = found.sizes() if isinstance(found, VTensorType) else None
    return [d for d, size in enumerate(sizes or ()) if size == DYNAMIC]


def _alike(row: Row, known: Sequence[Row]) -> list[Row]:
    """Those that differ in sizes at most."""
    return [other for other in known if _key(row, True) == _key(other, True)]


def _key(row: Row, sizes_apart: bool = False) -> object:
    def one(leaf: object) -> object:
        if sizes_apart and isinstance(leaf, Tensor):
            return Tensor.contiguous((ANY,) * len(leaf.shape), leaf.dtype)
        return leaf

    return signature(tuple(map_leaves(value, one) for value in row))


def _joined(row: Row, other: Row) -> Row:
    """A kind that takes both, which are alike."""
    others = iter([leaf for value in other for leaf in leaves(value)])

    def one(leaf: object) -> object:
        second = next(others)
        if not isinstance(leaf, Tensor):
            return leaf
        return widened(leaf, cast(Tensor, second), lambda _: ANY)

    return [map_leaves(value, one) for value in row]


def _is_open(row: Row) -> bool:
    found = (leaf for value in row for leaf in leaves(value))
    return any(isinstance(leaf, Tensor) and not leaf.is_static for leaf in found)
