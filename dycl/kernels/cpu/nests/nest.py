"""One contraction nest: loops around a tile of sums in vector registers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST
from dycl.kernels.cpu.buffers.memory import has_unit_stride
from dycl.kernels.cpu.loops.accesses import (
    NotLinear,
    accesses,
    runs_along,
    sizes,
    spread_along,
    stride_along,
)
from dycl.kernels.cpu.loops.payload import can_be_vectors, emit_body
from dycl.kernels.cpu.nests.counts import Count, Counts
from dycl.kernels.cpu.nests.flat_map import FlatMap
from dycl.kernels.cpu.nests.function import Function, Value
from dycl.kernels.cpu.nests.groups import Group
from dycl.kernels.cpu.nests.nest_places import (
    At,
    Operand,
    Place,
    fetch,
    is_half,
    load,
    store,
)
from dycl.kernels.cpu.nests.padding import Padding, Window
from dycl.kernels.cpu.nests.reduction import PRODUCTS, Reduction
from dycl.kernels.cpu.nests.split_nests import ROWS
from dycl.kernels.cpu.weights.narrow_products import PAIRS
from dycl.schedules.schedule import Schedule

_TRANSFORMS = ("winograd-pixels", "winograd-results", "factored")
"""The kinds of nests that know what they multiply by."""
_DYNAMIC = ("matmul", PAIRS, "conv", "depthwise", "grouped", "pool", *_TRANSFORMS)
"""The kinds of nests with loops whose trips a run may decide: over the rows of a
product and what it sums up, and over samples, rows and columns of an image."""


class Shared(NamedTuple):
    """A function that several nests become part of, one after the other."""

    function: Function
    values: list[Any]
    """The memrefs of the kernel that it takes, in order, and `Count`s."""


class Nest:
    """The nest of one group under one schedule."""

    def __init__(
        self,
        group: Group,
        schedule: Schedule,
        padding: Padding | None = None,
        flat: FlatMap | None = None,
        shared: Shared | None = None,
    ):
        """Take the group's ops apart. Raises NotLinear if that is not possible.

        `padding`: the border of the image is not to be read; `flat`: two loops that
        are one; `shared`: the function that it is to be part of.
        """
        self.group = group
        self.schedule = schedule
        self.flat = flat
        contraction = group.contraction
        element = str(group.sums.type.element_type)
        self.function, self.values = shared or Shared(Function(element), [])
        *reads, out = accesses(contraction)
        self.kind = str(contraction.attributes[NEST].value)
        self.sizes = sizes(contraction)
        if flat is not None:
            self.sizes = flat.sizes(self.sizes)
        self.lanes = (schedule.lanes, self.sizes[schedule.lanes])
        self.counts = Counts(self.function, self.values)
        if min(self.sizes.values()) < 0 and self.kind not in _DYNAMIC:
            raise NotLinear("a size is known at run time only")
        trips = dict(self.sizes)
        if flat is not None and trips[flat.columns] < 0:
            self.counts.count_flat(flat, group.result, out)
            del trips[flat.columns]
        self.counts.count(trips, _counted(self, out, reads))
        operands = list(contraction.operands)
        self.edges: Mapping[int, Window] = {}
        """The windows over the edge of the image, by their loops."""
        if padding is not None:
            operands[0], reads[0] = padding.image, padding.access(reads[0])
            self.edges = {loop: w for w in padding.windows for loop in (w.out, w.tap)}
        if self.kind not in PRODUCTS:
            # The others are the shape of a window, or constants.
            reads = reads[:1]
        pairs = zip(operands, reads, strict=False)
        self.reads = [self.operand(v, a) for v, a in pairs]
        self.reads[0] = replace(self.reads[0], edge=self.edges.get(self.lanes[0]))
        loops = {i: index.terms[0].loop for i, index in enumerate(out)}
        self.start = _inputs(self, group.start, loops)
        self.extra = _inputs(self, group.epilogue, loops)
        self.sums = self.operand(group.sums, out) if group.start is None else None
        self.result = self.operand(group.result, out)
        self.reduction = Reduction(
            contraction,
            schedule,
            self.function,
            self.sizes,
            self.lanes,
            self.reads,
            self.edges,
            self.counts.trips,
        )

    def why_not(self) -> str:
        """Why there is no such nest; "": there is."""
        group = self.group
        payloads = [group.start, group.epilogue]
        if self.kind not in (*PRODUCTS, *_TRANSFORMS):
            payloads.append(group.contraction)
        for op in payloads:
            if op is not None and op.name != "linalg.fill" and not can_be_vectors(op):
                return "its payload is not lane by lane"
        halves = [o.value for o in self.reads if is_half(o)]
        memory = [value for value in self.values if not isinstance(value, Count)]
        wide = [value for value in memory if value not in halves]
        if _rounds(self):
            wide = [value for value in wide if value != group.result]
        element = self.function.element
        if any(str(value.type.element_type) != element for value in wide):
            return "not all of its elements are of one type"
        if element != "f32" and (element, self.kind) != ("f64", "matmul"):
            return f"it is one of {element}"
        reads = [] if self.kind == PAIRS else self.reads
        touched = (*reads, *self.start, *self.extra, self.result)
        if not all(_are_side_by_side(one, self.lanes[0]) for one in touched):
            return "its lanes do not lie side by side"
        if not runs_along(self.result.access, self.lanes[0]):
            return "it has one result for all lanes"
        return ""

    def written(self) -> tuple[Function, list[Any]]:
        """The nest, and its memrefs. Raises NotLinear: there is none."""
        self.emit({})
        return self.function, self.values

    def emit(self, place: Place, trips: Mapping[int, int] | None = None) -> None:
        """Add the nest to its function, at a place in loops around it.

        `trips`: of loops that are to run through so many, which a value may say.
        Raises NotLinear: there is none.
        """
        if why := self.why_not():
            raise NotLinear(why)
        # The loops that a schedule does not name are within one instruction.
        named = (*self.schedule.order, *self.schedule.reduce)
        within = [loop for loop in self.sizes if loop not in named]
        self.loops(0, {**dict.fromkeys(within, At()), **place}, trips or {})

    # ---- operands

    def operand(self, value: Any, access: Any) -> Operand:
        """How a value of the group is read, or written."""
        memory, kind, flat = self.counts.argument(value), str(value.type), self.flat
        if not value.type.has_static_shape:
            memory = self.counts.memref_at(value, access, flat)
        elif flat is not None:
            memory, kind = flat.collapsed(self.function, memory, value.type, access)
        if flat is not None:
            access = flat.flat(access)
        return Operand(memory, kind, access, value)

    # ---- loops over the result

    def loops(self, depth: int, place: Place, trips: Mapping[int, int]) -> None:
        """The loops over the result from `depth` on, at a place in the outer ones."""
        if depth == len(self.schedule.order):
            self.tile(place, trips)
            return
        loop = self.schedule.order[depth]
        wanted = self.schedule.tile(loop, trips)
        if loop in self.schedule.order[depth + 1 :]:
            wanted = self.schedule.strip
            if loop in self.counts.trips:
                self._strips(depth, loop, place, trips)
                return
        for inner in self.steps(loop, wanted, place, trips):
            self.loops(depth + 1, *inner)

    def _strips(
        self, depth: int, loop: int, place: Place, trips: Mapping[int, int]
    ) -> None:
        """The loops from `depth` on, the first of them in strips that a run divides."""
        across = self.schedule.across
        width = self.counts.trips.get(across)
        if width is None:
            width = self.function.index(self.sizes.get(across, 1))
        strips = self.counts.strips(self.counts.trips[loop], self.schedule.strip, width)
        for at, count in strips:
            self.loops(depth + 1, self._at(loop, at, place), {**trips, loop: count})

    def steps(
        self, loop: int, wanted: int, place: Place, trips: Mapping[int, int]
    ) -> Iterator[tuple[Place, Mapping[int, int]]]:
        """Loops in steps of `wanted` trips, whose bodies are emitted where it yields.

        A loop that is in `trips` already runs through that many, from its place on.
        """
        size = trips.get(loop, self.counts.trips.get(loop, self.sizes[loop]))
        if isinstance(size, Value):
            least = self.schedule.least(loop, trips)
            for at, step in self.counts.steps(size, wanted, least):
                yield self._at(loop, at, place), {**trips, loop: step}
            return
        tile = max(1, min(size, wanted))
        window, start = self.edges.get(loop), place.get(loop, At())
        for low, high, step in _stretches(window, start, size, tile):
            inner = {**trips, loop: step}
            is_shared = self.schedule.shares(loop, loop in self.edges)
            marks = {ROWS: "unit"} if is_shared else {}
            if high - low == step and (loop in self.edges or not is_shared):
                # Threads share loops: this one is of a single trip.
                alone = self.function.loop((0, 1, 1), **marks) if is_shared else None
                yield self._at(loop, At(plus=low), place), inner
                if alone is not None:
                    alone.close()
                continue
            runs = self.function.loop((low, high, step), **marks)
            # All stretches begin at multiples of a tile.
            yield self._at(loop, At(runs.runs, step=tile), place), inner
            runs.close()

    def _at(self, loop: int, here: At, place: Place) -> Place:
        """Go on by `here` along a loop, from its place."""
        start = place.get(loop)
        if start is None:
            return {**place, loop: here}
        there = here.moved(start.plus)
        if start.runs:
            runs = start.runs
            if here.runs:
                runs = self.function.on_indices("arith.addi", runs, here.runs)
            there = At(runs, there.plus)
        return {**place, loop: there}

    def tile(self, place: Place, trips: Mapping[int, int]) -> None:
        """Start, sum up, finish and store the sums of one tile."""
        lanes = self.lanes[0]
        unroll = [*(d for d in self.schedule.unroll if d != lanes), lanes]
        if lanes in self.schedule.unroll:
            unroll = list(self.schedule.unroll)
        spans = [range(0, trips[d], LANES if d == lanes else 1) for d in unroll]
        points = [
            _moved(place, dict(zip(unroll, at, strict=True))) for at in product(*spans)
        ]
        if self.schedule.ahead:
            _fetch_result(self, points)
        known: dict[tuple[object, ...], Value] = {}
        sums = [self._begin(point, known) for point in points]
        self.finish(self.summed(sums, points), points)

    def finish(self, sums: Sequence[Value], points: Sequence[Place]) -> None:
        """Finish and store the sums of one tile."""
        known: dict[tuple[object, ...], Value] = {}
        for point, total in zip(points, sums, strict=True):
            done = self.finished(point, total, known)
            store(self.function, self.result, point, self.lanes, done, known)

    def summed(self, sums: Sequence[Value], points: Sequence[Place]) -> list[Value]:
        """The sums of one tile."""
        return self.reduction.over(0, sums, points, {})

    def _begin(self, point: Place, known: dict[tuple[object, ...], Value]) -> Value:
        start = self.group.start
        if start is None:
            assert self.sums is not None
            return load(self.function, self.sums, point, self.lanes, known)
        if start.name == "linalg.fill":
            value = str(start.operands[0].owner.attributes["value"])
            return self.function.splat(value.partition(":")[0].strip())
        inputs = [load(self.function, o, point, self.lanes, known) for o in self.start]
        inputs.append(self.function.splat("0.0"))
        return emit_body(start, inputs, self.function)

    def finished(
        self, point: Place, total: Value, known: dict[tuple[object, ...], Value]
    ) -> Value:
        """A sum as the epilogue leaves it."""
        epilogue = self.group.epilogue
        if epilogue is None:
            return total
        extra = iter(self.extra)
        inputs = [
            total
            if value == self.group.sums
            else load(self.function, next(extra), point, self.lanes, known)
            for value in list(epilogue.operands)[:-1]
        ]
        inputs.append(self.function.splat("0.0"))
        return emit_body(epilogue, inputs, self.function)


def _counted(nest: Nest, out: Any, reads: Sequence[Any]) -> list[tuple[Any, Any]]:
    """What says how many trips the loops have that a run counts, and where: the result,
    and of a product what it sums up."""
    operands = nest.group.contraction.operands if nest.kind == "matmul" else ()
    return [(nest.group.result, out), *zip(operands, reads, strict=False)]


def _inputs(nest: Nest, op: Any, loops: Mapping[int, int]) -> list[Operand]:
    """What an elementwise op reads besides the sums; its loops renamed."""
    if op is None or op.name == "linalg.fill":
        return []
    inputs = zip(list(op.operands)[:-1], accesses(op)[:-1], strict=True)
    return [
        nest.operand(value, tuple(index.renamed(loops) for index in access))
        for value, access in inputs
        if value != nest.group.sums
    ]


def _fetch_result(nest: Nest, points: Sequence[Place]) -> None:
    """Ask for what the epilogue reads and writes, while the sums are computed."""
    known: dict[tuple[object, ...], Value] = {}
    for point in points:
        for operand in (*nest.extra, nest.result):
            if len(operand.access) == len(nest.result.access):
                is_result = operand is nest.result
                fetch(nest.function, operand, point, known, writes=is_result)


def _moved(place: Place, by: Mapping[int, int]) -> Place:
    """Further along some loops."""
    return {**place, **{loop: place[loop].moved(o) for loop, o in by.items()}}


def _stretches(
    window: Window | None, start: At, size: int, tile: int
) -> list[tuple[int, int, int]]:
    """Low, high, step: tiles that are alike, one after the other.

    A tile at the edge of the image, where some products are left out, is alone.
    """
    whole = size // tile * tile
    result: list[tuple[int, int, int]] = []
    if window is None or start.runs:
        # What runs was found to lie away from the edges already.
        result = [(0, whole, tile), (whole, size, size - whole)]
        return [item for item in result if item[0] < item[1]]
    for low in range(0, size, tile):
        step = min(tile, size - low)
        first = start.plus + low
        inside = window.is_whole(first) and window.is_whole(first + step - 1)
        before = result[-1] if result else (0, 0, 0)
        ends = (start.plus + before[0], start.plus + before[1] - 1)
        if inside and before[2] == step and all(map(window.is_whole, ends)):
            result[-1] = (before[0], low + step, step)
        else:
            result.append((low, low + step, step))
    return result


def nest_of(
    group: Group,
    schedule: Schedule,
    padding: Padding | None = None,
    flat: FlatMap | None = None,
) -> tuple[Function, list[Any]]:
    """The nest of a group as a function, and the memrefs to call it with.

    Raises NotLinear, with the reason, if the group cannot be written as a nest.
    """
    return Nest(group, schedule, padding, flat=flat).written()


def _are_side_by_side(operand: Operand, lane: int) -> bool:
    """Whether the lanes of an operand can be read or written by one instruction."""
    if not any(lane in index.loops for index in operand.access):
        return True
    access = operand.access
    is_row = runs_along(access, lane) or stride_along(access, lane) == 2
    is_spread = bool(spread_along(access, lane))
    return has_unit_stride(operand.value) and (is_row or is_spread)


def _rounds(nest: Nest) -> bool:
    """Whether an epilogue rounds to bf16, which is written and never read."""
    result = nest.group.result
    reads = [operand.value for operand in (*nest.start, *nest.extra)]
    return (
        nest.kind in PRODUCTS
        and nest.group.epilogue is not None
        and str(result.type.element_type) == "bf16"
        and result not in reads
    )
