"""Writing a row program down: loops, vectors, accumulators, masked tails."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.flat_access import FlatAccess
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.row_memory import (
    RowMemory,
    allocate,
    first_lanes,
    moved,
    read,
    write,
)
from dycl.kernels.cpu.row_plan import LANES, Part, Plan
from dycl.kernels.cpu.row_sums import across, combined, equals, neutral
from dycl.kernels.cpu.vector_body import vector_body

_ACCUMULATORS = 4
"""Sums that run side by side, as an addition takes four cycles."""
_UNROLLED = 9
"""The elements of so short a row stand one by one, if rows are the lanes."""

Values = dict[FlatAccess, Any]


class RowProgram:
    """Writes a plan's ops where the insertion point stands."""

    def __init__(self, plan: Plan):
        """Nothing is written yet."""
        self._plan = plan
        self._memory = RowMemory(plan.lanes)
        self._scratch: dict[FlatAccess, Any] = {}
        self._recipes: dict[FlatAccess, tuple[Part, list[Values]]] = {}

    def write(self) -> None:
        """Write the whole program."""
        plan = self._plan
        for part in plan.parts:
            for access in (*part.inputs, *part.outputs):
                if access is not None:
                    self._memory.flatten(access.buffer)
        if plan.along:
            for part in plan.parts:
                if self._is_kept(part) and part.output not in self._scratch:
                    element = part.output.buffer.type.element_type
                    row = ir.MemRefType.get([plan.sizes[plan.lanes]], element)
                    self._scratch[part.output] = allocate(row)
        self._rows(0, {})

    def _is_kept(self, part: Part) -> bool:
        """Whether what a part writes goes to memory for a later pass alone."""
        plan = self._plan
        return (
            part.is_wide
            and not part.reduces
            and part.output.buffer in plan.private
            and plan.read_later(part)
            and not self._is_repeatable(part)
        )

    def _is_repeatable(self, part: Part) -> bool:
        """Whether a later pass rather computes it once more."""
        plan = self._plan
        return part.is_cheap and all(
            access is None
            or self._is_narrow(access)
            or not plan.is_written(access.buffer)
            for access in part.inputs
        )

    def _is_narrow(self, access: FlatAccess) -> bool:
        reduced = self._plan.reduced
        return not any(f for f, r in zip(access.factors, reduced, strict=True) if r)

    # Loops.

    def _rows(self, loop: int, places: dict[int, Any]) -> None:
        """The loops over rows, from `loop` on; those of the lanes come last."""
        plan = self._plan
        if loop == len(plan.sizes):
            if plan.along:
                self._row(places, 1, None)
            else:
                self._row_vectors(places)
        elif plan.reduced[loop] or loop == plan.lanes:
            self._rows(loop + 1, places)
        else:
            self._loop(
                0,
                plan.sizes[loop],
                1,
                lambda at: self._rows(loop + 1, {**places, loop: at}),
            )

    def _row_vectors(self, places: dict[int, Any]) -> None:
        """All rows of the loop that the lanes are in, 64 or 16 at a time."""
        plan = self._plan
        size, start = plan.sizes[plan.lanes], 0
        for count in (_ACCUMULATORS, 1):
            step = LANES * count
            stop = start + (size - start) // step * step
            self._loop(
                start,
                stop,
                step,
                lambda at, count=count: self._row(
                    {**places, plan.lanes: at}, count, None
                ),
            )
            start = stop
        if start < size:
            here = {**places, plan.lanes: build.index(start)}
            self._row(here, 1, first_lanes(size - start))

    def _loop(
        self, start: int, stop: int, step: int, body: Callable[[Any], None]
    ) -> None:
        if stop - start == step:
            body(build.index(start))
        elif stop > start:

            def trip(at: Any, _: list[Any]) -> Sequence[Any]:
                body(at)
                return ()

            _counted(start, stop, step, (), trip)

    # One row, or `count` vectors of rows.

    def _row(self, places: dict[int, Any], count: int, mask: Any) -> None:
        plan = self._plan
        known: list[Values] = [{} for _ in range(count)]
        """What is known of the row: of each vector of rows."""
        self._recipes.clear()
        for stage in range(-1, plan.last_stage + 1):
            parts = [part for part in plan.parts if part.stage == stage]
            if stage % 2:
                for part in parts:
                    for block in range(count):
                        at = self._block(places, block)
                        with part.op.location:
                            known[block][part.output] = self._narrow(
                                part, known[block], at, mask
                            )
            elif parts:
                self._pass(parts, known, places, mask)
        for block in range(count):
            at = self._block(places, block)
            for access, value in known[block].items():
                if access.buffer not in plan.private and plan.is_written(access.buffer):
                    self._memory.store(access, at, value, mask)

    def _block(self, places: dict[int, Any], block: int) -> dict[int, Any]:
        if not block:
            return places
        lanes = self._plan.lanes
        return {**places, lanes: moved(places[lanes], build.index(block * LANES))}

    def _narrow(
        self, part: Part, known: Values, places: dict[int, Any], mask: Any
    ) -> Any:
        elements = [
            self._narrow_element(part, number, access, known, places, mask)
            for number, access in enumerate(part.inputs)
        ]
        return self._computed(part, elements, None if self._plan.along else LANES)

    def _narrow_element(
        self,
        part: Part,
        number: int,
        access: FlatAccess | None,
        known: Values,
        places: dict[int, Any],
        mask: Any,
    ) -> Any:
        lanes = None if self._plan.along else LANES
        if access is None:
            return _shapeless(part, number, lanes)
        if access not in known:
            known[access] = self._memory.load(access, places, mask, lanes)
        return known[access]

    def _computed(self, part: Part, elements: list[Any], lanes: int | None) -> Any:
        """What a part that does not reduce gives for these elements."""
        if part.body is None:
            return elements[0]
        unused = _zero(part.output, lanes)
        (value,) = vector_body(part.body, [*elements, unused])
        return value

    # One pass through the elements of a row.

    def _pass(
        self,
        parts: list[Part],
        known: list[Values],
        places: dict[int, Any],
        mask: Any,
    ) -> None:
        plan = self._plan
        sums = [part for part in parts if part.reduces]
        chains = _ACCUMULATORS if plan.along and _is_short(parts) else 1
        if plan.along and not _is_short(parts):
            chains = 2
        width = chains if plan.along else len(known)
        carried: list[Any] = []
        for part in sums:
            with part.op.location:
                carried += self._first(part, known, places, mask, width)
        # What is read of the row as a whole is read before the loop.
        for block, values in enumerate(known):
            at = self._block(places, block) if not plan.along else places
            for part in parts:
                for access in part.inputs:
                    if access is not None and self._is_narrow(access):
                        written = plan.is_written(access.buffer)
                        if access not in values and not written:
                            lanes = None if plan.along else LANES
                            values[access] = self._memory.load(access, at, mask, lanes)
        row = [i for i, flag in enumerate(plan.reduced) if flag]
        results = self._elements(row, parts, known, places, mask, carried, width)
        for part in sums:
            with part.op.location:
                count = width * len(part.outputs)
                own, results = results[:count], results[count:]
                if part.place is None:
                    self._finish(part, own, known, places, mask)
                else:
                    self._finish_search(part, own, known)
        for part in parts:
            if not part.reduces and self._is_repeatable(part):
                self._recipes[part.output] = (part, [dict(v) for v in known])
            elif not part.reduces:
                self._recipes.pop(part.output, None)

    def _elements(
        self,
        row: list[int],
        parts: list[Part],
        known: list[Values],
        places: dict[int, Any],
        mask: Any,
        carried: list[Any],
        width: int,
    ) -> list[Any]:
        """The loops over the elements of a row, from `row[0]` on."""
        plan = self._plan
        if not row:
            return self._trip(parts, known, places, mask, carried)
        loop, *inner = row
        size = plan.sizes[loop]
        if loop != plan.lanes:
            if not plan.along and size <= _UNROLLED:
                for at in range(size):
                    here = {**places, loop: build.index(at)}
                    carried = self._elements(
                        inner, parts, known, here, mask, carried, width
                    )
                return carried

            def one(at: Any, values: list[Any]) -> Sequence[Any]:
                here = {**places, loop: at}
                return self._elements(inner, parts, known, here, mask, values, width)

            return _counted(0, size, 1, carried, one)
        start = 0
        for count in (width, 1):
            step = LANES * count
            stop = start + (size - start) // step * step
            if stop == start:
                continue

            def several(
                at: Any, values: list[Any], count: int = count
            ) -> Sequence[Any]:
                values = list(values)
                for chain in range(count):
                    offset = build.index(chain * LANES)
                    here = {**places, loop: moved(at, offset) if chain else at}
                    mine = values[chain::width]
                    values[chain::width] = self._trip(parts, known, here, None, mine)
                return values

            carried = _counted(start, stop, step, carried, several)
            start = stop
        if start < size:
            here = {**places, loop: build.index(start)}
            mine = self._trip(
                parts, known, here, first_lanes(size - start), carried[::width]
            )
            carried[::width] = mine
        return carried

    def _trip(
        self,
        parts: list[Part],
        known: list[Values],
        places: dict[int, Any],
        mask: Any,
        carried: list[Any],
    ) -> list[Any]:
        """What is done with one vector of elements; of each block of rows."""
        plan = self._plan
        following = list(carried)
        for block, values in enumerate(known):
            at = places if plan.along else self._block(places, block)
            here: Values = {}
            number = 0
            for part in parts:
                with part.op.location:
                    elements = [
                        self._element(part, i, access, values, here, at, mask, block)
                        for i, access in enumerate(part.inputs)
                    ]
                    if part.reduces:
                        slots = [
                            (number + i) * len(known) + block
                            for i in range(len(part.outputs))
                        ]
                        before = [carried[slot] for slot in slots]
                        after = vector_body(
                            part.body, [*elements, *before], partial(self._index, at)
                        )
                        if mask is not None and plan.along:
                            pairs = zip(after, before, strict=True)
                            after = [build.select(mask, a, b) for a, b in pairs]
                        for slot, value in zip(slots, after, strict=True):
                            following[slot] = value
                        number += len(slots)
                        continue
                    value = self._computed(part, elements, LANES)
                    here[part.output] = value
                    self._keep(part, at, value, mask)
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

    def _keep(self, part: Part, places: dict[int, Any], value: Any, mask: Any) -> None:
        """Store what is looked at later, from outside or in another pass."""
        plan = self._plan
        if part.output in self._scratch:
            if self._is_kept(part):
                write(value, self._scratch[part.output], places[plan.lanes], mask)
        elif part.output.buffer not in plan.private or self._is_kept(part):
            self._memory.store(part.output, places, value, mask)

    def _element(
        self,
        part: Part,
        number: int,
        access: FlatAccess | None,
        known: Values,
        here: Values,
        places: dict[int, Any],
        mask: Any,
        block: int,
    ) -> Any:
        """An input of a wide part, as a vector."""
        if access is None:
            return _shapeless(part, number, LANES)
        if access in here:
            return here[access]
        if access in known:
            value = known[access]
            is_vector = isinstance(value.type, ir.VectorType)
            return value if is_vector else build.broadcast(value, LANES)
        if access in self._recipes:
            again, values = self._recipes[access]
            elements = [
                self._element(again, i, one, values[block], here, places, mask, block)
                for i, one in enumerate(again.inputs)
            ]
            value = self._computed(again, elements, LANES)
        elif access in self._scratch:
            memory, at = self._scratch[access], places[self._plan.lanes]
            value = read(memory, at, mask, memory.type.element_type)
        else:
            value = self._memory.load(access, places, mask, LANES)
        here[access] = value
        return value

    def _first(
        self,
        part: Part,
        known: list[Values],
        places: dict[int, Any],
        mask: Any,
        width: int,
    ) -> list[Any]:
        """What the accumulators of a reduction, `width` for each result, begin with."""
        if part.place is None:
            combine = _combining(part)
            return [
                neutral(part.output.buffer.type.element_type, combine.name)
                for _ in range(width)
            ]
        along, values = self._plan.along, list[Any]()
        for access in part.outputs:
            for slot in range(width):
                block = 0 if along else slot
                at = places if along else self._block(places, block)
                lanes = None if along else LANES
                value = known[block].get(access)
                if value is None:
                    value = self._memory.load(access, at, mask, lanes)
                values.append(build.broadcast(value, LANES) if along else value)
        return values

    def _finish_search(self, part: Part, found: list[Any], known: list[Values]) -> None:
        """Of the best element of each lane the first best one, and its place.

        A lane that has found a NaN has found the first one in it.
        """
        assert part.place is not None
        width = len(found) // 2
        bests, at = found[:width], found[width:]
        if not self._plan.along:
            for block, values in enumerate(known):
                values[part.output], values[part.place] = bests[block], at[block]
            return
        combine = _combining(part)
        both = list(bests)
        while len(both) > 1:
            both = [combined(combine, both[0], both[1]), *both[2:]]
        best = across(both[0], combine.name)
        last = 2 ** (at[0].type.element_type.width - 1) - 1
        nowhere = build.constant(last, at[0].type)
        first = nowhere
        for one, place in zip(bests, at, strict=True):
            hit = equals(one, build.broadcast(best, LANES))
            place = build.select(hit, place, nowhere)
            first = build.op("arith.minsi", [first, place], first.type)
        known[0][part.output] = best
        known[0][part.place] = across(first, "arith.minsi")

    def _finish(
        self,
        part: Part,
        sums: list[Any],
        known: list[Values],
        places: dict[int, Any],
        mask: Any,
    ) -> None:
        """The result of a reduction, from partial ones and what there was before."""
        plan = self._plan
        combine = _combining(part)
        if plan.along:
            while len(sums) > 1:
                pairs = zip(sums[::2], sums[1::2], strict=True)
                sums = [combined(combine, one, other) for one, other in pairs]
            sums = [across(sums[0], combine.name)]
        for block, values in enumerate(known):
            at = places if plan.along else self._block(places, block)
            before = values.get(part.output)
            if before is None:
                lanes = None if plan.along else LANES
                before = self._memory.load(part.output, at, mask, lanes)
            values[part.output] = combined(combine, sums[block], before)


def _is_short(parts: Sequence[Part]) -> bool:
    """Whether a pass is done before the next addition to a sum could begin."""
    return all(part.is_cheap for part in parts)


def _combining(part: Part) -> Any:
    *_, end = list(part.body.operations)
    return end.operands[0].owner


def _shapeless(part: Part, number: int, lanes: int | None) -> Any:
    """An input that is no element of memory: a scalar, or nothing that is read."""
    value = part.op.operands[number]
    if isinstance(value.type, ir.MemRefType):
        return _of(value.type.element_type, lanes)
    return value if lanes is None else build.broadcast(value, lanes)


def _zero(access: FlatAccess, lanes: int | None) -> Any:
    return _of(access.buffer.type.element_type, lanes)


def _of(element: Any, lanes: int | None) -> Any:
    return build.constant(
        0, element if lanes is None else ir.VectorType.get([lanes], element)
    )


def _counted(
    start: int,
    stop: int,
    step: int,
    carried: Sequence[Any],
    body: Callable[[Any, list[Any]], Sequence[Any]],
) -> list[Any]:
    places = [build.index(place) for place in (start, stop, step)]
    return build.loop(places[0], places[1], places[2], carried, body)
