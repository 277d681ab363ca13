"""The dataclasses and named tuples that a network returns."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

from dycl.runtime.columns import list_of
from dycl.runtime.zipping import zip_equal


def make_record(
    name: str, kind: str, fields: tuple[str, ...], values: Sequence[object]
) -> object:
    """An instance of the class `name`, a record of a `kind`, of these values.

    Of the kind "rows" it is a list: see `dycl.runtime.columns`.

    A "dataclass", a "namedtuple", a "mapping", which is a dataclass and a dict of those
    of its fields that are not None, an "object" of any other class, whose `__init__`
    does not run, or a "call" of a class of Python's own with these values.

    The class is imported when the first one is made, and is the one of that name when
    called: a notebook may define it anew. Where that is not possible, or it has other
    fields by now, a named tuple of the same name and fields stands in for it, for a
    mapping a dict, for any other object a namespace, and for a call its last value.
    """
    found = None if kind == "rows" else _resolved(name)
    return _maker(found, name, kind, fields)(values)


def is_record(value: object) -> bool:
    """Whether a value is an instance of a dataclass or of a named tuple's class."""
    if isinstance(value, tuple):
        return _fields(type(cast(object, value)), "namedtuple") is not None
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def is_instance(value: object) -> bool:
    """Whether a value that a network returned is an object of another class."""
    return hasattr(value, "__dict__") and not isinstance(value, type)


def with_each(value: Any, f: Callable[[Any], Any]) -> Any:
    """The same record with `f` of every field.

    A dataclass may have been changed since its `__init__`, which does not run again.
    """
    if isinstance(value, tuple):
        items = map(f, cast("tuple[Any, ...]", value))
        return _factory(type(cast(Any, value)))(items)
    fields = [field.name for field in dataclasses.fields(value)]
    if isinstance(value, dict):
        return type(value)(**{name: f(getattr(value, name)) for name in fields})
    names = [*vars(value)] if hasattr(value, "__dict__") else []
    names += [name for name in fields if name not in names]
    found = {name: getattr(value, name, _NOTHING) for name in names}
    return _object(
        type(value), {n: f(v) for n, v in found.items() if v is not _NOTHING}
    )


@lru_cache
def _maker(
    found: Any, name: str, kind: str, fields: tuple[str, ...]
) -> Callable[[Sequence[object]], object]:
    if kind == "object":
        return lambda values: _object(found, dict(zip_equal(fields, values)))
    if kind == "rows":
        return lambda values: list_of(name, values)
    if kind == "call":
        return lambda values: found(*values) if found is not None else values[-1]
    if _fields(found, kind) != fields:
        if kind == "mapping":
            return lambda values: _entries(fields, values)
        short = name.rpartition(".")[2]
        make = cast(Any, namedtuple)  # noqa: PYI024
        found = make(short, fields, rename=True)
    elif kind in ("dataclass", "mapping"):
        return lambda values: found(**dict(zip_equal(fields, values)))
    return _factory(found)


ENTRIES = "_dycl_entries"
"""The attribute that has the entries of an object of a class derived from dict."""
_NOTHING = object()
"""In the place of a field that was never set."""


def _object(cls: Any, attributes: dict[str, object]) -> object:
    if cls is None:
        return attributes.get(ENTRIES, SimpleNamespace(**attributes))
    made = cls.__new__(cls) if issubclass(cls, dict) else object.__new__(cls)
    if isinstance(made, dict):  # whose entries are an attribute of what stands for it
        own = cast("dict[object, object]", attributes.pop(ENTRIES, {}))
        base: Any = OrderedDict if isinstance(made, OrderedDict) else dict
        for key, value in own.items():
            base.__setitem__(made, key, value)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def named(name: str) -> object:
    """What has this full name: a class, or what torch calls so; where there is none,
    the name itself. `torch.device:cpu` is a device."""
    if name.startswith("torch.") and "torch" not in sys.modules:
        return name
    name, _, argument = name.partition(":")
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        if module in sys.modules or _is_imported(module):
            found: Any = sys.modules[module]
            for part in parts[count:]:
                found = getattr(found, part, name)
            return found(argument) if argument else found
    return name


def _entries(fields: tuple[str, ...], values: Sequence[object]) -> dict[str, object]:
    pairs = zip_equal(fields, values)
    return {name: value for name, value in pairs if value is not None}


def _factory(cls: Any) -> Callable[[Any], Any]:
    """What makes a named tuple of its items; torch's own take them as they are."""
    return getattr(cls, "_make", cls)


def _fields(cls: Any, kind: str) -> tuple[str, ...] | None:
    if not isinstance(cls, type):
        return None
    if kind == "namedtuple":
        of_torch = getattr(cls, "__match_args__", None) if _is_torchs(cls) else None
        return cast("tuple[str, ...] | None", getattr(cls, "_fields", of_torch))
    if not dataclasses.is_dataclass(cls):
        return None
    return tuple(f.name for f in dataclasses.fields(cls))


def _is_torchs(cls: type) -> bool:
    """Whether it is a class of results, such as that of `x.max(1)`."""
    return cls.__module__ == _TORCHS


_TORCHS = "torch.return_types"


def _resolved(name: str) -> Any:
    """The object that has this full name now, or None. torch is not imported for it."""
    if name.startswith("torch.") and "torch" not in sys.modules:
        return None
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        if module not in sys.modules and not _is_imported(module):
            continue
        result: Any = sys.modules.get(module)
        for part in parts[count:]:
            result = getattr(result, part, None)
        return result if isinstance(result, type) else None
    return None


@lru_cache
def _is_imported(module: str) -> bool:
    """Whether there is such a module; asked once, since to look for one takes long."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True
