"""Which attributes and methods the object has that is a node of a tree."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, cast

from dycl.runtime.builtin_nodes import class_name_of, fields_of
from dycl.runtime.inputs import is_torch_tensor

MISSING = object()
"""What an object has that has no attribute of some name."""


def methods_of(cls: type) -> frozenset[str]:
    """The methods of a class that an instance may hide; none, if it has slots only."""
    if not cls.__dictoffset__:
        return frozenset()
    kinds = (types.FunctionType, staticmethod, classmethod)
    return frozenset(
        name
        for base in cls.__mro__
        for name, value in vars(base).items()
        if isinstance(value, kinds) and not name.startswith("__")
    )


def attributes_of(node: object) -> dict[str, object]:
    """The attributes that a node has: fields, slots, what was set on it, and numbers,
    tensors and None that its class has for all."""
    cls: Any = type(node)
    if (found := fields_of(node, class_name_of(node))) is not None:
        return found
    if isinstance(node, tuple):
        return dict(zip(cls._fields, cast("tuple[object, ...]", node)))
    names: dict[str, None] = {}
    if dataclasses.is_dataclass(node):
        names.update(dict.fromkeys(f.name for f in dataclasses.fields(node)))
    for base in reversed(type(node).__mro__):
        slots: Any = vars(base).get("__slots__", ())
        names.update(dict.fromkeys((slots,) if isinstance(slots, str) else slots))
        names.update(dict.fromkeys(_data_of_class(base)))
    names.update(dict.fromkeys(getattr(node, "__dict__", ())))
    found = {name: getattr(node, name, MISSING) for name in names}
    return {name: value for name, value in found.items() if value is not MISSING}


def _data_of_class(cls: type) -> list[str]:
    """The names of what a class has that is no method and nothing like one."""
    return [
        name
        for name, value in vars(cls).items()
        if not name.startswith("_")
        and (
            value is None
            or isinstance(value, (bool, int, float))
            or is_torch_tensor(value)
        )
    ]
