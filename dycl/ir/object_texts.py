"""Texts with an object of the model in them: which of them are known.

f"{Level.LOW}"    ->  "1"                   the text of an IntEnum is its number's
f"{Level.LOW!r}"  ->  <Level.LOW: 1>        not known: what the class says
f"{[Level.LOW]}"  ->  [<Level.LOW: 1>]      not known, either
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from typing import cast

from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.records import Record
from dycl.ir.values import FunctionRef, GlobalRef, MethodRef, ObjectRef

HAS_TEXT = "__text__"
"""A member of objects: its text, and formats of it, are those of its number or text."""

_SHOWS = re.compile(r"%[^%a-zA-Z]*[ra]")
_WHOLE = re.compile(r"\w*")
"""A field that is a whole argument, not an item or an attribute of it."""
_CALLS = tuple(f"builtins.{name}" for name in ("ascii", "format", "repr", "str"))
_FORMS = ("format", "format_map")


def refuse_format(
    method: str,
    receiver: object,
    args: list[object],
    kwargs: Mapping[str, object],
    environment: Environment,
) -> None:
    """NotEvaluated: `template.format(...)` writes what an object is."""
    if method not in _FORMS or not isinstance(receiver, str):
        return
    values = [*args, *kwargs.values()]
    if not any(map(_is_object, _leaves(values))):
        return
    for _, field, _, conversion in Formatter().parse(receiver):
        if conversion in ("r", "a") or not _WHOLE.fullmatch(field or ""):
            raise NotEvaluated("the text of an object")
    _refuse(values, environment)


def refuse_percent(lhs: object, rhs: object, environment: Environment) -> None:
    """NotEvaluated: `template % values` writes what an object is."""
    if not isinstance(lhs, str):
        return
    values = list(cast("Iterable[object]", rhs)) if type(rhs) is tuple else [rhs]
    if isinstance(rhs, dict):
        values = list(cast("dict[object, object]", rhs).values())
    if any(map(_is_object, _leaves(values))):
        if _SHOWS.search(lhs):
            raise NotEvaluated("the text of an object")
        _refuse(values, environment)


def refuse_text_of(
    callee: object, args: list[object], environment: Environment
) -> None:
    """NotEvaluated: `repr`, `str` or `format` of something with an object in it."""
    if not isinstance(callee, GlobalRef) or callee.name not in _CALLS or not args:
        return
    if callee.name == "builtins.format":
        _refuse(args, environment)
    elif not isinstance(args[0], ObjectRef):  # Of one itself, its class may be known.
        _refuse(args[:1], environment)


def _refuse(values: list[object], environment: Environment) -> None:
    """NotEvaluated: the text of a value is not that of its number."""
    for value in values:
        if isinstance(value, ObjectRef):
            if environment.members(value.path).get(HAS_TEXT) is not True:
                raise NotEvaluated("the text of an object")
        elif any(map(_is_object, _leaves([value]))):
            raise NotEvaluated("the text of an object")


def _is_object(value: object) -> bool:
    return isinstance(value, (ObjectRef, FunctionRef, MethodRef))


def _leaves(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        match value:
            case Record(_, items):
                yield from _leaves(items)
            case tuple() | list() | set() | frozenset():
                yield from _leaves(cast("Iterable[object]", value))
            case dict():
                known = cast("dict[object, object]", value)
                yield from _leaves([*known, *known.values()])
            case _:
                yield value
