"""The functions and objects that the attributes of an op name."""

from collections.abc import Set as AbstractSet
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from dycl.ir.attributes import GlobalAttr, ParamAttr
from dycl.ir.dialect import ConstantOp, ObjectOp

_NONE = frozenset[str]()
_NO_SYMBOLS = frozenset((StringAttr, IntegerAttr, FloatAttr, ParamAttr, GlobalAttr))


def mentioned(op: Operation) -> AbstractSet[str]:
    """The symbols that the attributes of an op mention."""
    if isinstance(op, ConstantOp) and type(op.value) in _NO_SYMBOLS:
        return _names([*op.attributes.values()]) if op.attributes else _NONE
    if not isinstance(op, ObjectOp):
        return _names([*op.properties.values(), *op.attributes.values()])
    return op.derived(_named_by_members) | _names([*op.attributes.values()])


def _named_by_members(members: DictionaryAttr) -> set[str]:
    return _names([members])


def _names(stack: list[Attribute]) -> set[str]:
    """The symbols that attributes mention; uses up the list."""
    result: set[str] = set()
    while stack:
        attribute = stack.pop()
        # Not by `match`: that asks one class after another for each number.
        if type(attribute) in _NO_SYMBOLS:
            continue
        if isinstance(attribute, SymbolRefAttr):
            result.add(attribute.root_reference.data)
        elif isinstance(attribute, ArrayAttr):
            stack += cast(ArrayAttr[Attribute], attribute).data
        elif isinstance(attribute, DictionaryAttr):
            stack += attribute.data.values()
        elif isinstance(attribute, ParametrizedAttribute):
            stack += attribute.parameters
    return result
