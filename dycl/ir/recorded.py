"""The members of a `dycl.object` as Python values: read once, and never shared.

Who asks gets lists and dicts of its own, so that it can tell later what has changed.
"""

from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import DictionaryAttr

from dycl.ir.dialect import ObjectOp
from dycl.ir.values import from_attr

FIXED = frozenset(("__mro__", "__order__", "__static__"))
"""Members that are lists or dicts, and that nothing in a program can change."""


class _Recorded(NamedTuple):
    members: dict[str, object]
    """As the op has them; not to be changed."""
    containers: tuple[str, ...]
    """The names of those that are lists or dicts, or tuples with such inside."""


def members_of(op: ObjectOp) -> dict[str, object]:
    """The members of an object, which the caller may change."""
    recorded = op.derived(_read)
    members = dict(recorded.members)
    for name in recorded.containers:
        members[name] = _own(members[name])
    return members


def _read(members: DictionaryAttr) -> _Recorded:
    values = {k: from_attr(v) for k, v in members.data.items()}
    containers = (k for k, v in values.items() if may_change(v) and k not in FIXED)
    return _Recorded(values, tuple(containers))


def may_change(value: object) -> bool:
    """Whether there is a list or a dict in a value."""
    if isinstance(value, tuple):
        return any(map(may_change, cast("tuple[object, ...]", value)))
    return isinstance(value, (list, dict))


def _own(value: object) -> object:
    """A copy where Python could tell: a list or dict that someone may change."""
    match value:
        case list():
            return [_own(v) for v in cast(list[object], value)]
        case dict():
            entries = cast(dict[object, object], value)
            return {k: _own(v) for k, v in entries.items()}
        case tuple() if may_change(value):
            return tuple(_own(v) for v in cast("tuple[object, ...]", value))
        case _:
            return value


def is_equal(before: object, now: object) -> bool:
    """Whether a list or dict still has the items that it had."""
    if isinstance(before, (list, tuple)) and type(before) is type(now):
        ours, others = cast("list[object]", before), cast("list[object]", now)
        same = len(ours) == len(others)
        return same and all(map(is_equal, ours, others))
    if isinstance(before, dict) and isinstance(now, dict):
        one, other = cast(Any, before), cast(Any, now)
        return list(one) == list(other) and all(is_equal(one[k], other[k]) for k in one)
    return type(before) is type(now) and before == now
