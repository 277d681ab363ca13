"""What rows have decided that went in groups: which way each went at each decision.

A network puts down an int64 for each row that comes to a decision: its number among
those of its group times the count of decisions plus the number of the decision, times
two, plus the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.decisions import Decision
from dycl.runtime.row_runs import runs_in
from dycl.runtime.row_threads import even

Log = tuple[Optional[Array], int]
"""What a group has put down, if there are decisions, and its number of rows."""


def paths_of_groups(
    decisions: Sequence[Sequence[Any]],
    written: Sequence[bytes],
    count: int,
    number: int,
) -> tuple[tuple[Decision, ...], ...]:
    """The decisions of each row, from what native code has written of so many rows in a
    number of groups."""
    logs: list[Log] = [
        (np.frombuffer(run.log, np.int64), last - first)
        for run, (first, last) in zip(runs_in(written), even(count, number))
    ]
    return paths_in(decisions, logs)


def sides_of(decisions: Sequence[Sequence[Any]], logs: Sequence[Log]) -> Array:
    """How often rows went each way at each decision, int64 [decisions, 2]."""
    sides = 2 * len(decisions)
    codes = [log % sides for log, _ in logs if log is not None]
    none = np.empty(0, np.int64)
    counts = np.bincount(np.concatenate([none, *codes]), minlength=sides)
    return counts.reshape(len(decisions), 2)


def paths_in(
    decisions: Sequence[Sequence[Any]], logs: Sequence[Log]
) -> tuple[tuple[Decision, ...], ...]:
    """The decisions of each row, from what calls have put down, each of some rows."""
    result: list[tuple[Decision, ...]] = []
    made: dict[tuple[int, int], Decision] = {}
    for log, count in logs:
        paths: list[list[Decision]] = [[] for _ in range(count)]
        for code in [] if log is None else log.tolist():
            rest, side = divmod(code, 2)
            row, number = divmod(rest, len(decisions))
            key = number, side
            if key not in made:
                name, test, file, line = decisions[number]
                made[key] = Decision(name, test, bool(side), file, line)
            paths[row].append(made[key])
        result += map(tuple, paths)
    return tuple(result)
