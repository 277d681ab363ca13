"""How lines of C are laid out: long ones, blocks, and notes of the user's places."""

import textwrap
from collections.abc import Sequence

from xdsl.ir import Operation

from dycl.host.lines import indent, location_text

_WRAP = 88


def filled(head: str, items: Sequence[str], end: str) -> list[str]:
    """Items after `head`, as many on a line as fit."""
    whole = f"{head}{', '.join(items)}{end}"
    if len(whole) <= _WRAP:
        return [whole]
    lines = textwrap.wrap(", ".join(items), _WRAP - 4, break_long_words=False)
    return [head, *indent(lines), end]


def braced(lines: Sequence[str]) -> list[str]:
    """A block of these lines."""
    return ["{", *indent(lines), "}"]


def noted(lines: Sequence[str], op: Operation) -> list[str]:
    """The lines, the first with the user's place."""
    if not lines:
        return []
    return [f"{lines[0]}{comment(location_text(op))}", *lines[1:]]


def comment(text: str) -> str:
    """`  // net.py:31`; a comment of C that ends where the line does."""
    plain = text.encode("ascii", "backslashreplace").decode().replace("\\", "/")
    return f"  // {plain}" if plain else ""
