"""Writing a row program down: the loops over rows, and what there is once for each."""

from collections.abc import Callable, Sequence
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.loops.flat_access import FlatAccess
from dycl.kernels.cpu.rows.row_memory import RowMemory, first_lanes
from dycl.kernels.cpu.rows.row_pass import RowPass, Scratch
from dycl.kernels.cpu.rows.row_plan import LANES, Plan
from dycl.kernels.cpu.rows.row_state import Rows

_SIDE_BY_SIDE = 4
"""So many rows fill the time that a row waits for its reduction."""
_SHORT = 64 * LANES
"""From that length on, a row has enough to do by itself."""


class RowProgram:
    """Writes a plan's ops where the insertion point stands."""

    def __init__(self, plan: Plan):
        """Nothing is written yet."""
        self._plan = plan
        self._memory = RowMemory(plan.lanes)
        self._scratch: dict[FlatAccess, Scratch] = {}
        is_long = plan.along and plan.row_size > _SHORT
        self._counts = (1,) if is_long else (_SIDE_BY_SIDE, 1)
        """How many rows are worked on side by side, and how many of the rest."""

    def write(self) -> None:
        """Write the whole program."""
        plan = self._plan
        for part in plan.parts:
            for access in (*part.inputs, *part.outputs):
                if access is not None:
                    self._memory.flatten(access.buffer)
        rows = self._counts[0] if plan.stepped is not None else 1
        for part in plan.parts:
            if plan.is_kept(part) and part.output not in self._scratch:
                self._scratch[part.output] = Scratch(plan, part.output, rows)
        self._rows(0, {})

    def _rows(self, loop: int, places: dict[int, Any]) -> None:
        """The loops over rows, from `loop` on; the one that is stepped comes last."""
        plan = self._plan
        if loop == len(plan.sizes):
            self._step(places)
        elif plan.reduced[loop] or loop == plan.stepped:
            self._rows(loop + 1, places)
        else:
            _loop(
                range(plan.sizes[loop]),
                lambda at: self._rows(loop + 1, {**places, loop: at}),
            )

    def _step(self, places: dict[int, Any]) -> None:
        """All rows of the innermost loop over rows, several at a time."""
        plan = self._plan
        loop = plan.stepped
        if loop is None:
            self._row(places, 1, None)
            return
        size, start = plan.sizes[loop], 0
        for count in self._counts:
            step = plan.row_step * count
            stop = start + (size - start) // step * step
            _loop(
                range(start, stop, step),
                lambda at, count=count: self._row({**places, loop: at}, count, None),
            )
            start = stop
        if start < size:
            here = {**places, loop: build.index(start)}
            self._row(here, 1, first_lanes(size - start))

    def _row(self, places: dict[int, Any], count: int, mask: Any) -> None:
        """All that is done with `count` rows."""
        plan = self._plan
        known: list[dict[FlatAccess, Any]] = [{} for _ in range(count)]
        rows = Rows(plan, self._memory, places, mask, known)
        for stage in range(-1, plan.last_stage + 1):
            parts = [part for part in plan.parts if part.stage == stage]
            if stage % 2 == 0 and parts:
                RowPass(rows, parts, self._scratch).write()
            elif parts:
                for part in parts:
                    for number, values in enumerate(known):
                        with part.op.location:
                            values[part.output] = rows.narrow(part, number)
        for number, values in enumerate(known):
            for access, value in values.items():
                if access.buffer not in plan.private and plan.is_written(access.buffer):
                    self._memory.store(access, rows.at(number), value, mask)


def _loop(trips: range, body: Callable[[Any], None]) -> None:
    """`body` for each trip; a single one is no loop."""
    if len(trips) == 1:
        body(build.index(trips.start))
    elif trips:

        def trip(at: Any, _: list[Any]) -> Sequence[Any]:
            body(at)
            return ()

        build.counted(trips, (), trip)
