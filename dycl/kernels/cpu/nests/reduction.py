"""The loops that sum up, inside of a tile of a nest."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST, VALID
from dycl.kernels.cpu.blocks.keep_rows import CONV_ROWS, DEPTHWISE_ROWS, FEW_ROWS
from dycl.kernels.cpu.loops.payload import emit_body
from dycl.kernels.cpu.nests.bf16 import dot
from dycl.kernels.cpu.nests.function import NOTHING, Function, Value
from dycl.kernels.cpu.nests.nest_places import (
    At,
    Operand,
    Place,
    fetch,
    fetch_at,
    is_half,
    load,
    offset,
)
from dycl.kernels.cpu.nests.padding import Window
from dycl.kernels.cpu.weights.narrow_products import PAIRS
from dycl.schedules.schedule import Schedule

PRODUCTS = (
    *("conv", "depthwise", "grouped", "matmul"),
    *(PAIRS, CONV_ROWS, DEPTHWISE_ROWS, FEW_ROWS),
)
"""The kinds of nests that sum products of two operands."""


LINE = 64
"""Bytes that a cache holds together."""


@dataclass(frozen=True)
class Reduction:
    """How the sums of a tile go through all reduction loops of a contraction."""

    contraction: Any
    schedule: Schedule
    function: Function
    sizes: Mapping[int, int]
    """Trips of each loop."""
    lanes: tuple[int, int]
    """The loop that is the lanes of a vector, and its trips."""
    reads: Sequence[Operand]
    edges: Mapping[int, Window]
    """The windows over the edge of the image, by their loops."""
    trips: Mapping[int, Value]
    """Trips of the loops that a run counts."""

    @property
    def kind(self) -> str:
        """The kind of nest."""
        return str(self.contraction.attributes[NEST].value)

    def over(
        self, depth: int, sums: Sequence[Value], points: Sequence[Place], place: Place
    ) -> list[Value]:
        """What sums are after the reduction loops from `depth` on."""
        sums = list(sums)
        if depth == len(self.schedule.reduce):
            return self._products(sums, points, place)
        loop = self.schedule.reduce[depth]
        if self.schedule.reduce[depth:] == self.schedule.window:
            return self._window(sums, points, place)
        if loop in self.schedule.flat:
            for trip in range(self.sizes[loop]):
                here = {**place, loop: At(plus=trip)}
                sums = self.over(depth + 1, sums, points, here)
            return sums
        if (count := self.trips.get(loop)) is not None:
            return self._counted(depth, count, sums, points, place)
        for chosen, low, high in self._alike(loop, points, place):
            some = self._summed(
                depth,
                (low, high),
                [sums[i] for i in chosen],
                [points[i] for i in chosen],
                place,
            )
            for i, total in zip(chosen, some, strict=True):
                sums[i] = total
        return sums

    def _window(
        self, sums: list[Value], points: Sequence[Place], place: Place
    ) -> list[Value]:
        """All taps of a window: each pixel is read once, for all sums that need it."""
        image = self.reads[0].access
        taps = product(*(range(self.sizes[loop]) for loop in self.schedule.window))
        steps: list[tuple[tuple[int, ...], int, Place]] = []
        for trips in taps:
            tap = dict(zip(self.schedule.window, trips, strict=True))
            for i, point in enumerate(points):
                if not self._reads_image(point, tap):
                    continue
                here = {**point, **place, **{d: At(plus=t) for d, t in tap.items()}}
                steps.append((offset(image, here), i, here))
        known: dict[tuple[object, ...], Value] = {}
        for _, i, here in sorted(steps, key=lambda step: step[0]):
            sums[i] = self._product(sums[i], here, known)
        return sums

    def _reads_image(self, point: Place, tap: Mapping[int, int]) -> bool:
        """Whether taps of a window at a point are not known to read the border."""
        windows = ((self.edges[d], trip) for d, trip in tap.items() if d in self.edges)
        return all(self._is_read(window, point, trip) for window, trip in windows)

    def _is_read(self, window: Window, point: Place, trip: int) -> bool:
        """Whether a tap along one dimension is not known to read the border only."""
        at = point[window.out]
        loop, size = self.lanes
        lanes = range(min(LANES, size - at.plus) if window.out == loop else 1)
        return bool(at.runs) or any(window.is_inside(at.plus + i, trip) for i in lanes)

    def _summed(
        self,
        depth: int,
        trips: tuple[int, int],
        sums: list[Value],
        points: Sequence[Place],
        place: Place,
    ) -> list[Value]:
        """The trips of one reduction loop from the first to the one before the last."""
        low, high = trips
        loop = self.schedule.reduce[depth]
        middle = low
        is_last = depth == len(self.schedule.reduce) - 1
        if is_last and not self._reads_rows:
            self._fetch_ahead(points, {**place, loop: At(plus=low)})
        if is_last and self.kind in PRODUCTS:
            parts = max(1, min(self.schedule.split(len(sums)), (high - low) // 2))
            middle = high - (high - low) % parts if parts > 1 else low
            if middle > low:
                sums = self._split((low, middle, parts), sums, points, place)
        if high - middle == 1:
            here = {**place, loop: At(plus=middle)}
            sums = self.over(depth + 1, sums, points, here)
        elif high > middle:
            runs = self.function.loop((middle, high, 1), sums)
            here = {**place, loop: At(runs.runs)}
            partial = self.over(depth + 1, runs.carried, points, here)
            sums = runs.close(partial)
        return sums

    def _counted(
        self,
        depth: int,
        count: Value,
        sums: Sequence[Value],
        points: Sequence[Place],
        place: Place,
    ) -> list[Value]:
        """The trips of a reduction loop that a run counts: of none, what sums were."""
        function, loop = self.function, self.schedule.reduce[depth]
        is_last = depth == len(self.schedule.reduce) - 1
        parts = self.schedule.split(len(sums)) if is_last else 1
        middle: int | Value = 0
        if parts > 1:
            rest = function.on_indices("arith.remui", count, function.index(parts))
            middle = function.on_indices("arith.subi", count, rest)
            sums = self._split((0, middle, parts), sums, points, place)
        runs = function.loop((middle, count, 1), sums)
        here = {**place, loop: At(runs.runs)}
        return runs.close(self.over(depth + 1, runs.carried, points, here))

    @property
    def _reads_rows(self) -> bool:
        """Whether each trip of the innermost loop reads another row of the image."""
        innermost = self.schedule.reduce[-1]
        return innermost not in self.reads[0].access[-1].loops

    def _fetch_ahead(self, points: Sequence[Place], place: Place) -> None:
        """Ask for what the next tile reads of the image at a place in the sums."""
        if self.schedule.ahead is None:
            return
        image, (along, trips) = self.reads[0], self.schedule.ahead
        pixels = {point[along].plus: point for point in points}
        known: dict[tuple[object, ...], Value] = {}
        for point in pixels.values():
            there = point[along].moved(trips)
            fetch(self.function, image, {**point, **place, along: there}, known)

    def _alike(
        self, loop: int, points: Sequence[Place], place: Place
    ) -> Iterator[tuple[list[int], int, int]]:
        """The trips of a reduction in parts, and for each the points that take part."""
        window = self.edges.get(loop)
        for low, high in self._ranges(loop, place):
            if window is None:
                yield list(range(len(points))), low, high
                continue
            chosen = {
                trip: [
                    i
                    for i, point in enumerate(points)
                    if self._is_read(window, point, trip)
                ]
                for trip in range(low, high)
            }
            for some, trips in groupby(chosen, chosen.__getitem__):
                if some:
                    first, *others = trips
                    yield some, first, first + 1 + len(others)

    def _ranges(self, loop: int, place: Place) -> list[tuple[int, int]]:
        """The trips of a reduction, in parts; padded channels are left out."""
        if VALID not in self.contraction.attributes:
            return [(0, self.sizes[loop])]
        valid = int(self.contraction.attributes[VALID].value)
        whole = valid // LANES
        block, lane = min(self.schedule.reduce), max(self.schedule.reduce)
        if loop == block:
            return [(0, whole), (whole, whole + 1)]
        if loop == lane and place[block] == At(plus=whole):
            return [(0, valid % LANES)]
        return [(0, self.sizes[loop])]

    def _split(
        self,
        trips: tuple[int, int | Value, int],
        sums: Sequence[Value],
        points: Sequence[Place],
        place: Place,
    ) -> list[Value]:
        """The innermost loop with several partial sums each, added up behind it."""
        loop, parts = self.schedule.reduce[-1], trips[2]
        zeros = [self.function.splat("0.0")] * (len(sums) * (parts - 1))
        runs = self.function.loop(trips, [*sums, *zeros])
        partial: list[Value] = []
        for part in range(parts):
            here = {**place, loop: At(runs.runs, part)}
            carried = runs.carried[part * len(sums) : (part + 1) * len(sums)]
            partial += self._products(carried, points, here)
        partial = runs.close(partial)
        return [self._added(partial[i :: len(sums)]) for i in range(len(sums))]

    def _added(self, parts: list[Value]) -> Value:
        while len(parts) > 1:
            odd = parts[-1:] if len(parts) % 2 else []
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [
                self.function.on_vectors("arith.addf", a, b) for a, b in pairs
            ] + odd
        return parts[0]

    def _products(
        self, sums: Sequence[Value], points: Sequence[Place], place: Place
    ) -> list[Value]:
        """One step of each sum."""
        if self._reads_rows:
            self._fetch_ahead(points, place)
        if self.schedule.spread or self.schedule.soon:
            _fetch_columns(self, {**points[0], **place}, points)
        known: dict[tuple[object, ...], Value] = {}
        return [
            self._product(total, {**point, **place}, known)
            for point, total in zip(points, sums, strict=True)
        ]

    def _product(
        self, total: Value, here: Place, known: dict[tuple[object, ...], Value]
    ) -> Value:
        """One step of one sum."""
        if self.kind == PAIRS:
            left, right = self.reads
            return dot(self.function, (left, right), here, known, total)
        values = [load(self.function, o, here, self.lanes, known) for o in self.reads]
        if self.kind in PRODUCTS:
            left, right = values
            return self.function.on_vectors("vector.fma", left, right, total)
        inputs = [*values, self.function.splat("0.0"), total]
        body = self.contraction
        return emit_body(body, inputs, self.function)


def _fetch_columns(nest: Reduction, here: Place, points: Sequence[Place]) -> None:
    """Ask for a share of the columns that follow in a packed matrix.

    A row of the result asks for as much as any other, a trip of the sum likewise:
    memory is read all the time, and not while the first rows are computed only. Where
    a run decides how many rows there are, each whole tile asks for all that follows,
    and a smaller one, which may be the only one, for nothing: it is no slower than
    memory is read, and what it asks for would come in the way of what it reads.

    Where all rows are one tile, a trip asks for what is read a few trips later.
    """
    weights, rows = nest.reads[1], nest.schedule.unroll[0]
    panel = math.prod(weights.value.type.shape[1:])
    tile = len({point[rows].plus for point in points})
    is_open = rows in nest.trips
    if is_open and tile < nest.schedule.spread:
        return
    trips, soon = nest.sizes[nest.schedule.reduce[-1]], nest.schedule.soon
    share = 0 if soon else panel // nest.schedule.spread
    step = panel // trips if soon else -(-tile * share // trips)
    # Columns run in steps of those that lie together.
    column = weights.value.type.shape[2]
    at, offset = NOTHING, soon * step or panel
    for loop, size in (
        (nest.lanes[0], panel // column),
        (rows, 0 if is_open else share),
        (nest.schedule.reduce[-1], step),
    ):
        offset += here[loop].plus * size
        if size and (runs := here[loop].runs):
            by = nest.function.index(size)
            part = nest.function.on_indices("arith.muli", runs, by)
            at = nest.function.on_indices("arith.addi", at, part) if at else part
    for line in range(0, step, LINE // (2 if is_half(weights) else 4)):
        place = nest.function.index(offset + line)
        if at:
            place = nest.function.on_indices("arith.addi", at, place)
        fetch_at(nest.function, weights, place, is_soon=soon > 0)
