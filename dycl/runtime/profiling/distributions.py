"""Many distributions of times: counts, sums, extremes, and percentiles from bins.

The memory does not grow with the number of values. A bin is 1/32 of an octave, so a
percentile is right to about 1 %; count, total, least and most are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_OCTAVE = 32
_BINS = 44 * _OCTAVE
"""Up to 2^44 ns, which is five hours."""
PERCENTILES = (50, 90, 99)


class Distributions:
    """Row by row, of values in nanoseconds."""

    def __init__(self, rows: int):
        """All rows are empty."""
        self.count = np.zeros(rows, np.int64)
        self.total = np.zeros(rows, np.float64)
        self._least = np.full(rows, np.inf)
        self._most = np.zeros(rows, np.float64)
        self._bins = np.zeros((rows, _BINS), np.int32)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.count)

    def grow(self, rows: int) -> None:
        """Have at least this many rows; new ones are empty."""
        if rows <= len(self):
            return
        more = Distributions(max(rows, 2 * len(self)) - len(self))
        for name in ("count", "total", "_least", "_most", "_bins"):
            both = np.concatenate([getattr(self, name), getattr(more, name)])
            setattr(self, name, both)

    def add(self, rows: Any, values: Any) -> None:
        """Add values, each to the row of the same place in `rows`."""
        rows = np.asarray(rows, np.int64)
        values = np.maximum(np.asarray(values, np.float64), 0.0)
        size = len(self)
        self.count += np.bincount(rows, minlength=size)
        self.total += np.bincount(rows, values, minlength=size)
        np.minimum.at(self._least, rows, values)
        np.maximum.at(self._most, rows, values)
        bins = (np.log2(np.maximum(values, 1.0)) * _OCTAVE).astype(np.int64)
        np.add.at(self._bins, (rows, np.minimum(bins, _BINS - 1)), 1)

    def summary(self, *rows: int) -> dict[str, Any]:
        """What is known of some rows together; times in microseconds, if there are
        any."""
        places = list(rows)
        count, total = int(self.count[places].sum()), float(self.total[places].sum())
        if count == 0:
            return {"count": 0, "total_us": 0.0}
        least, most = self._least[places].min(), self._most[places].max()
        below = np.cumsum(self._bins[places].sum(axis=0))

        def percentile(percent: int) -> float:
            """The value of which `percent` of all are no larger."""
            place = int(np.searchsorted(below, count * percent / 100))
            middle = 2.0 ** ((place + 0.5) / _OCTAVE)
            return float(np.clip(middle, least, most))

        times = {
            "total_us": total,
            "mean_us": total / count,
            **{f"p{percent}_us": percentile(percent) for percent in PERCENTILES},
            "min_us": float(least),
            "max_us": float(most),
        }
        return {"count": count, **{k: round(v / 1e3, 4) for k, v in times.items()}}
