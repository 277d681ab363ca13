"""`y[k] = v` and `y[a:b] = v` where an index, a bound or a size is the data's.

The elements that such a store changes are found by comparing each place with the
number, so a plan says along which dimensions that is done, of which part of `y`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dycl.analysis.dynamic_sizes.slices import is_ellipsis, is_number
from dycl.analysis.tensors.abstract import (
    Dim,
    Scalar,
    Tensor,
    children,
    kind_of,
    leaves,
)
from dycl.analysis.tracing.graph import Input
from dycl.ir.dtypes import dtype_name

Bound = int | Input | None
Size = int | Dim
Shape = tuple[Size, ...]


@dataclass(frozen=True)
class Place:
    """Where along one dimension of the part is stored."""

    dim: int
    whole: Size
    """The size of the dimension."""
    source: int
    """Which dimension of `y` it is, as errors say it."""
    index: int | Input | None = None
    """One place, or None: a slice."""
    start: Bound = None
    stop: Bound = None


@dataclass(frozen=True)
class Plan:
    """A store: into which known part of `y`, and where in it."""

    part: tuple[object, ...]
    """The subscript that gives the part: `:` where a number or a size is open."""
    shape: Shape
    """The shape of the part."""
    places: tuple[Place, ...]
    aligned: Shape | None
    """The shape that lays what is stored along the part; None: a number."""
    is_whole: bool
    """Whether the part is all of `y`."""


def plan(operands: Sequence[object], kind: str | None) -> Plan | str | None:
    """How to store, from the operands of a `dycl.update_subscript`.

    None: no number of the data's is in the subscript, and no size of the data's is in
    what is stored; or a tensor or list is in the subscript.
    A text: why it cannot be done. `Input`s count the leaves of the operands.
    """
    tensor, *path, value = operands
    items = _joined(path)
    if not isinstance(tensor, Tensor) or items is None:
        return None
    is_open = any(is_number(i) or _is_open_slice(i) for i in items)
    if not is_open and (not isinstance(value, Tensor) or value.is_static):
        return None
    used = sum(isinstance(i, (slice, int)) or is_number(i) for i in items)
    if used > len(tensor.shape):
        return "too many indices"
    if kind in ("floordiv", "mod") and "int" in dtype_name(tensor.dtype):
        return f"`{_SIGN[kind]}=` of integers at a data-dependent index"
    walk = _Walk(tensor, used)
    for item in items:
        if (error := walk.item(item)) is not None:
            return error
    walk.rest()
    is_whole = all(i == slice(None) for i in walk.part)
    part, shape = tuple(walk.part), tuple(walk.shape)
    if not isinstance(value, Tensor):
        is_known = kind_of(value) is not None
        return (
            Plan(part, shape, tuple(walk.places), None, is_whole) if is_known else None
        )
    aligned = walk.aligned(value.shape)
    if aligned is None:
        return (
            f"what is stored, of shape {_text(value.shape)}, does not fit where it is "
            "stored"
        )
    if not walk.places:
        return None
    return Plan(part, shape, tuple(walk.places), aligned, is_whole)


def _text(shape: Shape) -> list[object]:
    return ["?" if isinstance(size, Dim) else size for size in shape]


def _joined(path: Sequence[object]) -> list[object] | None:
    """The subscript that does what several in a row do: `y[k][1:]` is `y[k, 1:]`."""
    items: list[object] = []
    for number, index in enumerate(path):
        given = list(cast("Any", index)) if type(index) is tuple else [index]
        selects = all(type(i) is int or is_number(i) for i in given)
        if not selects and number < len(path) - 1:
            return None
        items += given
    basic = all(
        type(i) is int
        or i is None
        or is_number(i)
        or is_ellipsis(i)
        or (isinstance(i, slice) and _is_plain(i))
        for i in items
    )
    return items if basic and sum(map(is_ellipsis, items)) < 2 else None


def _is_plain(item: object) -> bool:
    """Whether the bounds of a slice are ints, known or not."""
    return all(
        part is None or kind_of(part) == "int" for part in children(cast("Any", item))
    )


def _is_open_slice(item: object) -> bool:
    return isinstance(item, slice) and any(
        isinstance(part, Scalar) for part in children(cast("Any", item))
    )


class _Walk:
    """A subscript, item by item: the part of the tensor, and the places in it."""

    def __init__(self, tensor: Tensor, used: int):
        self.tensor = tensor
        self.used = used
        """How many dimensions of the tensor the subscript names."""
        self.part: list[object] = []
        self.shape: list[Size] = []
        self.places: list[Place] = []
        self.kept: list[tuple[int, int]] = []
        """What is stored along: dimensions of the part, and of the tensor (or -1)."""
        self._source = 0
        self._numbers: Iterator[int] = iter(range(1, 1_000_000))

    def item(self, item: object) -> str | None:
        """Take one item of the subscript; why it cannot be done, or None."""
        given = [next(self._numbers) for _ in leaves(item)]
        if is_ellipsis(item):
            for _ in range(len(self.tensor.shape) - self.used):
                self._take(slice(None), is_kept=True)
            return None
        if item is None and not self.tensor.is_static:
            return "a store with a new dimension into a tensor of data-dependent size"
        if item is None:
            self.kept.append((len(self.shape), -1))
            self.part.append(None)
            self.shape.append(1)
            return None
        size = self.tensor.shape[self._source]
        if is_number(item):
            self._place(index=Input(given[0]))
        elif isinstance(item, slice):
            bounds = [
                Input(number) if isinstance(bound, Scalar) else cast("Bound", bound)
                for number, bound in zip(
                    given, children(cast("Any", item)), strict=True
                )
            ]
            return self._slice(cast("object", item), *bounds)
        elif isinstance(size, int) and not -size <= cast(int, item) < size:
            return (
                f"index {item} is out of bounds for dimension {self._source} with size "
                f"{size}"
            )
        elif not self.tensor.is_static:
            self._place(index=cast(int, item))
        else:
            self.part.append(item)
            self._source += 1
        return None

    def rest(self) -> None:
        """The dimensions that the subscript does not name."""
        while self._source < len(self.tensor.shape):
            self._take(None, is_kept=True)

    def aligned(self, value: Shape) -> Shape | None:
        """The shape of what is stored beside the part, with 1 where it is the same.

        In a place any size may turn out to fit, and a dimension becomes a place where
        only a run knows that. None: it cannot fit.
        """
        sizes = list(value)
        while len(sizes) > len(self.kept) and sizes[0] == 1:
            del sizes[0]
        if len(sizes) > len(self.kept):
            return None
        result: list[Size] = [1] * len(self.shape)
        placed = {place.dim for place in self.places}
        kept = self.kept[len(self.kept) - len(sizes) :]
        for (dim, source), size in zip(kept, sizes, strict=True):
            whole = self.shape[dim]
            if size not in (1, whole) and dim not in placed:
                if isinstance(size, int) and isinstance(whole, int):
                    return None
                if source < 0:
                    return None
                self.places.append(Place(dim, whole, source))
            result[dim] = size
        return tuple(result)

    def _slice(
        self, item: object, start: Bound, stop: Bound, step: Bound
    ) -> str | None:
        size = self.tensor.shape[self._source]
        is_open = isinstance(start, Input) or isinstance(stop, Input)
        if start in (None, 0) and stop is None and step in (None, 1):
            self._take(slice(None), is_kept=True)
        elif isinstance(size, int) and not is_open and not isinstance(step, Input):
            length = len(range(*slice(start, stop, step).indices(size)))
            self._take(item, is_kept=True, length=length)
        elif step not in (None, 1):
            return "a store with a step and data-dependent bounds"
        else:
            self._place(is_kept=True, start=start, stop=stop)
        return None

    def _place(self, is_kept: bool = False, **where: Any) -> None:
        whole = self.tensor.shape[self._source]
        self.places.append(Place(len(self.shape), whole, self._source, **where))
        self._take(slice(None), is_kept)

    def _take(self, item: object, is_kept: bool, length: int | None = None) -> None:
        """The tensor's next dimension is one of the part, by this item (None: none)."""
        if is_kept:
            self.kept.append((len(self.shape), self._source))
        size = self.tensor.shape[self._source]
        self.shape.append(size if length is None else length)
        if item is not None:
            self.part.append(item)
        self._source += 1


_SIGN = {"floordiv": "//", "mod": "%"}
