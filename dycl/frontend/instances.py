"""Classes of which a network may make objects while it runs.

An object that is made in `forward` is described by a *template*: a bare instance, whose
members are those of its class. What it has besides, `__init__` sets when the network
runs.
"""

import inspect
from functools import lru_cache
from importlib import import_module
from typing import Any, cast

from dycl.frontend.names import is_generated, is_users, is_users_class
from dycl.frontend.records import object_plan
from dycl.ir.values import UnsupportedRef
from dycl.prelude import BASES

TEMPLATE = "instance of "
"""How the path of a template begins; the class's full name follows."""

RUN_WHEN_MADE = frozenset(("__init__", "__post_init__"))
"""Methods of the user's that run when an object is made."""

_OPEN = ("abc", "collections.abc", "typing")
"""Modules whose classes only say what methods a class has, or make them of others."""

_OWN = ("__getattribute__", "__setattr__", "__delattr__", "__missing__")
"""Methods that Python runs when an attribute is read or set."""


def why_no_instance(cls: type) -> str | None:
    """Why no object of a class can be made while a network runs; None: it can.

    The words follow the name of the class.
    """
    if type(cls).__call__ is not type.__call__:
        return f"has the metaclass {type(cls).__name__}"
    for base in with_our_bases(cls).__mro__[:-1]:
        if base.__module__ in _OPEN or _is_module(base):
            continue
        if not is_users_class(base):
            return f"is a {base.__name__}"
    cls = with_our_bases(cls)
    if inspect.isabstract(cls):
        return "has abstract methods"
    if _owner(cls, "__new__") is not None:
        return "has a `__new__` of its own"
    for name in _OWN:
        if _owner(cls, name) is not None:
            return f"has a `{name}` of its own"
    if _owner(cls, "__getattr__") is not None and any(map(_is_module, cls.__mro__)):
        return "has a `__getattr__` of its own"
    init: Any = cls.__init__
    if _owner(cls, "__init__") is None:
        return None
    if is_generated(init):
        why = "has an `__init__` without source"
        plan = object_plan(cls)
        return why if plan is None else plan if isinstance(plan, str) else None
    return None if is_users(init) else "has an `__init__` that is no plain function"


def template(cls: Any) -> object:
    """A bare instance: `__init__` has not run; of a module, torch's has."""
    instance = object.__new__(with_our_bases(cls))
    for base in cls.__mro__:
        if _is_module(base):
            base.__init__(instance)
    return instance


def _is_module(cls: type) -> bool:
    """Whether this is the base of all modules: what it does to a new one is known."""
    return (cls.__module__, cls.__name__) == ("torch.nn.modules.module", "Module")


@lru_cache
def with_our_bases(cls: type) -> type:
    """The class with a base of `dycl.prelude` in the place of the library's.

    It has the same name, methods and place, so what is known of it holds for objects of
    the user's class; the class itself, if it has no such base.
    """
    ours = BASES.get(f"{cls.__module__}.{cls.__qualname__}")
    if ours is not None and not replaced_methods(cls):
        module, _, name = ours.rpartition(".")
        return cast(type, getattr(import_module(module), name))
    bases = tuple(map(with_our_bases, cls.__bases__))
    if bases == cls.__bases__ or not is_users_class(cls):
        return cls
    copied = {k: v for k, v in vars(cls).items() if k not in _MADE_ANEW}
    copied["__qualname__"] = cls.__qualname__
    return cast(type, type(cls)(cls.__name__, bases, copied))


def replaced_methods(cls: type) -> dict[str, UnsupportedRef]:
    """What somebody else has put into a class of a library, by name.

    Ours does what the library's own methods do.
    """
    why = UnsupportedRef(f"a function that was set on {cls.__name__} from outside")
    return {
        name: why
        for name, value in vars(cls).items()
        if is_users(value.fget if isinstance(value, property) else value)
    }


_MADE_ANEW = ("__dict__", "__weakref__")


def _owner(cls: type, name: str) -> type | None:
    """The class of the user's that has a special method."""
    return next((c for c in cls.__mro__ if name in vars(c) and is_users_class(c)), None)
