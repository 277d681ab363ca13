"""Calls of a network for one row, of which native code makes one for each of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dycl.runtime.inputs import as_arrays
from dycl.runtime.observers import Observer
from dycl.runtime.row_runs import Batches, batches_of
from dycl.runtime.state import State
from dycl.runtime.tree_inputs import TreeCalls


class RowCalls(TreeCalls):
    """The part of a network that runs rows of batches one after the other."""

    _state: State
    observer: Observer | None

    def batches(self, inputs: Sequence[int], way: Mapping[str, Any]) -> Batches | None:
        """What `each_row` runs on, of a network for one row: `inputs` are those with
        rows, `way` is the only one out. None: native code cannot run them alone."""
        has_more = self._state.rows or self._written or self._refilled or self._trees
        if self._native is None or self.signature is not None or has_more:
            return None
        return batches_of(self._native, self._inputs.specs, inputs, way)

    def each_row(self, batches: Batches, arguments: tuple[object, ...]) -> bytes | None:
        """Run all rows of inputs, and put what they give into the batches behind them:
        what `paths_in` takes. None, and nothing is run: they are not at once batches,
        or somebody looks at each run. Raises what the first row raises that does."""
        if self.observer is not None:
            return None
        ran = self._calls.each_row(batches, arguments)
        if ran is not None or self._native is None or as_arrays(arguments) is None:
            return ran
        if not self._native.knows_tensors():
            return None
        return self._calls.each_row(batches, arguments)
