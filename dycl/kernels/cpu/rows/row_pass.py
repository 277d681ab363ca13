"""One pass of a row program: the loops over the elements of a row."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.loops.flat_access import FlatAccess
from dycl.kernels.cpu.loops.vector_body import vector_body
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.rows.row_memory import allocate, first_lanes, moved, read, write
from dycl.kernels.cpu.rows.row_plan import LANES, Part, Plan
from dycl.kernels.cpu.rows.row_state import Rows, Values, computed, shapeless
from dycl.kernels.cpu.rows.row_sums import finish, first

_ACCUMULATORS = 4
"""Sums that run side by side, as an addition takes four cycles."""
_UNROLLED = 9
"""The elements of so short a row stand one by one, if rows are the lanes."""


class Scratch:
    """Memory for what a pass computes of a row and a later one reads."""

    def __init__(self, plan: Plan, access: FlatAccess, rows: int):
        """Make it for `rows` rows, here: outside of the loops."""
        self._plan = plan
        self._width = 1 if plan.along else LANES
        element = access.buffer.type.element_type
        count = rows * plan.row_size * self._width
        self._memory = allocate(ir.MemRefType.get([count], element))

    def read(self, places: dict[int, Any], row: int, mask: Any) -> Any:
        """The elements of row `row` that a vector is at."""
        element = self._memory.type.element_type
        return read(self._memory, self._place(places, row), mask, element)

    def write(self, value: Any, places: dict[int, Any], row: int, mask: Any) -> None:
        """Keep the elements that a vector is at."""
        write(value, self._memory, self._place(places, row), mask)

    def _place(self, places: dict[int, Any], row: int) -> Any:
        plan = self._plan
        factor, index = self._width, ir.IndexType.get()
        total = build.index(row * plan.row_size * factor)
        for loop in reversed([i for i, flag in enumerate(plan.reduced) if flag]):
            by = build.index(factor)
            total = moved(total, build.op("arith.muli", [places[loop], by], index))
            factor *= plan.sizes[loop]
        return total


class RowPass:
    """Writes the wide parts of a stage, for rows side by side.

    Accumulators are carried by the loops in this order: by result, then by row, then by
    chain, which are sums that run side by side along one row.
    """

    def __init__(
        self, rows: Rows, parts: Sequence[Part], scratch: dict[FlatAccess, Scratch]
    ):
        """Nothing is written yet."""
        self._rows = rows
        self._plan = rows.plan
        self._parts = parts
        self._scratch = scratch
        is_cheap = all(rows.plan.is_cheap(part) for part in parts)
        alone = self._plan.along and rows.count == 1
        self._chains = (_ACCUMULATORS if is_cheap else 2) if alone else 1

    def write(self) -> None:
        """Write the pass; what its reductions give is known of the rows then."""
        rows, plan = self._rows, self._plan
        sums = [part for part in self._parts if part.reduces]
        carried: list[Any] = []
        for part in sums:
            with part.op.location:
                carried += first(rows, part, self._chains)
        # What is read of the row as a whole is read before the loop.
        for part in self._parts:
            for access in part.inputs:
                if (
                    access is not None
                    and plan.is_narrow(access)
                    and not plan.is_written(access.buffer)
                ):
                    for number in range(rows.count):
                        rows.once(access, number)
        row = [i for i, flag in enumerate(plan.reduced) if flag]
        results = self._elements(row, rows.places, carried)
        for part in sums:
            count = rows.count * self._chains * len(part.outputs)
            own, results = results[:count], results[count:]
            with part.op.location:
                finish(rows, part, own, self._chains)
        for part in self._parts:
            if not part.reduces:
                rows.recipes.pop(part.output, None)
                if plan.is_repeatable(part):
                    values = [dict(known) for known in rows.known]
                    rows.recipes[part.output] = (part, values)

    def _elements(
        self, row: list[int], places: dict[int, Any], carried: list[Any]
    ) -> list[Any]:
        """The loops over the elements of a row, from `row[0]` on."""
        plan = self._plan
        if not row:
            return self._trip(places, carried, self._rows.mask)
        loop, *inner = row
        size = plan.sizes[loop]
        if loop == plan.lanes:
            return self._vectors(loop, places, carried)
        if not plan.along and size <= _UNROLLED:
            for at in range(size):
                here = {**places, loop: build.index(at)}
                carried = self._elements(inner, here, carried)
            return carried
        return build.counted(
            range(size),
            carried,
            lambda at, values: self._elements(inner, {**places, loop: at}, values),
        )

    def _vectors(
        self, loop: int, places: dict[int, Any], carried: list[Any]
    ) -> list[Any]:
        """The innermost loop, along the row: by chains, by vectors, by a mask."""
        chains = self._chains
        size, start = self._plan.sizes[loop], 0

        def several(at: Any, values: list[Any], count: int) -> list[Any]:
            values = list(values)
            for chain in range(count):
                offset = build.index(chain * LANES)
                here = {**places, loop: moved(at, offset) if chain else at}
                values[chain::chains] = self._trip(here, values[chain::chains], None)
            return values

        for count in dict.fromkeys((chains, 1)):
            step = LANES * count
            stop = start + (size - start) // step * step
            if stop > start:
                carried = build.counted(
                    range(start, stop, step), carried, partial(several, count=count)
                )
            start = stop
        if start < size:
            here = {**places, loop: build.index(start)}
            mask = first_lanes(size - start)
            carried[::chains] = self._trip(here, carried[::chains], mask)
        return carried

    def _trip(self, places: dict[int, Any], carried: list[Any], mask: Any) -> list[Any]:
        """What is done with one vector of elements, of each row."""
        rows, plan = self._rows, self._plan
        following = list(carried)
        for row in range(rows.count):
            at = rows.at(row, places)
            here: Values = {}
            number = 0
            for part in self._parts:
                with part.op.location:
                    elements = [
                        self._element(part, i, rows.known[row], here, at, mask, row)
                        for i in range(len(part.inputs))
                    ]
                    if not part.reduces:
                        here[part.output] = computed(part, elements, LANES)
                        self._keep(part, here[part.output], at, mask, row)
                        continue
                    slots = [
                        (number + i) * rows.count + row
                        for i in range(len(part.outputs))
                    ]
                    number += len(slots)
                    before = [carried[slot] for slot in slots]
                    after = vector_body(
                        part.body, [*elements, *before], partial(self._index, at)
                    )
                    for slot, value in zip(slots, after, strict=True):
                        if mask is not None and plan.along:
                            value = build.select(mask, value, carried[slot])
                        following[slot] = value
        return following

    def _index(self, places: dict[int, Any], _: int) -> Any:
        """The place in the row of each lane's element."""
        plan = self._plan
        at = build.broadcast(places[plan.reduced.index(True)], LANES)
        if not plan.along:
            return at
        numbers = ",".join(map(str, range(LANES)))
        lanes = ir.Attribute.parse(f"dense<[{numbers}]> : vector<{LANES}xindex>")
        steps = build.op("arith.constant", [], at.type, {"value": lanes})
        return build.op("arith.addi", [at, steps], at.type)

    def _keep(
        self, part: Part, value: Any, places: dict[int, Any], mask: Any, row: int
    ) -> None:
        """Store what is looked at later, from outside or in another pass."""
        plan = self._plan
        if plan.is_kept(part):
            self._scratch[part.output].write(value, places, row, mask)
        elif part.output.buffer not in plan.private:
            self._rows.memory.store(part.output, places, value, mask)

    def _element(
        self,
        part: Part,
        number: int,
        known: Values,
        here: Values,
        places: dict[int, Any],
        mask: Any,
        row: int,
    ) -> Any:
        """Input `number` of a wide part; along a row, what is one number stays one."""
        rows = self._rows
        access = part.inputs[number]
        if access is None:
            return shapeless(part, number, rows.lanes)
        if access in here:
            return here[access]
        if access in known:
            return known[access]
        if access in rows.recipes:
            again, values = rows.recipes[access]
            elements = [
                self._element(again, i, values[row], here, places, mask, row)
                for i in range(len(again.inputs))
            ]
            value = computed(again, elements, LANES)
        elif access in self._scratch:
            value = self._scratch[access].read(places, row, mask)
        else:
            is_vector = access.factors[rows.plan.lanes] or not rows.plan.along
            lanes = LANES if is_vector else None
            value = rows.memory.load(access, places, mask, lanes)
        here[access] = value
        return value
