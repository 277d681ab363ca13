"""Calls of a network with rows, as calls for one row each.

net(x [3,8])   ->   x[0:1], x[1:2], x[2:3], each with its part of the result
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dycl.checking.program import CheckError, Net
from dycl.checking.runs import Outcome
from dycl.runtime import Decision, InputError
from dycl.runtime.row_inputs import given_rows, part_of_input


@dataclass(frozen=True)
class Call:
    """The arguments of a call for one row, or of a network without rows."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Outcome | None = None
    """What a call with other rows gives for this one; None: it is called alone."""
    path: tuple[Decision, ...] = ()
    """What it decides there."""
    name: str = ""
    """Which row it is, of which call; "": there is one."""


def calls_for(
    net: Net, calls: Sequence[Sequence[Any]], kwargs: Mapping[str, Any]
) -> list[Call]:
    """The calls for one row that each of these calls is, by their names.

    CheckError: one has no row. InputError: arguments do not fit.
    """
    result: list[Call] = []
    for number, args in enumerate(calls, 1):
        parts = calls_of_rows(net, tuple(args), kwargs)
        call = [f"call {number}"] if len(calls) > 1 else []
        for place, part in enumerate(parts):
            row = [f"row {place}"] if len(parts) > 1 else []
            result.append(replace(part, name=", ".join(call + row)))
    return result


def calls_of_rows(
    net: Net, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[Call]:
    """A call for each row; the call as it is, if it has one row or the network none.

    CheckError: there is no row. InputError: arguments do not fit.
    """
    rows: Any = getattr(net, "rows", None)
    if rows is None:
        return [Call(args, dict(kwargs))]
    given: tuple[Any, ...] = rows.inputs_of(args, kwargs)
    inputs: Sequence[int] = rows.form["inputs"]
    count = given_rows(inputs, given)
    if count == 0:
        if all(_has_no_row(given[index]) for index in inputs):
            raise CheckError("there is no row to compare: give one or more")
        return [Call(*rows.call_of(given))]  # The network itself says what is wrong.
    alone = [
        Call(
            *rows.call_of(
                [
                    part_of_input(value, row) if index in inputs else value
                    for index, value in enumerate(given)
                ]
            )
        )
        for row in range(count)
    ]
    # A state, or effects, may be changed by each call.
    if count == 1 or not rows.is_grouped:
        return alone
    try:
        results = rows.split(net(*args, **kwargs), count)
    except InputError:
        raise
    except Exception:  # It is that of a row, which raises it alone as well.
        return alone
    paths: Sequence[tuple[Decision, ...]] = rows.paths
    return [
        replace(one, result=Outcome(result), path=path)
        for one, result, path in zip(alone, results, paths, strict=True)
    ]


def _has_no_row(value: Any) -> bool:
    if type(value) is list:
        return not value
    shape = getattr(value, "shape", ())
    return len(shape) > 0 and shape[0] == 0
