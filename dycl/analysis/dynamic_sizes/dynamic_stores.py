"""`y[k] = v` and `y[a:b] = v` where an index or a bound is a number of the data's.

The elements that such a store changes are found by comparing each place with the
number, so a plan says along which dimensions that is done, of which part of `y`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dycl.analysis.dynamic_sizes.slices import is_ellipsis, is_number
from dycl.analysis.tensors.abstract import Scalar, Tensor, children, kind_of, leaves
from dycl.analysis.tracing.graph import Input
from dycl.ir.dtypes import dtype_name

Bound = int | Input | None


@dataclass(frozen=True)
class Place:
    """Where along one dimension of the part is stored."""

    dim: int
    whole: int
    """The size of the dimension."""
    source: int
    """Which dimension of `y` it is, as errors say it."""
    index: Input | None = None
    """One place, or None: a slice."""
    start: Bound = None
    stop: Bound = None


@dataclass(frozen=True)
class Plan:
    """A store: into which known part of `y`, and where in it."""

    part: tuple[object, ...]
    """The subscript that gives the part: `:` where a number is open."""
    shape: tuple[int, ...]
    """The shape of the part."""
    places: tuple[Place, ...]
    aligned: tuple[int, ...] | None
    """The shape that lays what is stored along the part; None: a number."""


def plan(operands: Sequence[object], kind: str | None) -> Plan | str | None:
    """How to store, from the operands of a `dycl.update_subscript`.

    None: no number of the data's is in the subscript, or a tensor or list is.
    A text: why it cannot be done. `Input`s count the leaves of the operands.
    """
    tensor, *path, value = operands
    items = _joined(path)
    if not isinstance(tensor, Tensor) or items is None:
        return None
    opens = [i for i in items if is_number(i) or _is_open_slice(i)]
    if not opens:
        return None
    used = sum(isinstance(i, (slice, int)) or is_number(i) for i in items)
    if not tensor.is_static:
        return "a store at a data-dependent index into a tensor of data-dependent size"
    if used > len(tensor.shape):
        return "too many indices"
    if kind in ("floordiv", "mod") and "int" in dtype_name(tensor.dtype):
        return f"`{_SIGN[kind]}=` of integers at a data-dependent index"
    result = _walk(tensor, items, used)
    if isinstance(result, str):
        return result
    part, places, kept, shape = result
    if kind_of(value) is not None:
        return Plan(part, shape, places, None)
    if not isinstance(value, Tensor):
        return None
    if not value.is_static:
        return "what is stored has a size that the input decides"
    aligned = _aligned(value.sizes, shape, kept, {p.dim for p in places})
    if aligned is None:
        return (
            f"what is stored, of shape {list(value.sizes)}, does not fit where it is "
            "stored"
        )
    return Plan(part, shape, places, aligned)


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


_Found = tuple[tuple[object, ...], tuple[Place, ...], list[int], tuple[int, ...]]


def _walk(tensor: Tensor, items: list[object], used: int) -> _Found | str:
    """The known part; the places in it; the dimensions that are stored along."""
    numbers: Iterator[int] = iter(range(1, 1_000_000))
    part: list[object] = []
    places: list[Place] = []
    kept: list[int] = []
    shape: list[int] = []
    source = 0
    for item in items:
        given = [next(numbers) for _ in leaves(item)]
        dim = len(shape)
        if is_ellipsis(item):
            skipped = len(tensor.shape) - used
            kept += range(dim, dim + skipped)
            shape += tensor.sizes[source : source + skipped]
            part += [slice(None)] * skipped
            source += skipped
            continue
        if item is None:
            kept.append(dim)
            shape.append(1)
            part.append(None)
            continue
        size = tensor.sizes[source]
        if is_number(item):
            places.append(Place(dim, size, source, Input(given[0])))
            shape.append(size)
            part.append(slice(None))
        elif type(item) is int:
            if not -size <= item < size:
                return (
                    f"index {item} is out of bounds for dimension {source} with size "
                    f"{size}"
                )
            part.append(item)
        elif _is_open_slice(item):
            start, stop, step = (
                Input(number) if isinstance(bound, Scalar) else bound
                for number, bound in zip(given, children(item), strict=True)
            )
            if step not in (None, 1):
                return "a store with a step and data-dependent bounds"
            place = Place(
                dim, size, source, None, cast("Bound", start), cast("Bound", stop)
            )
            places.append(place)
            kept.append(dim)
            shape.append(size)
            part.append(slice(None))
        else:
            assert isinstance(item, slice)
            kept.append(dim)
            shape.append(len(range(*cast("Any", item).indices(size))))
            part.append(cast("object", item))
        source += 1
    kept += range(len(shape), len(shape) + len(tensor.shape) - source)
    shape += tensor.sizes[source:]
    return tuple(part), tuple(places), kept, tuple(shape)


def _aligned(
    value: tuple[int, ...], shape: tuple[int, ...], kept: list[int], free: set[int]
) -> tuple[int, ...] | None:
    """The shape of what is stored beside the part, with 1 where it is the same.

    Along the dimensions in `free` any size may turn out to fit. None: it cannot fit.
    """
    sizes = list(value)
    while len(sizes) > len(kept) and sizes[0] == 1:
        del sizes[0]
    if len(sizes) > len(kept):
        return None
    result = [1] * len(shape)
    for dim, size in zip(kept[len(kept) - len(sizes) :], sizes, strict=True):
        if size != 1 and size != shape[dim] and dim not in free:
            return None
        result[dim] = size
    return tuple(result)


_SIGN = {"floordiv": "//", "mod": "%"}
