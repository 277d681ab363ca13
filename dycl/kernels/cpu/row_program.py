"""Writing a row program down: loops, vectors, accumulators, masked tails."""

from collections.abc import Callable, Sequence
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.flat_access import FlatAccess
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.row_plan import LANES, Part, Plan
from dycl.kernels.cpu.vector_body import vector_body

_ACCUMULATORS = 4
"""Sums that run side by side, as an addition takes four cycles."""
_UNROLLED = 9
"""The elements of so short a row stand one by one, if rows are the lanes."""

_REDUCTIONS = {
    "arith.addf": ("add", -0.0),
    "arith.addi": ("add", 0),
    "arith.andi": ("and", -1),
    "arith.maximumf": ("maximumf", float("-inf")),
    "arith.maxnumf": ("maxnumf", float("-inf")),
    "arith.minimumf": ("minimumf", float("inf")),
    "arith.minnumf": ("minnumf", float("inf")),
    "arith.mulf": ("mul", 1.0),
    "arith.muli": ("mul", 1),
    "arith.ori": ("or", 0),
    "arith.xori": ("xor", 0),
    "arith.maxui": ("maxui", 0),
    "arith.minui": ("minui", -1),
}
"""Combining op -> its vector.reduction, and what changes no result."""

_FLAGS = {
    "arith.addf": "reassoc",
    "arith.maximumf": "nsz",
    "arith.minimumf": "nsz",
    "arith.mulf": "reassoc",
}

Values = dict[FlatAccess, Any]


class RowProgram:
    """Writes a plan's ops where the insertion point stands."""

    def __init__(self, plan: Plan):
        """Nothing is written yet."""
        self._plan = plan
        self._flat: dict[Any, Any] = {}
        self._scratch: dict[FlatAccess, Any] = {}
        self._recipes: dict[FlatAccess, tuple[Part, list[Values]]] = {}

    def write(self) -> None:
        """Write the whole program."""
        plan = self._plan
        for part in plan.parts:
            for access in (*part.inputs, part.output):
                if access is not None:
                    self._flatten(access.buffer)
        if plan.along:
            for part in plan.parts:
                if self._is_kept(part) and part.output not in self._scratch:
                    element = part.output.buffer.type.element_type
                    row = ir.MemRefType.get([plan.sizes[plan.lanes]], element)
                    self._scratch[part.output] = _allocate(row)
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
            self._row(here, 1, _mask(size - start))

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
                    self._store(access, at, value, mask)

    def _block(self, places: dict[int, Any], block: int) -> dict[int, Any]:
        if not block:
            return places
        lanes = self._plan.lanes
        moved = _sum(places[lanes], build.index(block * LANES))
        return {**places, lanes: moved}

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
            known[access] = self._load(access, places, mask, lanes)
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
            combine = _combining(part)
            for _ in range(width):
                with part.op.location:
                    carried.append(_neutral(part.output, combine.name))
        # What is read of the row as a whole is read before the loop.
        for block, values in enumerate(known):
            at = self._block(places, block) if not plan.along else places
            for part in parts:
                for access in part.inputs:
                    if access is not None and self._is_narrow(access):
                        written = plan.is_written(access.buffer)
                        if access not in values and not written:
                            lanes = None if plan.along else LANES
                            values[access] = self._load(access, at, mask, lanes)
        row = [i for i, flag in enumerate(plan.reduced) if flag]
        results = self._elements(row, parts, known, places, mask, carried, width)
        for number, part in enumerate(sums):
            with part.op.location:
                own = results[number * width : (number + 1) * width]
                self._finish(part, own, known, places, mask)
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
                    here = {**places, loop: _sum(at, offset) if chain else at}
                    mine = values[chain::width]
                    values[chain::width] = self._trip(parts, known, here, None, mine)
                return values

            carried = _counted(start, stop, step, carried, several)
            start = stop
        if start < size:
            here = {**places, loop: build.index(start)}
            mine = self._trip(parts, known, here, _mask(size - start), carried[::width])
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
                        place = number * len(known) + block
                        before = carried[place]
                        (value,) = vector_body(part.body, [*elements, before])
                        if mask is not None and plan.along:
                            value = build.select(mask, value, before)
                        following[place] = value
                        number += 1
                        continue
                    value = self._computed(part, elements, LANES)
                    here[part.output] = value
                    self._keep(part, at, value, mask)
        return following

    def _keep(self, part: Part, places: dict[int, Any], value: Any, mask: Any) -> None:
        """Store what is looked at later, from outside or in another pass."""
        plan = self._plan
        if part.output in self._scratch:
            if self._is_kept(part):
                _write(value, self._scratch[part.output], places[plan.lanes], mask)
        elif part.output.buffer not in plan.private or self._is_kept(part):
            self._store(part.output, places, value, mask)

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
            value = _read(memory, at, mask, memory.type.element_type)
        else:
            value = self._load(access, places, mask, LANES)
        here[access] = value
        return value

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
                sums = [_combined(combine, one, other) for one, other in pairs]
            sums = [_across(sums[0], combine.name)]
        for block, values in enumerate(known):
            at = places if plan.along else self._block(places, block)
            before = values.get(part.output)
            if before is None:
                lanes = None if plan.along else LANES
                before = self._load(part.output, at, mask, lanes)
            values[part.output] = _combined(combine, sums[block], before)

    # Memory.

    def _flatten(self, buffer: Any) -> None:
        """The buffer with one dimension."""
        if buffer in self._flat:
            return
        kind = buffer.type
        count = 1
        for size in kind.shape:
            count *= size
        flat = ir.MemRefType.get([count], kind.element_type)
        self._flat[buffer] = ir.Operation.create(
            "memref.reinterpret_cast",
            operands=[buffer],
            results=[flat],
            attributes={
                "static_offsets": ir.DenseI64ArrayAttr.get([0]),
                "static_sizes": ir.DenseI64ArrayAttr.get([count]),
                "static_strides": ir.DenseI64ArrayAttr.get([1]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
            },
        ).results[0]

    def _place(self, access: FlatAccess, places: dict[int, Any]) -> Any:
        total: Any = None
        for loop, factor in enumerate(access.factors):
            if not factor or loop not in places:
                continue
            term = places[loop]
            if factor != 1:
                index = ir.IndexType.get()
                term = build.op("arith.muli", [term, build.index(factor)], index)
            total = term if total is None else _sum(total, term)
        if total is None:
            return build.index(access.offset)
        return _sum(total, build.index(access.offset)) if access.offset else total

    def _load(
        self,
        access: FlatAccess,
        places: dict[int, Any],
        mask: Any,
        lanes: int | None,
    ) -> Any:
        """Elements that are side by side, or one; in all lanes if `lanes` says so."""
        flat, at = self._flat[access.buffer], self._place(access, places)
        element = flat.type.element_type
        if lanes is not None and access.factors[self._plan.lanes]:
            return _read(flat, at, mask, element)
        value = build.op("memref.load", [flat, at], element)
        return value if lanes is None else build.broadcast(value, lanes)

    def _store(
        self, access: FlatAccess, places: dict[int, Any], value: Any, mask: Any
    ) -> None:
        flat, at = self._flat[access.buffer], self._place(access, places)
        if isinstance(value.type, ir.VectorType):
            _write(value, flat, at, mask)
        else:
            ir.Operation.create("memref.store", operands=[value, flat, at])


def _is_short(parts: Sequence[Part]) -> bool:
    """Whether a pass is done before the next addition to a sum could begin."""
    return all(part.is_cheap for part in parts)


def _combining(part: Part) -> Any:
    *_, end = list(part.body.operations)
    return end.operands[0].owner


def _combined(combine: Any, one: Any, other: Any) -> Any:
    return build.op(combine.name, [one, other], one.type)


def _neutral(access: FlatAccess, name: str) -> Any:
    element = access.buffer.type.element_type
    vectors = ir.VectorType.get([LANES], element)
    if name in ("arith.maxsi", "arith.minsi"):
        last = 2 ** (element.width - 1)
        return build.constant(-last if name == "arith.maxsi" else last - 1, vectors)
    return build.constant(_REDUCTIONS[name][1], vectors)


def _across(value: Any, name: str) -> Any:
    """All lanes of a vector combined."""
    kind = name.removeprefix("arith.")
    kind = _REDUCTIONS[name][0] if name in _REDUCTIONS else kind
    attributes = {"kind": ir.Attribute.parse(f"#vector.kind<{kind}>")}
    if name in _FLAGS:
        flag = ir.Attribute.parse(f"#arith.fastmath<{_FLAGS[name]}>")
        attributes["fastmath"] = flag
    element = value.type.element_type
    return build.op("vector.reduction", [value], element, attributes)


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


def _sum(one: Any, other: Any) -> Any:
    return build.op("arith.addi", [one, other], ir.IndexType.get())


def _allocate(of: Any) -> Any:
    sizes = ir.DenseI32ArrayAttr.get([0, 0])
    alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 64)
    attributes = {"operandSegmentSizes": sizes, "alignment": alignment}
    return build.op("memref.alloc", [], of, attributes)


def _mask(count: int) -> Any:
    mask = ir.VectorType.get([LANES], ir.IntegerType.get_signless(1))
    sizes = ir.DenseI64ArrayAttr.get([count])
    return build.op("vector.constant_mask", [], mask, {"mask_dim_sizes": sizes})


def _read(memory: Any, at: Any, mask: Any, element: Any) -> Any:
    vectors = ir.VectorType.get([LANES], element)
    if mask is None:
        return build.op("vector.load", [memory, at], vectors)
    empty = build.constant(0, vectors)
    return build.op("vector.maskedload", [memory, at, mask, empty], vectors)


def _write(value: Any, memory: Any, at: Any, mask: Any) -> None:
    if mask is None:
        ir.Operation.create("vector.store", operands=[value, memory, at])
    else:
        ir.Operation.create("vector.maskedstore", operands=[memory, at, mask, value])
