"""Calls of a network by native code alone, with the rows of batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dycl.runtime.inputs import as_arrays
from dycl.runtime.observers import Observer
from dycl.runtime.row_batches import Batches, batches_of, groups_of
from dycl.runtime.state import State
from dycl.runtime.tree_inputs import TreeCalls


class RowCalls(TreeCalls):
    """The part of a network that runs the rows of batches."""

    _state: State
    observer: Observer | None

    def batches(self, inputs: Sequence[int], way: Mapping[str, Any]) -> Batches | None:
        """What `run_batches` runs on, of a network for one row: `inputs` are those with
        rows, `way` is the only one out. None: native code cannot run them alone."""
        if self._native is None or self._native.gpu or self._has_more():
            return None
        return batches_of(self._native, self._inputs.specs, inputs, way)

    def groups(self, inputs: Sequence[int], form: Mapping[str, Any]) -> Batches | None:
        """The same of a network for many rows, of which `form` says what comes out."""
        if self._native is None or self._native.gpu or self._has_more():
            return None
        return groups_of(self._native, self._inputs.specs, inputs, form)

    def _has_more(self) -> bool:
        """Whether a call does more than to run on its arguments."""
        changes = self._state.rows or self._written or self._refilled
        return bool(changes or self._trees)

    def run_batches(
        self, batches: Batches, arguments: tuple[object, ...], runs: int, threads: int
    ) -> list[bytes] | None:
        """Run all rows of inputs, in so many runs, 0: one for each row, which threads
        may share, and put what they give into the batches behind them: what `runs_in`
        takes. None, and nothing is run: they are not at once batches, or somebody looks
        at each run. Raises what the first run raises that does."""
        if self.observer is not None:
            return None
        ran = self._calls.run_batches(batches, arguments, runs, threads)
        if ran is not None or self._native is None or as_arrays(arguments) is None:
            return ran
        if not self._native.knows_tensors():
            return None
        return self._calls.run_batches(batches, arguments, runs, threads)
