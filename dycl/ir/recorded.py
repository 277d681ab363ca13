"""The members of a `dycl.object` as Python values: read once, and never shared.

Who asks gets lists and dicts of its own, so that it can tell later what has changed.
"""

from typing import Any, cast
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import DictionaryAttr

from dycl.ir.dialect import ObjectOp
from dycl.ir.values import from_attr

_known: WeakKeyDictionary[ObjectOp, tuple[DictionaryAttr, dict[str, object]]]
_known = WeakKeyDictionary()
"""What was read from an op: each pass has an environment, objects rarely change."""


def members_of(op: ObjectOp) -> dict[str, object]:
    """The members of an object, which the caller may change."""
    return {k: _own(v) for k, v in _read(op).items()}


def _read(op: ObjectOp) -> dict[str, object]:
    """The members as the op has them; not to be changed."""
    found = _known.get(op)
    if found is None or found[0] is not op.members:
        values = {k: from_attr(v) for k, v in op.members.data.items()}
        found = _known[op] = (op.members, values)
    return found[1]


def _own(value: object) -> object:
    """A copy where Python could tell: a list or dict that someone may change."""
    match value:
        case list():
            return [_own(v) for v in cast(list[object], value)]
        case dict():
            entries = cast(dict[object, object], value)
            return {k: _own(v) for k, v in entries.items()}
        case tuple():
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
