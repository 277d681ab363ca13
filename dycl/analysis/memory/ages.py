"""Writes to memory that several names share, and which of the names they change.

A name is changed by a write if it was there before, and is not older than the memory.
"""

from typing import NamedTuple

from xdsl.ir import Operation


class Write(NamedTuple):
    """One write; times are those of a walk through the program."""

    since: int
    """When the memory was made, or 0."""
    age: int
    """When it was written to."""
    op: Operation

    def changes(self, born: int) -> bool:
        """Whether a name that was given at that time may mean what is changed."""
        return self.since <= born < self.age


Writes = tuple[Write, ...]
"""Of one family, in order; those behind are of memory that was made later."""
_MOST = 8
"""How many are kept apart."""


def written(before: Writes, write: Write) -> Writes:
    """The writes with one more, which is the last."""
    older = [w for w in before if w.since < write.since]
    if len(older) >= _MOST:
        first, second, *rest = older
        older = [Write(first.since, second.age, second.op), *rest]
    return (*older, write)
