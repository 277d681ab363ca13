"""Calls of memoised functions on constants, evaluated as a function is lowered.

    @functools.cache
    def has_version(name, least): ...    # reads files, imports, parses

    if has_version("torch", "2.10"):     # the constant True

Libraries ask so for the versions of packages and for what a machine has. What these
functions do cannot be compiled, and need not be: who memoises a function says that what
it gives depends on its arguments only.

It is sound, whatever the function does: it is called through its cache, once, and a
call of eager's with the same arguments finds there what this one found. So a run reads
no state of its own by it, what it does besides is done at most once as in eager, and
it cannot tell whether it was called. Only constants go in and come out, since a tensor
is not known now, and a list could be changed by who has it. The value is part of the
program's text, so a program that is kept from another process, with other packages, is
not taken for this one.

All else is inlined where nobody can tell (`dycl.frontend.purity`), and refused where
that is not so (DY109). A cached property is such a function of its object.
"""

import ast
from collections.abc import Sequence
from typing import Any, cast

from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.names import MISSING
from dycl.frontend.process_environment import reads_environment
from dycl.ir.constant_values import constant_value

_PLAIN = (bool, int, float, str, type(None))


def evaluated(
    b: FunctionBuilder,
    node: ast.Call,
    function: object,
    arguments: Sequence[SSAValue],
    names: Sequence[str],
) -> object:
    """What a memoised function gives for these arguments, the last of them by name.

    A function that reads the process's environment is called as well. MISSING: it is
    neither, an argument or the result is no constant, or it raises.
    """
    values = [constant_value(a) for a in arguments]
    if (
        not (is_memoised(function) or reads_environment(function))
        or {"*", "**"} & set(names)
        or not all(map(_is_plain, values))
        or _is_statement(b, node)
    ):
        return MISSING
    count = len(values) - len(names)
    keywords = dict(zip(names, values[count:], strict=True))
    try:
        result = cast(Any, function)(*values[:count], **keywords)
    except Exception:
        return MISSING
    return result if _is_plain(result) else MISSING


class CachedProperty:
    """The getter of a `functools.cached_property`; equal for the same function."""

    def __init__(self, function: Any):
        self.function = function
        self.__module__ = function.__module__
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__

    def __eq__(self, other: object) -> bool:
        is_such = isinstance(other, CachedProperty)
        return is_such and other.function is self.function

    def __hash__(self) -> int:
        return hash((CachedProperty, self.function))


def is_memoised(function: object) -> bool:
    """Whether it is a function under `functools.cache` or a `lru_cache` that keeps, or
    that of a cached property."""
    if isinstance(function, CachedProperty):
        return True
    if type(function).__name__ != "_lru_cache_wrapper":
        return False
    return cast(Any, function).cache_parameters()["maxsize"] != 0


def memoised_function(function: Any) -> Any:
    """The plain function of one that `is_memoised`."""
    if isinstance(function, CachedProperty):
        return function.function
    return function.__wrapped__


def _is_statement(b: FunctionBuilder, node: ast.Call) -> bool:
    """Whether nothing has the result of a call."""
    statements = (s for s in ast.walk(b.source.node) if isinstance(s, ast.Expr))
    return any(s.value is node for s in statements)


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, cast("tuple[object, ...]", value)))
    return type(value) in _PLAIN
