"""What objects of the model are equal by: a member of an `IntEnum` is its number.

`{Level.LOW: 1.5}[1]` and `1 in (Level.LOW, 2)` find the member, as in Python.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.objects import Objects
from dycl.ir.operators import COMPARE
from dycl.ir.records import Record
from dycl.ir.values import GlobalRef, ObjectRef, ParamRef

if TYPE_CHECKING:
    from dycl.ir.environment import Environment


def by_equality(objects: Objects, value: object) -> Any:
    """A value as equality and hashing see it.

    So are the keys of a dict and the items of a list, tuple or set; a container without
    members of such enums is itself.
    """
    match value:
        case ObjectRef(path):
            return objects.members(path).get("__data__", value)
        case dict():
            known = cast("dict[object, object]", value)
            keys = [by_equality(objects, key) for key in known]
            is_same = _are_same(keys, known)
            return value if is_same else dict(zip(keys, known.values(), strict=True))
        case list() | tuple() | set() | frozenset():
            several = cast("list[object]", value)
            items = [by_equality(objects, item) for item in several]
            return value if _are_same(items, several) else type(several)(items)
        case _:
            return value


def dict_of(objects: Objects, pairs: Iterable[tuple[object, object]]) -> dict[Any, Any]:
    """The dict that a display makes: of equal keys the first, with the last value."""
    first: dict[Any, Any] = {}
    result: dict[Any, Any] = {}
    for key, value in pairs:
        result[first.setdefault(by_equality(objects, key), key)] = value
    return result


def look_up(objects: Objects, value: object, index: object) -> object:
    """`value[index]` of a container. A KeyError names the object that is no key."""
    if isinstance(value, dict) and index in value:
        return cast(Any, value)[index]
    items, index = by_equality(objects, value), by_equality(objects, index)
    if isinstance(items, dict) and isinstance(index, ObjectRef) and index not in items:
        raise KeyError(f"<{index.path}>")
    return items[index]


def compare(kind: str, lhs: Any, rhs: Any, environment: "Environment") -> object:
    """`lhs <kind> rhs`. References are equal when they name the same thing."""
    if kind in ("in", "not_in"):
        if isinstance(rhs, ObjectRef):
            environment.refuse_special(rhs, "__contains__", "__iter__", "__getitem__")
            items = environment.items(rhs.path)
            if items is None:
                of = environment.class_name(rhs.path)
                raise NotEvaluated(f"`in` of an object of {of}")
            rhs = items
        if not isinstance(lhs, (str, type(None))):
            _refuse_elements(lhs, rhs)  # a tensor is no text, and not None
        inside = lhs in rhs or (
            by_equality(environment, lhs) in by_equality(environment, rhs)
        )
        return inside == (kind == "in")
    if kind not in ("is", "is_not") and not isinstance(rhs, (str, type(None))):
        _refuse_elements(lhs, rhs)
    if isinstance(lhs, (ObjectRef, GlobalRef)) or isinstance(rhs, ObjectRef):
        if kind in ("is", "is_not"):
            return (lhs == rhs) == (kind == "is")
        lhs, rhs = environment.resolve(lhs), environment.resolve(rhs)
        for side in (lhs, rhs):
            if isinstance(side, ObjectRef):
                environment.refuse_special(side, "__eq__")
    if kind in ("is", "is_not") and isinstance(lhs, (tuple, list, dict, Record)):
        return COMPARE[kind](lhs, rhs)
    if kind in ("eq", "ne"):
        lhs, rhs = (by_equality(environment, side) for side in (lhs, rhs))
    return COMPARE[kind](environment.resolve(lhs), environment.resolve(rhs))


def _refuse_elements(*values: object) -> None:
    """A comparison of parameters is one of their elements, which a run knows."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, ParamRef):
            raise NotEvaluated(f"the elements of `{value.path}`")
        if isinstance(value, (tuple, list)):
            waiting += cast("list[object]", value)


def _are_same(new: Iterable[object], old: Iterable[object]) -> bool:
    """Whether these are the very same objects."""
    return all(a is b for a, b in zip(new, old, strict=True))
