"""What a network with rows is called with: arrays that can be cut into rows.

Most calls give arrays that are right as they are; others are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import (
    InputError,
    InputSpec,
    array_of,
    counted_inputs,
    is_torch_tensor,
    kind_of,
    plain_array,
)
from dycl.runtime.open_shapes import OpenShapes, shape_text
from dycl.runtime.trees import NODE


class Fit(NamedTuple):
    """What an input with rows is at once."""

    dtype: np.dtype[Any]
    shape: tuple[Any, ...]
    """Of a row, without the dimension of rows."""


def fits_of(specs: Sequence[InputSpec], inputs: Sequence[int]) -> tuple[Fit, ...]:
    """Of all inputs; none, if one has no rows, or is a tree."""
    if len(inputs) < len(specs) or any(spec.dtype == NODE for spec in specs):
        return ()
    return tuple(
        Fit(numpy_dtype(spec.dtype), tuple(spec.shape or ())[1:]) for spec in specs
    )


def arrays_at_once(
    fits: Sequence[Fit], args: tuple[object, ...]
) -> tuple[list[Array], int, bool] | None:
    """Arguments as arrays, how many rows they have, and whether one is torch's.

    None: one is no array or tensor that can be cut into rows as it is, or has no rows.
    """
    arrays: list[Array] = []
    saw_torch, count = False, 0
    for (dtype, shape), value in zip(fits, args):
        array: Any = value
        if type(value) is not np.ndarray:
            if not is_torch_tensor(value):
                return None
            array, saw_torch = plain_array(value), True
            if array is None:
                return None
        sizes = array.shape
        if array.dtype != dtype or sizes[1:] != shape or not array.flags.carray:
            return None
        if not arrays:
            count = sizes[0]
        elif count != sizes[0]:
            return None
        arrays.append(array)
    return (arrays, count, saw_torch) if count else None


def one_row(
    spec: InputSpec,
    value: object,
    sizes: OpenShapes,
    known: dict[str, tuple[int, str]],
    what: str = "input",
) -> Array:
    """A copy of what one row has for an input that has rows.

    InputError: it does not fit. `known` is what each name of a size stands for in this
    row; it is added to.
    """
    array = np.array(array_of(spec, value))
    shape = (1, *(spec.shape or ())[1:])
    why = sizes.why_unfit(spec.name, shape, array.shape, known)
    if array.dtype != numpy_dtype(spec.dtype):
        why = f"has dtype {array.dtype.name}"
    if why is not None:
        raise InputError(
            f"the {what} `{spec.name}` {why}: not one row, "
            f"{spec.dtype}{shape_text(shape)}{sizes.words(shape)}"
        )
    return array


def count_at_once(inputs: Sequence[int], args: tuple[object, ...]) -> int:
    """How many rows there are, if each of these arguments is an array or tensor that
    has as many; else 0."""
    count = -1
    for index in inputs:
        value: Any = args[index]
        if not isinstance(value, np.ndarray) and not is_torch_tensor(value):
            return 0
        shape = value.shape
        if not shape or count not in (-1, shape[0]):
            return 0
        count = shape[0]
    return count


def in_order(
    names: Sequence[str], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> tuple[object, ...]:
    """Arguments by position. InputError: they are not those of the network."""
    given = list(args)
    if unknown := [name for name in kwargs if name not in names]:
        inputs = counted_inputs(tuple(names))
        raise InputError(f"the network has no input `{unknown[0]}`; it takes {inputs}")
    for name in names[len(args) :]:
        if name not in kwargs:
            raise InputError(f"the input `{name}` is missing")
        given.append(kwargs[name])
    if len(given) > len(names) or len(args) + len(kwargs) > len(names):
        raise InputError(f"the network takes {len(names)} inputs: {', '.join(names)}")
    return tuple(given)


def alike(shapes: Iterable[Hashable], *, in_order: bool = False) -> list[list[int]]:
    """The places of rows, parted so that a part's are of the same shapes; if rows go
    in their order, a part's are next to each other."""
    parts: list[list[int]] = []
    open_parts: dict[Hashable, list[int]] = {}
    for place, shape in enumerate(shapes):
        if shape not in open_parts:
            if in_order:
                open_parts.clear()
            open_parts[shape] = []
            parts.append(open_parts[shape])
        open_parts[shape].append(place)
    return parts


def part_of_input(value: Any, row: int) -> Any:
    """What one row has of an input with rows: the same with one row, or its tree."""
    return value[row] if type(value) is list else value[row : row + 1]


def given_rows(inputs: Sequence[int], args: tuple[object, ...]) -> int:
    """As `count_at_once`, where inputs may be lists of trees as well."""
    lists = [cast("list[object]", a) for a in args if type(a) is list]
    if not lists:
        return count_at_once(inputs, args)
    rows = [args[index] for index in inputs]
    others = [place for place, one in enumerate(rows) if type(one) is not list]
    counts = {len(one) for one in rows if type(one) is list}
    if others:
        counts.add(count_at_once(others, tuple(rows)))
    return counts.pop() if len(counts) == 1 else 0


def is_plain(value: object) -> bool:
    """Whether a value is an array of a dtype that NumPy itself has."""
    return isinstance(value, np.ndarray) and value.dtype.isbuiltin == 1


def count_of(specs: Sequence[InputSpec], values: Sequence[object]) -> int:
    """How many rows there are. InputError: inputs have different numbers, or rows are
    of another shape."""
    counts: list[int] = []
    for spec, value in zip(specs, values):
        if spec.dtype == NODE:
            counts.append(_count_of_trees(spec, value))
        else:
            counts.append(_count_in_array(spec, value))
        if counts[0] != counts[-1]:
            raise InputError(
                f"the input `{spec.name}` has {counts[-1]} rows, and "
                f"`{specs[0].name}` has {counts[0]}"
            )
        if counts[0] and spec.dtype != NODE:
            _check_shape(spec, array_of(spec, value))
    return counts[0]


def _count_of_trees(spec: InputSpec, value: object) -> int:
    """InputError: this is no list of trees."""
    if type(value) is not list:
        raise InputError(
            f"the input `{spec.name}` is {kind_of(value)}; it has rows, given as a "
            "list with the root of each"
        )
    return len(cast("list[object]", value))


def _count_in_array(spec: InputSpec, value: object) -> int:
    """InputError: this is no array with rows."""
    array = cast(Array, value)
    if not isinstance(value, np.ndarray):
        array = array_of(spec, value)  # which raises, with the reason
    if array.ndim == 0:
        raise InputError(f"the input `{spec.name}` has no dimension of rows")
    return array.shape[0]


def _check_shape(spec: InputSpec, array: Array) -> None:
    """InputError: rows have another shape than those of the network."""
    sizes, wanted = array.shape, spec.shape or ()
    pairs = zip(sizes[1:], wanted[1:])
    if len(sizes) != len(wanted) or any(
        isinstance(fixed, int) and size != fixed for size, fixed in pairs
    ):
        raise InputError(
            f"the input `{spec.name}` has shape {list(sizes)}; "
            f"the network was compiled for {spec}"
        )


def check_no_rows(specs: Sequence[InputSpec], values: Sequence[object]) -> None:
    """InputError: arrays without a row are not of rows of these inputs."""
    for spec, value in zip(specs, values):
        if spec.dtype == NODE:
            continue
        array = cast(Array, value)
        is_row = spec.takes((1, *array.shape[1:]))
        if not is_row or array.dtype != numpy_dtype(spec.dtype):
            found = f"{array.dtype.name}{list(array.shape)}"
            raise InputError(f"the input `{spec.name}` is {found}, not {spec}")
