"""A network whose inputs have rows, each of which goes its own way.

Rows that took one way out of the network come back together: the network gives their
numbers and their values, and which of its decisions they took. Here that is put into
the order of the rows. Few rows, and those of a network that is not compiled for many,
are computed one by one, which gives the same. Threads may share the rows of a call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.decisions import Decision
from dycl.runtime.inputs import InputError, array_of, as_arrays, is_torch_tensor
from dycl.runtime.row_alone import RowsAlone
from dycl.runtime.row_arguments import RowArguments
from dycl.runtime.row_inputs import (
    arrays_at_once,
    check_no_rows,
    count_at_once,
    count_of,
    fits_of,
    is_plain,
)
from dycl.runtime.row_logs import paths_in, paths_of_groups, sides_of
from dycl.runtime.row_results import built, in_rows, nothing_of
from dycl.runtime.row_runs import path_of_last, paths_of, rows_at_once
from dycl.runtime.row_threads import Threads, even
from dycl.runtime.tensors import to_torch
from dycl.runtime.trees import NODE

if TYPE_CHECKING:
    from dycl.runtime.decisions import Taken
    from dycl.runtime.net import CompiledNet

Path = tuple[Decision, ...]
Run = Callable[..., Any]


class Rows(RowArguments):
    """How a network is called with many rows; `paths` are those of its last call."""

    def __init__(
        self,
        net: CompiledNet,
        form: Mapping[str, Any],
        single: CompiledNet | None = None,
    ):
        """`form`: what the compiler says of the rows, as a manifest has it. `single` is
        the same network for one row; without it, `net` is."""
        super().__init__(net.signature, net.inputs, form)
        self._net = net
        self._run: Run = net.on_inputs
        self.single = net if single is None else single
        """The network that takes one row."""
        self._run_one: Run = self.single.on_inputs
        self._decisions: Sequence[Sequence[Any]] = form["decisions"]
        self._kind: str = form["form"]
        self._most: int = form["most"]
        self._few: int = form["few"] if self.is_grouped and single is not None else 0
        self._shared: int = form["shared"]
        self.threads = threads = int(form["threads"])
        """How many threads share a call: its rows, or its kernels."""
        self._threads = Threads(threads) if threads > 1 and self._shared else None
        self._last = threading.local()
        self._fits = fits_of(self._specs, self._inputs)
        self._at_once = self._groups = None
        """What runs rows one by one, and in groups, in native code; never a state."""
        if self.is_grouped or self._shared:
            self._at_once = rows_at_once(self.single, form, is_grouped=False)
            self._groups = rows_at_once(net, form, is_grouped=True)
        self._alone = RowsAlone(self.single, self._run_one, self._inputs, self._ways)

    def __del__(self) -> None:
        """Threads that wait for rows have no more to wait for."""
        if (threads := getattr(self, "_threads", None)) is not None:
            threads.close()

    @property
    def is_grouped(self) -> bool:
        """Whether rows that go one way are computed together, if they are many."""
        return self._kind != "one by one"

    @property
    def paths(self) -> tuple[Path, ...]:
        """For each row of this thread's last call, the decisions that it took."""
        paths: Any = getattr(self._last, "paths", ())
        if callable(paths):
            self._last.paths = paths = paths()
        return paths

    @property
    def path(self) -> Path:
        """What the network decided in this thread's last call, of all rows computed
        together, or of the last row; nothing if that raised."""
        ran: Callable[[], Path] | None = getattr(self._last, "ran", None)
        if ran is None:
            return self.paths[-1] if self.paths else ()
        return ran()

    def __call__(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """Run the network for all rows. InputError: an argument does not fit."""
        self._last.paths, self._last.ran = (), None
        return self.on_inputs(self.inputs_of(args, kwargs))

    def of_one_row(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """What a call with one row gives for it, as `split` says; its trees are given
        as they are, not as lists. InputError: an argument does not fit."""
        given = list(self.inputs_of(args, kwargs))
        for index in self._inputs:
            if self._specs[index].dtype == NODE:
                given[index] = [given[index]]
        return self.split(self.on_inputs(tuple(given)), 1)[0]

    def on_inputs(self, args: tuple[object, ...]) -> Any:
        """Run the network for all rows of its inputs, without what is around them.
        InputError: one does not fit."""
        self._last.paths, self._last.ran = (), None
        is_watched = self._net.observer is not None  # Who looks at runs, sees groups.
        few = 0 if is_watched else self._few
        count = count_at_once(self._inputs, args)
        if count and (count <= few or not self.is_grouped):
            if count == 1:
                return self._of_one_row(args)
            if self._at_once is not None:
                found = self._at_once(args, count, threads=self._sharing(count))
                if found is not None:
                    self._last.paths = paths_of(self.single, found[1])
                    return found[0]
        elif count and self._groups is not None and not is_watched:
            try:
                if (found := self._groups_at_once(args, count)) is not None:
                    return found[0]
            except (InputError, MemoryError):
                raise
            except Exception:
                if self.single is self._net:
                    raise
                few = count  # The first row that raises alone says what is raised.
        if self._fits and (found := arrays_at_once(self._fits, args)) is not None:
            arrays, count, saw_torch = found
            result = self._of_rows(arrays, count, few)
            return to_torch(result) if saw_torch else result
        return self._looked_at(args, few)

    def _looked_at(self, args: tuple[object, ...], few: int) -> Any:
        """A call whose arguments are not at once rows of arrays."""
        arrays = as_arrays(args)
        saw_torch = arrays is not None
        if arrays is None:
            saw_torch = any(map(is_torch_tensor, args))
            arrays = [
                value
                if spec.shape is None or is_plain(value)
                else array_of(spec, value)
                for spec, value in zip(self._specs, args)
            ]
        count = count_of(*self._with_rows(arrays))
        result = self._of_rows(arrays, count, few)
        return to_torch(result) if saw_torch else result

    def _of_rows(self, arrays: Sequence[object], count: int, few: int) -> Any:
        if self.is_grouped and count > few:
            return self._in_groups(arrays, count)
        return self._one_by_one(arrays, count)

    def run_with(
        self, state: Mapping[str, Any] | None, arguments: Sequence[object]
    ) -> tuple[Any, dict[str, Any]]:
        """The result for one row with a state of its own, and the state behind it."""
        return self._net.with_state(state, lambda: self._run_one(*arguments))

    def _with_rows(self, values: Sequence[object]) -> tuple[list[Any], list[object]]:
        """The inputs that have rows, and their values."""
        return [self._specs[i] for i in self._inputs], [values[i] for i in self._inputs]

    # ---- row by row

    def _of_one_row(self, args: tuple[object, ...]) -> Any:
        """A call of the network for one row, with the arguments as they are."""
        result = self._run_one(*args)
        taken = [self.single.taken()]
        self._ran(self.single, taken[0])
        self._last.paths = lambda: tuple(map(self.single.path_of, taken))
        return self._alone.joined([result])

    def _one_by_one(self, given: Sequence[object], count: int) -> Any:
        if self._threads is None or self._sharing(count) == 1:
            results, taken = self._alone.run(given, 0, count)
        else:
            bounds = even(count, self._alone.parts(count, self._threads.count))
            parts = self._threads.share(
                [partial(self._alone.run, given, *b) for b in bounds]
            )
            results = [result for part, _ in parts for result in part]
            taken = [one for _, part in parts for one in part]
        if taken:
            self._ran(self.single, taken[-1])
        self._last.paths = lambda: tuple(map(self.single.path_of, taken))
        return self._alone.joined(results) if results else self._nothing(given)

    def _ran(self, net: CompiledNet, taken: Taken) -> None:
        self._last.ran = partial(net.path_of, taken)

    def _in_groups(self, given: Sequence[object], count: int) -> Any:
        """Where a group raises, what the first row raises that does so alone."""
        try:
            return self._together(given, count)
        except (InputError, MemoryError):
            raise
        except Exception:
            if self.single is self._net:
                raise
            return self._one_by_one(given, count)

    def _sharing(self, count: int) -> int:
        """How many threads share so many rows."""
        return self.threads if self._threads and count >= self._shared else 1

    def _groups_of(self, count: int, threads: int) -> int:
        """Into how many groups rows are parted: as many for each thread."""
        return -(-count // (self._most * threads)) * threads

    def _groups_at_once(
        self, args: tuple[object, ...], count: int
    ) -> tuple[Any] | None:
        """A tuple of what native code gives that runs all groups; None: it cannot."""
        assert self._groups is not None
        threads = self._sharing(count)
        number = self._groups_of(count, threads)
        found = self._groups(args, count, number, threads)
        if found is None:
            return None
        result, written = found
        parts = self._decisions, written, count, number
        self._last.paths = partial(paths_of_groups, *parts)
        self._last.ran = partial(path_of_last, self._net, written)
        return (result,)

    def _together(self, given: Sequence[object], count: int) -> Any:
        threads = self._sharing(count)
        bounds = even(count, self._groups_of(count, threads))
        if self._threads is None or threads == 1:
            done = [self._group(given, *part, count) for part in bounds]
        else:
            done = self._threads.share(
                [partial(self._group, given, *part, count) for part in bounds]
            )
        logs = [(log, part[1] - part[0]) for (log, *_), part in zip(done, bounds)]
        self._ran(self._net, done[-1][1])
        self._last.paths = lambda: paths_in(self._decisions, logs)
        if (observer := self._net.observer) is not None:
            observer.rows(count, self._decisions, sides_of(self._decisions, logs))
        parts: list[list[Any]] = [part for _, _, part in done]
        if len(self._ways) != 1:
            return [row for part in parts for row in part]
        leaves = parts[0]
        if len(parts) > 1:
            leaves = [
                [*chain(*same)] if isinstance(same[0], list) else np.concatenate(same)
                for same in zip(*parts)
            ]
        return built(self._ways[0]["structure"], leaves, count)

    def _group(
        self, given: Sequence[object], first: int, last: int, count: int
    ) -> tuple[Array | None, Taken, list[Any]]:
        """What some rows have decided, what all of them did, and their results."""
        part = given
        if last - first < count:
            part = list(given)
            for index in self._inputs:
                part[index] = cast(Array, given[index])[first:last]
        returned = list(self._run(*part))
        log = returned.pop(0) if self._decisions else None
        ordered = self._kind == "in order"
        values = in_rows(self._ways, ordered, returned, last - first)
        return log, self._net.taken(), values

    def _nothing(self, given: Sequence[object]) -> Any:
        """The result for no rows. InputError: they are not rows of the network's."""
        check_no_rows(*self._with_rows(given))
        nothing = [] if len(self._ways) != 1 else nothing_of(self._ways[0])
        has_trees = any(spec.dtype == NODE for spec in self._specs)
        return to_torch(nothing) if has_trees and self._net.makes_tensors else nothing
