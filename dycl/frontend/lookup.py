"""Where Python finds an attribute: the one place that decides which of several it is.

The order is that of `object.__getattribute__`, and of torch's `Module.__getattr__`:

    1. a data descriptor of a class, by the method resolution order: a property, a slot
    2. the object's own `__dict__`
    3. any other attribute of a class: a method, a constant
    4. what `__getattr__` gives; of a module the parameters, buffers and submodules

So a method `act` hides a submodule `act`, and a property hides an attribute in
`__dict__`, which hides a method. Of a class, its metaclass comes before and after its
own order of classes, likewise.
"""

import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dycl.frontend.names import is_users_class

TABLES = ("_parameters", "_buffers", "_modules")
"""What torch's `Module.__getattr__` looks at, in its order."""


@dataclass(frozen=True)
class StoredAttribute:
    """An attribute as it is stored: a method is a function, a property not read."""

    place: Literal["class", "instance", "table"]
    value: Any
    owner: type | None = None
    """The class that has it, if a class does."""


def find(target: object, name: str, cls: type | None = None) -> StoredAttribute | None:
    """What `target.name` means; None: nothing, or what the user's `__getattr__` says.

    `cls` is the class that the object is taken for, its own by default. An unset slot
    is nothing.
    """
    if isinstance(target, type):
        return _find_in_class(target, name)
    owner, value = _in_classes(cls or type(target), name)
    if isinstance(value, types.MemberDescriptorType):
        try:
            return StoredAttribute("instance", value.__get__(target))
        except AttributeError:
            return _in_tables(target, name)
    if owner is not None and is_data_descriptor(value):
        return StoredAttribute("class", value, owner)
    own = own_attributes(target)
    if name in own:
        return StoredAttribute("instance", own[name])
    if owner is not None:
        return StoredAttribute("class", value, owner)
    return _in_tables(target, name)


def own_attributes(target: object) -> Mapping[str, Any]:
    """The object's own `__dict__`, empty for one that has none."""
    try:
        return object.__getattribute__(target, "__dict__")
    except AttributeError:
        return {}


def names_of(target: object, cls: type) -> list[str]:
    """All names under which an object or a class may have something, in a fixed order.

    Those of `object` and `type` are left out, and those that only the user's
    `__getattr__` knows. The user's classes come first, base classes before others.
    """
    classes = [c for c in reversed(cls.__mro__) if c not in (object, type)]
    classes.sort(key=is_users_class, reverse=True)
    result = dict.fromkeys(name for c in classes for name in vars(c))
    if not isinstance(target, type):
        result |= dict.fromkeys(own_names(target))
    return list(result)


def own_names(target: object) -> dict[str, None]:
    """The names under which an object has something itself, in order."""
    result = dict.fromkeys(own_attributes(target))
    for table in _tables(target):
        result |= dict.fromkeys(table)
    return result


def of_class(cls: type, name: str) -> StoredAttribute | None:
    """What a name means for objects of a class that have nothing of their own there.

    None: nothing, or a slot, which is the object's own.
    """
    owner, value = _in_classes(cls, name)
    if owner is None or isinstance(value, types.MemberDescriptorType):
        return None
    return StoredAttribute("class", value, owner)


def is_descriptor(value: object) -> bool:
    """Whether reading this attribute of a class gives something else than itself."""
    return hasattr(type(value), "__get__")


def _find_in_class(cls: type, name: str) -> StoredAttribute | None:
    meta, of_meta = _in_classes(type(cls), name)
    if meta is not None and is_data_descriptor(of_meta):
        return StoredAttribute("class", of_meta, meta)
    owner, value = _in_classes(cls, name)
    if owner is not None:
        return StoredAttribute("class", value, owner)
    return None if meta is None else StoredAttribute("class", of_meta, meta)


def _in_classes(cls: type, name: str) -> tuple[type | None, Any]:
    for owner in cls.__mro__:
        if name in vars(owner):
            return owner, vars(owner)[name]
    return None, None


def is_data_descriptor(value: object) -> bool:
    """Whether an attribute of a class is asked when one of an object is set."""
    kind = type(value)
    sets = hasattr(kind, "__set__") or hasattr(kind, "__delete__")
    return sets and hasattr(kind, "__get__")


def _tables(target: object) -> list[Mapping[str, Any]]:
    """The tables of a module whose `__getattr__` is torch's, not the user's."""
    owner, _ = _in_classes(type(target), "__getattr__")
    if owner is None or owner.__module__.partition(".")[0] != "torch":
        return []
    own = own_attributes(target)
    return [own[table] for table in TABLES if table in own]


def _in_tables(target: object, name: str) -> StoredAttribute | None:
    for table in _tables(target):
        if name in table:
            return StoredAttribute("table", table[name])
    return None
