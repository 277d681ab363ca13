"""The path of a call: which side of each data-dependent `if` was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np

Taken = Union[bytes, Sequence["tuple[int, bool]"]]
"""Decisions of a call: number and side of each; or what native code puts down of them,
twice the number and the side in 32 bits."""


@dataclass(frozen=True)
class Decision:
    """One decision of the last call, in the user's words.

    `str()` gives `block3: p > 0.5 is False (net.py:31)`.
    """

    name: str
    """What the decision is called, or ""."""
    test: str
    """The condition as the user wrote it, or ""."""
    taken: bool
    """The value of the condition."""
    file: str
    """The user's file, or "" where it is unknown."""
    line: int

    def __str__(self) -> str:
        """The decision as one line of text."""
        what = ": ".join(part for part in (self.name, self.test) if part)
        where = f" ({self.file}:{self.line})" if self.file else ""
        return f"{what or 'a decision'} is {self.taken}{where}"


def path_of(
    decisions: Sequence[tuple[str, str, str, int]], taken: Taken
) -> tuple[Decision, ...]:
    """The path of a call; `decisions` has name, test, file and line of each number."""
    entries = [(decisions[i], side) for i, side in sides_of(taken)]
    return tuple(
        Decision(name, test, side, file, line)
        for (name, test, file, line), side in entries
    )


def sides_of(taken: Taken) -> Sequence[tuple[int, bool]]:
    """Number and side of each decision of a call."""
    if not isinstance(taken, bytes):
        return taken
    events = np.frombuffer(taken, np.uint32).tolist()
    return [(event >> 1, bool(event & 1)) for event in events]
