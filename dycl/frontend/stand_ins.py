"""Classes and functions that are compiled in the place of Python's own.

What is written in C, or frozen into the interpreter, has no source to compile. These do
the same as far as a network can tell.
"""

import _collections_abc
import contextvars
from collections.abc import Callable
from typing import Any


class ContextVariable:
    """A `contextvars.ContextVar` that has a value, in the context of the compilation.

    A run has one context: what it sets, it reads until it sets it back.
    """

    def __init__(self, value: Any, is_set: bool):
        """`is_set`: the value is no default."""
        self.context_value = value
        self.context_is_set = is_set

    def get(self, *default: Any) -> Any:
        """The value; a default goes before the variable's own."""
        if default and not self.context_is_set:
            return default[0]
        return self.context_value

    def set(self, value: Any) -> Any:
        """A token by which it is set back."""
        token = (self.context_value, self.context_is_set)
        self.context_value = value
        self.context_is_set = True
        return token

    def reset(self, token: Any) -> None:
        """What the variable was when the token was made."""
        self.context_value = token[0]
        self.context_is_set = token[1]


def pair_of(tensor: Any) -> Any:
    """The record that stands for a complex tensor, whose memory its parts share.

    None: it is not complex, or its parts have no form. A conjugate is resolved first:
    its memory has another sign.
    """
    import torch

    from dycl.prelude.complex_numbers import Complex

    if tensor.dtype not in (torch.complex64, torch.complex128):
        return None
    if tensor.layout != torch.strided:
        return None
    plain = tensor.detach().resolve_conj()
    return Complex(plain.real, plain.imag)


def _get(self: Any, key: Any, default: Any = None) -> Any:
    try:
        return self[key]
    except KeyError:
        return default


def _read(self: Any, key: Any) -> Any:
    return self[key]


def _contains(self: Any, key: Any) -> bool:
    try:
        self[key]
    except KeyError:
        return False
    else:
        return True


def _keys(self: Any) -> list[Any]:
    return list(self)


def _values(self: Any) -> list[Any]:
    return [self[key] for key in self]


def _items(self: Any) -> list[Any]:
    return [(key, self[key]) for key in self]


_MAPPING = vars(_collections_abc.Mapping)
_FUNCTIONS: dict[object, Callable[..., Any]] = {
    _MAPPING["get"]: _get,
    _MAPPING["__contains__"]: _contains,
    _MAPPING["keys"]: _keys,
    _MAPPING["values"]: _values,
    _MAPPING["items"]: _items,
}
"""Methods of `collections.abc.Mapping`; what gives a view gives a list."""


def function_for(value: object) -> Callable[..., Any] | None:
    """The function that is compiled in the place of Python's, if there is one."""
    try:
        return _FUNCTIONS.get(value)
    except TypeError:  # nothing that hashes
        return None


_OF_DICTS: dict[object, Callable[..., Any]] = {dict.__getitem__: _read}
"""Methods of dicts that a class may have under another name."""


def alias_of_dicts(value: object) -> Callable[..., Any] | None:
    """The function for `__getattr__ = dict.__getitem__` of a class of the user's."""
    try:
        return _OF_DICTS.get(value)
    except TypeError:  # nothing that hashes
        return None


def has_stand_in(value: object) -> bool:
    """Whether a value is an object of Python's that another stands for."""
    return isinstance(value, contextvars.ContextVar)


def object_for(value: object) -> object | None:
    """The object that stands for one of Python's, if there is one."""
    if isinstance(value, contextvars.ContextVar):
        is_set = value in contextvars.copy_context()
        try:
            return ContextVariable(value.get(), is_set)
        except LookupError:
            return None  # to read it raises
    return None
