"""What a run of a graph notes: whether it stopped, its decisions, and its return.

Bytes of the record: three words of 8, then a word of 4 for each decision, in the order
in which they were made: twice its number, plus 1 if it was true.
"""

from __future__ import annotations

from dycl.runtime.buffers import Array

STOPPED, COUNT, EXIT = 0, 8, 16
"""Where the words are: not 0 if the host has to do the run, how many decisions there
are, and the number of the return."""
ENTRIES = 24
"""Where the decisions begin."""
MOST_DECISIONS = 1 << 16
"""A run with more stops."""
MOST_AT_ONCE = 1024
"""Decisions that are copied with the results; more are copied when there are."""


def decisions(entries: Array) -> list[tuple[int, bool]]:
    """Number and side of each decision; `entries` is of uint32."""
    return [(entry >> 1, bool(entry & 1)) for entry in entries.tolist()]
