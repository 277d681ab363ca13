"""Python's own values as nodes of a tree, as `dycl.ir.builtin_nodes` has them."""

from __future__ import annotations

from ast import literal_eval
from enum import Enum
from typing import Any, cast

import numpy as np

from dycl.runtime.inputs import is_torch_tensor

ITEMS = "items()"
KEYS = ".keys()"
VALUES = ".values()"
LEAVES = {
    "builtins.bool": "bool()",
    "builtins.int": "int()",
    "builtins.float": "float()",
    "builtins.str": "str()",
    "torch.Tensor": "tensor()",
}
LISTS = ("builtins.tuple", "builtins.list")
DICT = "builtins.dict"
BUILTIN = frozenset((*LEAVES, *LISTS, DICT))
"""The constructors that are no class of the user's."""
_PLAIN: tuple[tuple[type, str], ...] = (
    (bool, "builtins.bool"),
    (int, "builtins.int"),
    (float, "builtins.float"),
    (str, "builtins.str"),
)
_EXACT: dict[type, str] = {
    **dict(_PLAIN),
    **{tuple: LISTS[0], list: LISTS[1], dict: DICT, np.ndarray: "torch.Tensor"},
}


def class_name_of(node: object) -> str:
    """The constructor of a value: the full name of its class, or of what it is; of an
    enum's member, its own."""
    cls = type(node)
    known = _EXACT.get(cls) or member_name(node)
    if known is not None:
        return known
    if is_torch_tensor(node) or isinstance(node, np.ndarray):
        return "torch.Tensor"
    for base, name in _PLAIN:
        if isinstance(node, base):
            return name
    return f"{cls.__module__}.{cls.__qualname__}"


def is_exact(cls: type, name: str) -> bool:
    """Whether all values of a class are of one of Python's own kinds, `name`, as they
    are: neither of a class of its own, nor some of another kind."""
    known = _EXACT.get(cls)
    return known == name if known is not None else name == "torch.Tensor"


def member_name(value: object) -> str | None:
    """The constructor of an enum's member: its class and its name; None: it is none."""
    if not isinstance(value, Enum):
        return None
    cls = type(value)
    return f"{cls.__module__}.{cls.__qualname__}.{value.name}"


def key_field(key: str) -> str:
    """The field of a dict's key."""
    return f"[{key!r}]"


def attribute_of(field: str) -> str:
    """The attribute that a field is of: its own name, or that of a table, a dict of
    which a node has the keys and the values."""
    for part in (KEYS, VALUES):
        if field.endswith(part) and not field.startswith("["):
            return field.removesuffix(part)
    return field


def fields_of(node: object, name: str) -> dict[str, object] | None:
    """What a value of one of Python's own kinds holds; None: it is of another class.

    `name` is its constructor.
    """
    if name in LEAVES:
        return {LEAVES[name]: node}
    if name in LISTS:
        return {ITEMS: node}
    if name != DICT:
        return None
    entries = cast("dict[Any, object]", node).items()
    return {key_field(key): value for key, value in entries if isinstance(key, str)}


def missing(name: str, what: str) -> Exception:
    """The exception for a field that is not there; `what` says so of an attribute."""
    if name.startswith("["):
        return KeyError(literal_eval(name)[0])
    if name.endswith("()") and attribute_of(name) == name:
        wanted = _WORDS.get(name, "a tuple or list")
        return TypeError(f"a value of the tree is taken for {wanted}, which it is not")
    return AttributeError(what)


_WORDS = {
    "bool()": "a bool",
    "int()": "an int",
    "float()": "a float",
    "str()": "a text",
    "tensor()": "a tensor",
}
