"""What a native run has decided, as bytes: read after each of many rows."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

_SHORT = 64
"""Decisions, of paths that are read again at the same place."""


class PathBytes:
    """Reads the path that a handle has: `ctypes.string_at` takes ten times as long."""

    def __init__(self, words: Sequence[int], place: int, count: int):
        """`words` are the handle's; `place` and `count` say which of them are the
        path's address, and how many ints it has."""
        self._words, self._place, self._count = words, place, count
        self._at = 0
        self._short: dict[int, ctypes.Array[ctypes.c_char]] = {}
        """Paths at this address, by their length."""

    def read(self) -> bytes:
        """The path of the last run."""
        at, count = self._words[self._place], self._words[self._count]
        if count > _SHORT:
            return ctypes.string_at(at, 4 * count)
        if at != self._at:
            self._at, self._short = at, {}
        found = self._short.get(count)
        if found is None:
            found = (ctypes.c_char * (4 * count)).from_address(at)
            self._short[count] = found
        return found.raw
