"""The rows of a printed host's table STATE."""

from __future__ import annotations

from typing import Literal, NamedTuple

Mode = Literal["keep", "set", "grow", "write", "write contiguous", "refill"]


NO_VALUE = "@no value"
"""What stands for the value of an attribute that has none (`dycl.ir.state`)."""


class Given(NamedTuple):
    """What one variant takes for a variable."""

    structure: object
    arguments: tuple[int, ...]


class Row(NamedTuple):
    """One variable, as printed."""

    name: str
    mode: Mode
    initial: tuple[object, tuple[str, ...]] | None
    given: tuple[tuple[object, tuple[int, ...]], ...]

    @property
    def writes(self) -> bool:
        """Whether it is an input that a call may write to: the one it takes."""
        return self.mode.startswith("write")

    @property
    def refills(self) -> bool:
        """Whether it is a list or dict of the caller's that a call may change."""
        return self.mode == "refill"
