"""Keyword arguments that do not exist are refused with the closest one that does."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

F = TypeVar("F", bound="Callable[..., Any]")


def closest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing if no known name is close."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def suggests(function: F) -> F:
    """The function, whose TypeError for an unknown keyword names the closest one."""
    parameters = inspect.signature(function).parameters
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = [name for name, one in parameters.items() if one.kind in named]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in known:
                raise TypeError(
                    f"dycl.{function.__name__}() has no argument '{name}'"
                    f"{closest(name, known)}"
                )
        return function(*args, **kwargs)

    return call  # pyright: ignore[reportReturnType]
