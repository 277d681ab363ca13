"""Objects that are dicts or lists of a class of their own.

`__items__` has what they hold. `super().get(key)` in a method of such a class is asked
as `super(net.Registry).get`.
"""

from collections.abc import Mapping
from typing import Any, cast

_READING = {
    "builtins.dict": ("__getitem__", "copy", "get", "items", "keys", "values"),
    "builtins.list": ("__getitem__", "copy", "count", "index"),
}


def reading_method(members: Mapping[str, object], name: str) -> str | None:
    """The method of `dict` or `list` that a name means; None: none that only reads."""
    if name in members or "__items__" not in members:
        return None
    classes = cast("list[str]", members.get("__mro__", []))
    method = name.rpartition(").")[2]
    is_reading = any(b in classes and method in names for b, names in _READING.items())
    return method if is_reading else None


def bound_method(items: Any, method: str) -> object:
    """The method of the plain dict or list; a view is a list."""
    result = getattr(items, method)
    return (lambda: list(result())) if method in ("items", "keys", "values") else result
