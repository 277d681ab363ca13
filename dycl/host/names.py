"""Identifiers for the printed host: the user's names, made valid and unique."""

import builtins
import keyword
import re
from collections.abc import Iterable

RESERVED: frozenset[str] = frozenset(
    {
        "DECISIONS",
        "INPUTS",
        "abs",
        "bool",
        "decide",
        "float",
        "int",
        "len",
        "load",
        "math",
        "numpy",
        "print",
        "result",
        "round",
        "rt",
        "sum",
    }
    | {
        name
        for name, found in vars(builtins).items()
        if isinstance(found, type) and issubclass(found, BaseException)
    }
)
"""Names that the printed text itself uses."""


class Names:
    """Gives every value a name of its own, close to what is asked for."""

    def __init__(self, reserved: Iterable[str] = RESERVED) -> None:
        """`reserved` are names that are never given."""
        self._taken = set(reserved)
        self._next: dict[str, int] = {}

    def fresh(self, wanted: str | None, default: str = "v") -> str:
        """`wanted` as an identifier nobody has yet: `conv1_weight`, `x_1`."""
        name = _identifier(wanted or default)
        if name not in self._taken and not keyword.iskeyword(name):
            self._taken.add(name)
            return name
        number = self._next.get(name, 1)
        while f"{name}_{number}" in self._taken:
            number += 1
        self._next[name] = number + 1
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"


def _identifier(text: str) -> str:
    """Letters, digits and underscores of ASCII; never empty, no digit in front."""
    name = re.sub(r"\W+", "_", text, flags=re.ASCII)
    return name if name and not name[0].isdigit() else f"_{name}"
