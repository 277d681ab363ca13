"""What a local function takes as given, and which calls it is for.

A function of the user's becomes one local function for each set of constants that it
is called with. `given` says so: an entry for each parameter, which is

    {constant = A}    a constant, which the body holds; it is no parameter any more
    unit              a parameter
    "list"            a parameter that is a list, dict or set to which it adds
    {read = [..]}     the items of a list that it only reads, as those of a tuple
    {keys = [..],     the same of a dict with these keys
     read = [..]}
    [entry, ...]      a tuple, of which each item is the one or the other
"""

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, SSAValue

from dycl.ir import ConstantOp, DictOp, ListOp, LocalFunctionOp, TupleOp
from dycl.ir.dialect.syntax import VALUE
from dycl.passes.calls.readings import is_only_read

GIVEN = "given"
"""Attribute of a local function: which of the user's parameters are constants."""
OF = "of"
"""Attribute of a local function: the symbol of the user's function."""

_CONSTANT, _READ, _KEYS = "constant", "read", "keys"


class NoForm(Exception):
    """An argument that no local function can be given; the text says what it is."""


def pattern_of(value: SSAValue, is_open: bool, is_read: bool) -> Attribute:
    """The entry for an argument; with `is_open` a number is no constant. `is_read`: the
    function only reads it.

    NoForm: a list or dict, which the function might change.
    """
    owner = value.owner
    if isinstance(owner, (ListOp, DictOp)):
        if not is_read or not is_only_read(value):
            raise NoForm("a list" if isinstance(owner, ListOp) else "a dict")
        items = [pattern_of(item, is_open, False) for item in items_of(owner)]
        return DictionaryAttr({_READ: ArrayAttr(items), **_keys(owner)})
    if isinstance(owner, TupleOp):
        items = [pattern_of(item, is_open, False) for item in owner.operands]
        return ArrayAttr(items)
    if isinstance(owner, ConstantOp) and not (is_open and is_number(owner.value)):
        return DictionaryAttr({_CONSTANT: owner.value})
    return UnitAttr()


LIST = StringAttr("list")
"""The entry of a list, dict or set to which the function adds."""


def is_number(value: Attribute) -> bool:
    """Whether a constant is an int or a float, which a run may count up."""
    if isinstance(value, IntegerAttr):
        return value.type != i1
    return isinstance(value, FloatAttr)


def open_values(entry: Attribute, value: SSAValue) -> Iterator[SSAValue]:
    """What an argument hands to the parameters of its entry, in order.

    NoForm: it does not fit the entry.
    """
    owner = value.owner
    match entry:
        case UnitAttr():
            if isinstance(owner, (TupleOp, ListOp, DictOp)):
                raise NoForm("a tuple, list or dict")
            if isinstance(owner, ConstantOp) and not is_number(owner.value):
                raise NoForm("a constant")
            yield value
        case StringAttr():
            if isinstance(owner, (TupleOp, ConstantOp)):
                raise NoForm("no list")
            yield value
        case DictionaryAttr() if _READ in entry.data:
            if not isinstance(owner, (ListOp, DictOp)) or not is_only_read(value):
                raise NoForm("no list or dict that is only read")
            items, entries = items_of(owner), read_in(entry)
            if _keys(owner).get(_KEYS) != entry.data.get(_KEYS):
                raise NoForm("a dict with other keys")
            if len(items) != len(entries):
                raise NoForm("a list with another number of items")
            for inner, item in zip(entries, items, strict=True):
                yield from open_values(inner, item)
        case DictionaryAttr():
            known = owner.value if isinstance(owner, ConstantOp) else None
            if known != entry.data[_CONSTANT]:
                raise NoForm("another value than the constant that it was made for")
        case ArrayAttr():
            entries = entry.data
            if not isinstance(owner, TupleOp) or len(entries) != len(owner.operands):
                raise NoForm("no such tuple")
            for inner, item in zip(entries, owner.operands, strict=True):
                yield from open_values(inner, item)
        case _:
            raise NoForm("nothing that it knows")


def constants_in(entry: Attribute) -> Attribute | None:
    """The constant that an entry stands for; None: it is none."""
    return entry.data.get(_CONSTANT) if isinstance(entry, DictionaryAttr) else None


def read_in(entry: DictionaryAttr) -> Sequence[Attribute]:
    """The entries of the items of a list or dict that is only read."""
    return cast("ArrayAttr[Attribute]", entry.data[_READ]).data


def items_of(owner: ListOp | DictOp) -> Sequence[SSAValue]:
    """The items of a list, the values of a dict."""
    return owner.operands if isinstance(owner, ListOp) else owner.operands[1::2]


def _keys(owner: ListOp | DictOp) -> dict[str, Attribute]:
    if isinstance(owner, ListOp):
        return {}
    keys = [key.owner for key in owner.operands[::2]]
    known = [key.value for key in keys if isinstance(key, ConstantOp)]
    return {_KEYS: ArrayAttr(known)}


def given_of(function: LocalFunctionOp) -> Sequence[Attribute]:
    """The entries of a local function, one for each parameter of the user's."""
    given = function.attributes.get(GIVEN)
    return cast("ArrayAttr[Attribute]", given).data if given is not None else ()


def handed(function: LocalFunctionOp, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """What a call with these arguments hands to a local function.

    NoForm: the function is not for such calls.
    """
    entries = given_of(function)
    if len(entries) != len(arguments):
        raise NoForm("another number of arguments")
    passed = [
        value
        for entry, argument in zip(entries, arguments, strict=True)
        for value in open_values(entry, argument)
    ]
    for value, param in zip(passed, function.params, strict=True):
        if VALUE not in (value.type, param.type) and value.type != param.type:
            raise NoForm(f"{value.type} where it has been given {param.type}")
    return passed
