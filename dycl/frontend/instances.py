"""Classes of which a network may make objects while it runs.

An object that is made in `forward` is described by a *template*: a bare instance, whose
members are those of its class. What it has besides, `__init__` sets when the network
runs.
"""

import inspect
from typing import Any

from dycl.frontend.names import is_generated, is_users, is_users_class

TEMPLATE = "instance of "
"""How the path of a template begins; the class's full name follows."""

_OPEN = ("abc", "collections.abc", "typing")
"""Modules whose classes only say what methods a class has, or make them of others."""

_OWN = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__")
"""Methods that Python runs when an attribute is read or set."""


def why_no_instance(cls: type) -> str | None:
    """Why no object of a class can be made while a network runs; None: it can.

    The words follow the name of the class.
    """
    if type(cls).__call__ is not type.__call__:
        return f"has the metaclass {type(cls).__name__}"
    for base in cls.__mro__[:-1]:
        if not is_users_class(base) and base.__module__ not in _OPEN:
            return f"is a {base.__name__}"
    if inspect.isabstract(cls):
        return "has abstract methods"
    if _owner(cls, "__new__") is not None:
        return "has a `__new__` of its own"
    for name in _OWN:
        if _owner(cls, name) is not None:
            return f"has a `{name}` of its own"
    init: Any = cls.__init__
    if _owner(cls, "__init__") is None:
        return None
    if is_generated(init):
        return "has an `__init__` without source"
    return None if is_users(init) else "has an `__init__` that is no plain function"


def template(cls: Any) -> object:
    """A bare instance: `__init__` has not run."""
    return object.__new__(cls)


def _owner(cls: type, name: str) -> type | None:
    """The class of the user's that has a special method."""
    return next((c for c in cls.__mro__ if name in vars(c) and is_users_class(c)), None)
