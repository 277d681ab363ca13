"""Types in the words of a user: "a float32 tensor of shape (any size, 4)"."""

from collections.abc import Iterable

from xdsl.ir import Attribute

from dycl.ir.dialect import NodeType, SequenceType, ValueType
from dycl.ir.dtypes import dtype_name
from dycl.ir.torch import (
    DYNAMIC,
    BoolT,
    FloatT,
    IntT,
    NoneT,
    OptionalType,
    StrT,
    TensorType,
)

ANY = "any size"
"""A size that the input decides, or that is not known yet."""

_PLAIN: dict[Attribute, str] = {
    IntT: "an int",
    FloatT: "a float",
    BoolT: "a bool",
    StrT: "a string",
    NoneT: "None",
    ValueType(): "a Python value that no run can compute with",
}


def tensor_words(element: Attribute | None, sizes: Iterable[object] | None) -> str:
    """A tensor by its element type and its sizes; `ANY` is for an unknown one."""
    try:
        kind = "" if element is None else f"{dtype_name(element)} "
    except KeyError:
        kind = f"{element} "
    if sizes is None:
        return f"a {kind}tensor"
    shown = [str(size) for size in sizes]
    shape = f"{shown[0]}," if len(shown) == 1 else ", ".join(shown)
    article = "an" if kind.startswith("i") else "a"
    return f"{article} {kind}tensor of shape ({shape})"


def type_words(found: Attribute) -> str:
    """What a value of a type is, in Python's and torch's words."""
    if found in _PLAIN:
        return _PLAIN[found]
    if isinstance(found, TensorType):
        sizes = found.sizes()
        shown = None if sizes is None else [ANY if s == DYNAMIC else s for s in sizes]
        return tensor_words(found.element_type(), shown)
    if isinstance(found, SequenceType):
        items = type_words(found.element).removeprefix("a ").removeprefix("an ")
        return f"a list of {items}, as long as the input decides"
    if isinstance(found, NodeType):
        return f"a node of {found.datatype.data.rpartition('.')[2]}"
    if isinstance(found, OptionalType):
        return f"{type_words(found.element)} or None"
    return f"a value of type {found}"
