"""Lists and dicts of the caller's that a run changes, on their way to the caller.

`dycl-return-lists` makes each return of the entry function give `(output, list)`, where
`output` may be such a pair itself; its attribute `dycl.refilled` has the names by which
the user reaches the lists, that of the innermost pair first. `dycl-return-inputs` makes
them variables of the state (`dycl.ir.state`), and what is an argument a `Given`.
"""

from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation

from dycl.ir.records import DATACLASS, Record, RecordType

REFILLED = "dycl.refilled"
"""The attribute of the entry function."""

_GIVEN = RecordType("dycl.runtime.refilled.Given", DATACLASS, ("what",))


def refilled_by(entry: Operation) -> list[str]:
    """How the user reaches the lists and dicts that a run returns, in order."""
    names = entry.attributes.get(REFILLED)
    if not isinstance(names, ArrayAttr):
        return []
    return [name.data for name in cast("ArrayAttr[StringAttr]", names)]


def given(what: int | str) -> Record:
    """What stands for an argument: an input's place, or the name of a list or dict."""
    return Record(_GIVEN, (what,))


def input_given(value: Any) -> int | None:
    """The place of the input that a value of a run stands for; None: for none."""
    cls = type(value)
    is_given = f"{cls.__module__}.{cls.__qualname__}" == _GIVEN.name
    return value.what if is_given and isinstance(value.what, int) else None


def taken_apart(value: object, names: list[str]) -> tuple[object, dict[str, object]]:
    """The output in what a run returned, and what each list is to hold."""
    lists: dict[str, object] = {}
    for name in reversed(names):
        value, lists[name] = cast("tuple[object, object]", value)
    return value, {name: lists[name] for name in names}
