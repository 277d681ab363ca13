"""Enums whose members the nodes of a tree hold: which ones a program may ask about."""

from enum import Enum, Flag

from dycl.ir.methods import OPERATORS
from dycl.runtime.builtin_nodes import member_name


def is_plain_enum(cls: type[Enum]) -> bool:
    """Whether all that members of an enum are compared by is which they are, or the
    number or text that they are."""
    own = {"__bool__", "__len__", "__getattr__", "__getattribute__", "__eq__"}
    if issubclass(cls, (int, str)):
        own |= {"__int__", "__index__", "__float__", *OPERATORS}
    return not issubclass(cls, Flag) and not any(
        own.intersection(vars(base))
        for base in cls.__mro__
        if base.__module__ not in ("builtins", "enum")
    )


def constructor_name(member: Enum) -> str:
    """The constructor of a member, in the data type of its enum."""
    name = member_name(member)
    assert name is not None
    return name
