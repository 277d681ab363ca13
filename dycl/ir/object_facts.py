"""What is asked of the model's objects again and again: their lists and functions."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute

from dycl.ir.attributes import (
    DictAttr,
    FunctionAttr,
    MethodAttr,
    PartialAttr,
    PropertyAttr,
    SetAttr,
)
from dycl.ir.dialect import ObjectOp
from dycl.ir.walking import ops_in


@dataclass(frozen=True)
class ObjectFacts:
    """What an object has, by kind."""

    names: tuple[str, ...]
    containers: tuple[tuple[str, int], ...]
    """Attributes that are lists, dicts or sets, and how deep more are inside."""
    functions: tuple[tuple[str, str], ...]
    """Names under which it has functions, and their symbols."""
    forward: frozenset[str]
    """What a call of it leads to, unless it has hooks."""


def facts_of_objects(module: ModuleOp) -> list[ObjectFacts]:
    """Those of all objects of a module."""
    ops = ops_in(module.body.block)
    return [op.derived(_read) for op in ops if type(op) is ObjectOp]


def facts_of(op: ObjectOp) -> ObjectFacts:
    """Those of one object, read once for as long as it does not change."""
    return op.derived(_read)


def _read(attribute: DictionaryAttr) -> ObjectFacts:
    members = attribute.data
    functions: dict[tuple[str, str], None] = {}
    for name, value in members.items():
        functions |= dict.fromkeys((name, symbol) for symbol in symbols_of(value))
        if name == "__hooks__":
            hooks = functions_in(value)
            functions |= dict.fromkeys(("forward", symbol) for symbol in hooks)
    has_hooks = any("hook" in name for name in members)
    return ObjectFacts(
        tuple(members),
        tuple(
            (name, _depth(value))
            for name, value in members.items()
            if isinstance(value, (ArrayAttr, DictAttr, SetAttr))
            and not name.startswith("__")
        ),
        tuple(functions),
        frozenset(() if has_hooks else symbols_of(members.get("forward"))),
    )


def _depth(value: ArrayAttr | DictAttr | SetAttr) -> int:
    """0: no item is a list or dict; 1: some are, whose items are none; ..."""
    items = value if isinstance(value, ArrayAttr) else value.items
    inner = (_depth(i) for i in items if isinstance(i, (ArrayAttr, DictAttr)))
    return max((1 + depth for depth in inner), default=0)


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
