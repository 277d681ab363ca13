"""The rows of a printed host's table STATE."""

from typing import Literal, NamedTuple

Mode = Literal["keep", "set", "grow"]


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
