"""Tests of what was read as JSON: each takes a value, and what it is called.

Each raises Wrong, a sentence, if something else is there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, cast


class Wrong(Exception):
    """What stands somewhere, and what should."""


Test = Callable[[Any, str], None]


def refuse(where: str, wanted: str) -> NoReturn:
    """Wrong: something else than `wanted` is at `where`."""
    raise Wrong(f"`{where}` is not {wanted}")


def is_text(value: Any, where: str) -> None:
    """A text."""
    if not isinstance(value, str):
        refuse(where, "a text")


def is_size(value: Any, where: str) -> None:
    """A size: 0 or more, in 63 bits."""
    if type(value) is not int or not 0 <= value < 1 << 63:
        refuse(where, "a size")


def list_of(test: Test) -> Test:
    """A list whose items pass a test."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            refuse(where, "a list")
        for place, item in enumerate(cast("list[Any]", value)):
            test(item, f"{where}[{place}]")

    return check


def dict_of(test: Test) -> Test:
    """A dict whose values pass a test."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            refuse(where, "a dict")
        for key, item in cast("dict[str, Any]", value).items():
            test(item, f"{where}.{key}")

    return check


def fields_of(optional: tuple[str, ...] = (), /, **tests: Test) -> Test:
    """A dict that has these keys, but for `optional` ones; values pass the tests."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            refuse(where, "a dict")
        for name, test in tests.items():
            if name in value:
                test(value[name], f"{where}.{name}")
            elif name not in optional:
                raise Wrong(f"`{where}.{name}` is missing")

    return check


def anything(value: Any, where: str) -> None:
    """What is there to be read by people."""
