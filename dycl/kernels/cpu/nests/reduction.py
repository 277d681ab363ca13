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
LEAST_ASKING = 3
"""Rows of a tile, where a run counts them, from which on it asks for what follows:
fewer wait for what they read already."""


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
    memory is read all the time, and not while the first rows are computed only.

    Where all rows are one tile, a trip asks for what is read a few trips later.
    """
    weights, rows = nest.reads[1], nest.schedule.unroll[0]
    panel = math.prod(weights.value.type.shape[1:])
    tile = len({point[rows].plus for point in points})
    trips, soon = nest.sizes[nest.schedule.reduce[-1]], nest.schedule.soon
    line = panel // trips
    ahead: int | Value = soon * line or panel
    share: int | Value = 0
    step: int | Value = line
    if (count := nest.trips.get(rows)) is not None:
        if tile < LEAST_ASKING:
            return
        ahead, share, step = _shares(nest, count, tile, panel)
    elif not soon:
        share = panel // nest.schedule.spread
        step = line = -(-tile * share // trips)
    # Columns run in steps of those that lie together.
    column = weights.value.type.shape[2]
    parts = (
        (nest.lanes[0], panel // column),
        (rows, share),
        (nest.schedule.reduce[-1], step),
    )
    sums = [_scaled(nest.function, here[loop], size) for loop, size in parts]
    offset = sum(each for each, _ in sums)
    terms = [each for _, each in sums if each]
    if isinstance(ahead, Value):
        terms.append(ahead)
    else:
        offset += ahead
    for low in range(0, line, LINE // (2 if is_half(weights) else 4)):
        place = nest.function.index(offset + low)
        for term in terms:
            place = nest.function.on_indices("arith.addi", place, term)
        fetch_at(nest.function, weights, place, is_soon=soon > 0)


def _shares(
    nest: Reduction, count: Value, tile: int, panel: int
) -> tuple[Value, Value, Value]:
    """How far ahead is what a tile asks for, and how far apart what its rows and its
    trips do, where a run counts the rows."""
    function, schedule = nest.function, nest.schedule
    line = panel // nest.sizes[schedule.reduce[-1]]
    goes_on = function.reaches(count, function.index(schedule.spread + 1))
    places = (function.index(panel), function.index(schedule.soon * line))
    return (
        function.on_indices("arith.select", goes_on, *places),
        function.on_indices("arith.divui", function.index(panel), count),
        function.on_indices("arith.ceildivui", function.index(tile * line), count),
    )


def _scaled(function: Function, at: At, by: int | Value) -> tuple[int, Value]:
    """What a loop is at, times so much: a number, and what a run adds to it."""
    if not isinstance(by, Value):
        if not by or not at.runs:
            return at.plus * by, NOTHING
        by, plus = function.index(by), at.plus * by
        return plus, function.on_indices("arith.muli", at.runs, by)
    if not at.runs:
        part = function.index(at.plus)
    else:
        part = function.on_indices("arith.addi", at.runs, function.index(at.plus))
    return 0, function.on_indices("arith.muli", part, by)
