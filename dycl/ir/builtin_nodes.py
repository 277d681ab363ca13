"""Python's own values as nodes of a tree: tuples, dicts, numbers, texts, tensors.

Each kind is a constructor of the data type, and what a value of it holds a field:

    builtins.tuple, builtins.list        "items()"           a list of nodes
    builtins.dict                        "['op']"            a field for each key
    builtins.int, .float, .bool, .str    "int()", "str()"    the number or text itself
    torch.Tensor                         "tensor()"          the tensor itself

So a value that may be one of several kinds (`(left, right)`, or a word's number) is a
node, and what it is the program asks (`isinstance(t, tuple)`). `dycl.runtime` has the
same names (`dycl.runtime.builtin_nodes`).

An enum is a data type of its own (`net.Op`), and each member a constructor without
fields (`net.Op.ADD`).

A dict that an attribute holds, and of which all values are of one kind, is a table: two
fields of the node, "children.keys()" and "children.values()", each a list.
"""

from ast import literal_eval
from enum import Enum
from typing import Any

ITEMS = "items()"
KEYS = ".keys()"
VALUES = ".values()"
TENSOR = "torch.Tensor"
LEAVES = {
    "builtins.bool": "bool()",
    "builtins.int": "int()",
    "builtins.float": "float()",
    "builtins.str": "str()",
    TENSOR: "tensor()",
}
"""Constructors that are no nodes in Python -> the field that holds the value."""
LISTS = ("builtins.tuple", "builtins.list")
DICT = "builtins.dict"
BASES = {
    **{name: (name, "builtins.object") for name in (*LEAVES, *LISTS, DICT)},
    "builtins.bool": ("builtins.bool", "builtins.int", "builtins.object"),
    **{
        name: (name, "collections.abc.Sequence", "builtins.object")
        for name in ("builtins.str", *LISTS)
    },
    DICT: (DICT, "collections.abc.Mapping", "builtins.object"),
}
"""Constructors of this file -> the classes that `isinstance` finds."""


def key_field(key: str) -> str:
    """The field of a dict's key."""
    return f"[{key!r}]"


def is_attribute(field: str) -> bool:
    """Whether a field is an attribute of a class of the user's: a node may lack it."""
    is_part = attribute_of(field) != field
    return is_part or not (field.startswith("[") or field.endswith("()"))


def attribute_of(field: str) -> str:
    """The attribute that a field is of: its own name, or that of a table."""
    for part in (KEYS, VALUES):
        if field.endswith(part) and not field.startswith("["):
            return field.removesuffix(part)
    return field


def constructor_of(value: Any) -> str:
    """The constructor of a node, or "None"."""
    if value is None:
        return "None"
    cls = type(value)
    if isinstance(value, Enum):
        return f"{cls.__module__}.{cls.__qualname__}.{value.name}"
    for plain in (bool, int, float, str):
        if isinstance(value, plain):
            return f"builtins.{plain.__name__}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return TENSOR
    return f"{cls.__module__}.{cls.__qualname__}"


def field_of(value: Any, name: str) -> Any:
    """What a node holds. Raises as `missing` says."""
    if (attribute := attribute_of(name)) != name:
        table = getattr(value, attribute)
        if table is None:
            raise AttributeError(f"the attribute '{attribute}' of a node is None")
        return list(table if name.endswith(KEYS) else table.values())
    if name.endswith("()"):
        known = LEAVES.get(constructor_of(value), ITEMS)
        if known != name or (name == ITEMS and not isinstance(value, (tuple, list))):
            raise TypeError(missing(name, "")[1])
        return value
    if isinstance(value, dict):
        return value[literal_eval(name)[0]]
    return getattr(value, name)


def has_field(value: Any, name: str) -> bool:
    """Whether what a node holds is not None. AttributeError: it has no such field."""
    if isinstance(value, dict):
        return literal_eval(name)[0] in value
    return getattr(value, attribute_of(name)) is not None


def has_attribute(value: Any, name: str) -> bool:
    """Whether a node has an attribute, be it None."""
    return hasattr(value, attribute_of(name))


def missing(name: str, what: str) -> tuple[str, str]:
    """The exception for a field that is not there, and its text.

    `what` says so of an attribute.
    """
    if name.startswith("["):
        return "builtins.KeyError", literal_eval(name)[0]
    if name.endswith("()") and not is_attribute(name):
        return "builtins.TypeError", _WANTED.format(WORDS.get(name, "a tuple or list"))
    return "builtins.AttributeError", what


_WANTED = "a value of the tree is taken for {}, which it is not"
WORDS = {
    "bool()": "a bool",
    "int()": "an int",
    "float()": "a float",
    "str()": "a text",
    "tensor()": "a tensor",
}
