"""The calls of each path: which decisions, how often, how long."""

from __future__ import annotations

from typing import Any

import numpy as np

from dycl.runtime.profiling.distributions import Distributions

MOST_PATHS = 1000
_LONGEST = 4096
"""Decisions of a path that is known by itself."""


class Paths:
    """Times of calls by their path; the many that there may be share one row."""

    def __init__(self) -> None:
        """None yet."""
        self._rows: dict[bytes | None, int] = {None: 0}
        self._times = Distributions(8)

    def add(self, path: bytes, nanoseconds: float) -> None:
        """Count a call. `path`: 2 * number + (1 if it was true), each a uint32."""
        key: bytes | None = path
        if path not in self._rows:
            if len(path) > 4 * _LONGEST or len(self._rows) > MOST_PATHS:
                key = None
            else:
                self._rows[path] = len(self._rows)
                self._times.grow(len(self._rows))
        self._times.add([self._rows[key]], [nanoseconds])

    def data(self) -> list[dict[str, Any]]:
        """The most frequent first; "path" is None for all that have no row."""
        count = self._times.count
        rows = sorted(self._rows.items(), key=lambda item: (-count[item[1]], item[1]))
        return [
            {"path": None if key is None else _sides(key), **self._times.summary(row)}
            for key, row in rows
            if count[row]
        ]


def _sides(path: bytes) -> list[list[Any]]:
    return [[int(p) >> 1, bool(p & 1)] for p in np.frombuffer(path, np.uint32)]
