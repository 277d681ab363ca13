"""Element types of the IR and of torch, both ways; torch is imported when asked for."""

from typing import Any

from xdsl.dialects.builtin import (
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
)
from xdsl.ir import Attribute

_NAMES: dict[Attribute, str] = {
    f32: "float32",
    f64: "float64",
    f16: "float16",
    bf16: "bfloat16",
    i1: "bool",
    IntegerType(8, Signedness.SIGNED): "int8",
    IntegerType(16, Signedness.SIGNED): "int16",
    IntegerType(32, Signedness.SIGNED): "int32",
    IntegerType(64, Signedness.SIGNED): "int64",
    IntegerType(8, Signedness.UNSIGNED): "uint8",
}
_TYPES = {name: element for element, name in _NAMES.items()}


def dtype_name(element: Attribute) -> str:
    """`float32`, `int64`, ...: the name that torch and NumPy share.

    Raises KeyError for an element type without a dtype.
    """
    return _NAMES[element]


def element_type(name: str) -> Attribute:
    """The IR's element type of a dtype name.

    Raises KeyError for a dtype that the IR has no type for.
    """
    return _TYPES[name]


def torch_dtype(element: Attribute) -> Any:
    """The torch.dtype of an element type."""
    import torch

    return getattr(torch, dtype_name(element))


def element_type_of(dtype: Any) -> Attribute:
    """The element type of a torch.dtype. Raises KeyError when there is none."""
    return element_type(str(dtype).removeprefix("torch."))
