"""The path of a call: which side of each data-dependent `if` was taken."""

from __future__ import annotations

from dataclasses import dataclass


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
