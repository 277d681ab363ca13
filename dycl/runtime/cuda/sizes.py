"""Sizes of a kernel that a call decides: the steps by which they are computed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Step = tuple[Any, ...]
"""An operation, and what it is of: `number` has a constant; `dim` an argument and its
dimension; `argument` an argument; the others earlier steps, by index."""


@dataclass(frozen=True)
class OpenSizes:
    """What a call computes for a kernel: steps, to which all else is an index."""

    steps: tuple[Step, ...]
    results: tuple[tuple[int, ...], ...]
    """The shape of each result."""
    temporaries: tuple[int, ...]
    """Bytes of each."""
    blocks: tuple[int, ...]
    """Of each function; one with none is not launched."""
    numbers: tuple[int, ...]
    """What functions are given, behind the temporaries."""
    equal: tuple[tuple[int, int], ...]
    """What has to be equal."""
    counts: tuple[int, ...]
    """Elements of tensors, which have numbers of 31 bits."""


MOST_ELEMENTS: Final = 2**31 - 1
_OPERATIONS: Final[Mapping[str, Callable[..., int]]] = {
    "+": operator.add,
    "*": operator.mul,
    "//": lambda a, b: a // b if b else 0,  # of no elements, which nobody asks for
    "quotient": lambda a, b: abs(a) // abs(b) * (-1 if a * b < 0 else 1) if b else 0,
    "min": min,
    "max": max,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
    "select": lambda condition, yes, no: yes if condition else no,
}


def values_of(steps: Sequence[Step], arguments: Sequence[Any]) -> list[Any]:
    """What each step gives for these arguments, tensors with `dim` among them.

    None stands for a number that is not known, and for what is computed of it.
    """
    values: list[Any] = []
    for operation, *of in steps:
        if operation == "number":
            values.append(of[0])
        elif operation == "dim":
            values.append(arguments[of[0]].dim(of[1]))
        elif operation == "argument":
            value = arguments[of[0]]
            values.append(None if value is None else int(value))
        else:
            given = [values[i] for i in of]
            is_known = None not in given
            values.append(int(_OPERATIONS[operation](*given)) if is_known else None)
    return values


def needed(open_: OpenSizes) -> set[int]:
    """The steps that a launch needs."""
    found = {*open_.temporaries, *open_.blocks, *open_.numbers, *open_.counts}
    found |= {step for dims in open_.results for step in dims}
    return found | {step for pair in open_.equal for step in pair}


def open_sizes(entry: Mapping[str, Any] | None) -> OpenSizes | None:
    """What an artifact has of it."""
    if entry is None:
        return None
    return OpenSizes(
        tuple(map(tuple, entry["steps"])),
        tuple(map(tuple, entry["results"])),
        *(tuple(entry[name]) for name in ("temporaries", "blocks", "numbers")),
        equal=tuple((a, b) for a, b in entry["equal"]),
        counts=tuple(entry["counts"]),
    )


def misfit(open_: OpenSizes, values: Sequence[int]) -> str:
    """Why these sizes do not go together, or ""."""
    for a, b in open_.equal:
        if values[a] != values[b]:
            return (
                f"it was given sizes of {values[a]} and {values[b]} for one dimension"
            )
    if any(values[i] > MOST_ELEMENTS for i in open_.counts):
        return "a tensor has 2^31 elements or more"
    return ""


def shapes_of(open_: OpenSizes, values: Sequence[int]) -> list[tuple[int, ...]]:
    """The shapes of the results."""
    return [tuple(values[i] for i in dims) for dims in open_.results]
