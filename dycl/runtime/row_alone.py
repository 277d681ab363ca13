"""Rows for each of which a network is called from Python: it takes one row.

So are rows that native code cannot run alone: those of a network that runs in Python,
prints, has a state or several ways out. Trees go beside each other, if their kernels
run together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dycl.runtime.row_inputs import part_of_input
from dycl.runtime.row_results import combined, concatenated
from dycl.runtime.row_threads import CHUNKS, even

if TYPE_CHECKING:
    from dycl.runtime.decisions import Taken
    from dycl.runtime.net import CompiledNet


class RowsAlone:
    """Calls of a network for one row, and what they give as one result."""

    def __init__(
        self,
        net: CompiledNet,
        run: Callable[..., Any],
        inputs: Sequence[int],
        ways: Sequence[Mapping[str, Any]],
    ):
        """`run` calls the network, of whose inputs these have rows; `ways` lead out."""
        self._net, self._run = net, run
        self._inputs, self._ways = inputs, ways
        self._is_batch = len(ways) == 1 and _is_batch(ways[0])

    def run(
        self, given: Sequence[object], first: int, last: int
    ) -> tuple[list[Any], list[Taken]]:
        """The result of each of some rows, and the decisions that it took."""
        most = self._net.most_together
        if most < 2 or last - first < 2:
            return self._run_each(given, first, last)
        results: list[Any] = []
        taken: list[Taken] = []
        for begin, end in even(last - first, -(-(last - first) // most)):
            rows = range(first + begin, first + end)
            found = self._net.run_together([self._row(given, row) for row in rows])
            if found is None:
                ran = self._run_each(given, rows.start, rows.stop)
                results += ran[0]
                taken += ran[1]
                continue
            results += [result for result, _ in found]
            taken += [one for _, one in found]
        return results, taken

    def _row(self, given: Sequence[object], row: int) -> tuple[object, ...]:
        """The arguments of one row."""
        arguments = list(given)
        for index in self._inputs:
            arguments[index] = part_of_input(given[index], row)
        return tuple(arguments)

    def _run_each(
        self, given: Sequence[object], first: int, last: int
    ) -> tuple[list[Any], list[Taken]]:
        """The same by a call for each."""
        results: list[Any] = []
        taken: list[Taken] = []
        run, note = self._run, self._net.taken
        if len(given) == 1:
            (batch,) = given
            for row in range(first, last):
                results.append(run(part_of_input(batch, row)))
                taken.append(note())
            return results, taken
        for row in range(first, last):
            results.append(run(*self._row(given, row)))
            taken.append(note())
        return results, taken

    def parts(self, count: int, threads: int) -> int:
        """Into how many parts threads take so many rows."""
        most = self._net.most_together
        parts = max(threads, -(-count // most)) if most > 1 else CHUNKS * threads
        return min(count, parts)

    def joined(self, results: list[Any]) -> Any:
        """One result of those of all rows; a list, where there are several ways."""
        if self._is_batch:
            return results[0] if len(results) == 1 else concatenated(results)
        if len(self._ways) != 1:
            return results
        return combined(results, self._ways[0]["structure"], self._ways[0]["values"])


def _is_batch(way: Mapping[str, Any]) -> bool:
    """Whether one tensor is returned, which has rows."""
    if way["structure"] != {"leaf": 0}:
        return False
    shape = way["values"][0]["shape"]
    return bool(shape) and shape[0] == 1
