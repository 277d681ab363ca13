"""What is asked of the model's objects again and again: their lists and functions."""

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute

from dycl.ir.attributes import (
    DictAttr,
    FunctionAttr,
    MethodAttr,
    PartialAttr,
    PropertyAttr,
)
from dycl.ir.dialect import ObjectOp


@dataclass(frozen=True)
class ObjectFacts:
    """What an object has, by kind."""

    members: DictionaryAttr
    names: tuple[str, ...]
    containers: tuple[tuple[str, bool], ...]
    """Attributes that are lists or dicts, and whether more of these are inside."""
    functions: tuple[tuple[str, str], ...]
    """Names under which it has functions, and their symbols."""
    forward: frozenset[str]
    """What a call of it leads to, unless it has hooks."""


_known: WeakKeyDictionary[ObjectOp, ObjectFacts] = WeakKeyDictionary()
"""What was read from an op: every pass asks, and objects rarely change."""


def facts_of_objects(module: ModuleOp) -> list[ObjectFacts]:
    """Those of all objects of a module."""
    return [facts_of(op) for op in module.body.ops if isinstance(op, ObjectOp)]


def facts_of(op: ObjectOp) -> ObjectFacts:
    """Those of one object, read once for as long as it does not change."""
    result = _known.get(op)
    if result is None or result.members is not op.members:
        members = op.members.data
        functions: dict[tuple[str, str], None] = {}
        for name, value in members.items():
            functions |= dict.fromkeys((name, symbol) for symbol in symbols_of(value))
            if name == "__hooks__":
                hooks = functions_in(value)
                functions |= dict.fromkeys(("forward", symbol) for symbol in hooks)
        has_hooks = any("hook" in name for name in members)
        result = _known[op] = ObjectFacts(
            op.members,
            tuple(members),
            tuple(
                (name, _is_nested(value))
                for name, value in members.items()
                if isinstance(value, (ArrayAttr, DictAttr))
                and not name.startswith("__")
            ),
            tuple(functions),
            frozenset(() if has_hooks else symbols_of(members.get("forward"))),
        )
    return result


def _is_nested(value: ArrayAttr | DictAttr) -> bool:
    items = value.items if isinstance(value, DictAttr) else value
    return any(isinstance(item, (ArrayAttr, DictAttr)) for item in items)


def symbols_of(value: Attribute | None) -> Iterator[str]:
    """The function that an attribute of an object is, if it is one."""
    if isinstance(value, FunctionAttr):
        yield value.symbol.root_reference.data
    elif isinstance(value, PropertyAttr):
        yield from value.symbols
    elif isinstance(value, MethodAttr):
        yield value.function.root_reference.data


def functions_in(value: Attribute) -> Iterator[str]:
    """The functions that a list of hooks, say, holds."""
    if isinstance(value, PartialAttr):
        yield from functions_in(value.callee)
    elif isinstance(value, (ArrayAttr, DictAttr)):
        for item in value.items if isinstance(value, DictAttr) else value:
            yield from functions_in(item)
    elif not isinstance(value, PropertyAttr):
        yield from symbols_of(value)
