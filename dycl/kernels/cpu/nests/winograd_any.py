"""Winograd's convolution of an image whose size a run decides, tiles one by one.

Tiles are numbered row by row; some of them at a time are transformed, multiplied and
transformed back, in memory that has room for so many. Where a tile lies follows from
its number, and pixels of a result that lie behind its end are written to its last row
or column, before what belongs there.

A small image is computed by the definition, where that is worth its code
(`dycl.schedules.winograd.crossing_of`): from the same pixels and the weights in blocks,
both of which tiles that are not finite need anyway.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dycl.kernels.cpu import tensor_ops as tensors
from dycl.kernels.cpu.blocks.block_contractions import NEST, VALID, product
from dycl.kernels.cpu.loops.accesses import Access, Index, NotLinear, Term, accesses
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.nests.function import LANES, Function, Value
from dycl.kernels.cpu.nests.groups import Group
from dycl.kernels.cpu.nests.nest import Nest, Shared
from dycl.kernels.cpu.nests.nest_places import At, Place, store
from dycl.kernels.cpu.nests.split_nests import ALONE
from dycl.kernels.cpu.nests.winograd import TILE
from dycl.kernels.cpu.nests.winograd_blocks import Rule, Trio, copy_of, room_for
from dycl.kernels.cpu.nests.winograd_nest import TransformNest
from dycl.schedules import winograd as schedules

_PLACE = 107
"""A loop around the ops: the place of a tile among those in memory."""
_IMAGE, _ROW, _COLUMN = 3, 4, 5
"""The dimensions of transformed tiles that say which one."""


def any_blocks_nest(trio: Trio, rule: Rule) -> tuple[Function, list[Any]] | None:
    """The function of a convolution, and what to call it with; None: its size is known,
    or there is no such function."""
    if trio.results.result.type.has_static_shape:
        return None
    first = trio.pixels.contraction
    side, _, channels, batch, *_ = list(first.operands)[-1].type.shape
    filters = trio.sums.sums.type.shape[1]
    wide = channels * LANES, filters * LANES
    crossing = schedules.crossing_of(side - 2, *wide, batch)
    together = schedules.tiles_of_block(*wide, side * side)
    with ir.InsertionPoint(first), first.location:
        pixels, seen = room_for(side, channels, (1, 1, together))
        sums, apart = room_for(side, filters, (1, 1, together))
        copies = [
            copy_of(trio.pixels, {len(first.operands) - 1: pixels}),
            copy_of(trio.sums, {0: seen, 2: apart}),
            copy_of(trio.results, {0: sums}),
            _by_definition(trio.results),
        ]
    try:
        shared = Shared(Function(), [])
        blocks = _Blocks(copies, rule, shared, together)
        blocks.emit((pixels, sums), crossing)
    except NotLinear:
        return None
    finally:
        for copy in copies:
            copy.contraction.erase()
    return shared


def _by_definition(results: Group) -> Group:
    """The group with the convolution that its contraction takes the place of."""
    last = results.contraction
    _, _, _, pixels, weights, sums = last.operands
    valid = {VALID: last.attributes[VALID]} if VALID in last.attributes else {}
    convolution = tensors.generic(
        [pixels, weights],
        sums,
        [
            "(n, f, h, w, v, c, p, q, u) -> (n, c, h + p, w + q, u)",
            "(n, f, h, w, v, c, p, q, u) -> (f, c, p, q, u, v)",
            "(n, f, h, w, v, c, p, q, u) -> (n, f, h, w, v)",
        ],
        "ppppprrrr",
        product,
        **{NEST: ir.StringAttr.get("conv"), **valid},
    )
    return replace(results, contraction=convolution)


class _Blocks:
    """The loops around the three parts of a convolution."""

    def __init__(self, copies: list[Group], rule: Rule, shared: Shared, together: int):
        """`together`: how many tiles there is room for."""
        self.copies, self.rule, self.shared = copies, rule, shared
        self.function = shared.function
        self.together = together

    def emit(self, rooms: tuple[Any, Any], crossing: schedules.Crossing | None) -> None:
        """Add all of it. Raises NotLinear."""
        pixels, sums, results, whole = self.copies
        there = _Transform(pixels, self.shared, rooms[0])
        products = Nest(sums, self.rule(sums, None), shared=self.shared)
        back = _Transform(results, self.shared, rooms[1])
        (batch, *_), function = results.result.type.shape, self.function
        tile = function.index(int(pixels.contraction.attributes[TILE].value))
        down, across = (
            function.on_indices("arith.ceildivui", back.size(loop), tile)
            for loop in (2, 3)
        )
        along = accesses(sums.contraction)[-1][2].terms[0].loop
        tiles = function.on_indices("arith.muli", down, across)
        definition = None
        if crossing is not None:
            area = function.on_indices("arith.muli", back.size(2), back.size(3))
            definition = Nest(whole, self.rule(whole, None), shared=self.shared)
            function.choice(self._is_worth(crossing, area, tiles), 0)
        images = function.loop((0, batch, 1))
        step = self._step(tiles)
        blocks = function.loop_by(tiles, step, **{ALONE: "unit"})
        left = function.on_indices("arith.subi", tiles, blocks.runs)
        count = function.on_indices("arith.minui", left, step)
        begin = images.runs, blocks.runs, across, count
        there.each_tile(*begin)
        products.emit({}, {along: count})
        back.each_tile(*begin)
        blocks.close()
        images.close()
        if definition is not None:
            function.other(())
            definition.emit({})
            function.close(())

    def _is_worth(self, at: schedules.Crossing, pixels: Value, tiles: Value) -> Value:
        """Whether an image of so many pixels is to be computed in tiles."""
        function = self.function
        sides = (pixels, at.pixel), (tiles, at.tile)
        left, right = (
            function.on_indices("arith.muli", count, function.index(by))
            for count, by in sides
        )
        right = function.on_indices("arith.addi", right, function.index(at.weights))
        return function.reaches(left, right)

    def _step(self, tiles: Value) -> Value:
        """How many tiles a block has: all about as many, for few would wait for their
        weights."""
        function, one = self.function, self.function.index(1)
        most = function.index(self.together)
        blocks = function.on_indices("arith.ceildivui", tiles, most)
        blocks = function.on_indices("arith.maxui", blocks, one)
        step = function.on_indices("arith.ceildivui", tiles, blocks)
        return function.on_indices("arith.maxui", step, one)


class _Transform(TransformNest):
    """A transform of single tiles; `room`: the memory that has some of them."""

    def __init__(self, group: Group, shared: Shared, room: Any):
        """Raises NotLinear as `Nest` does."""
        self._room = room
        super().__init__(group, 1, shared)
        if why := self.why_not():
            raise NotLinear(why)

    def operand(self, value: Any, access: Access) -> Any:
        if value == self._room:
            here = {_IMAGE: Index(), _ROW: Index(), _COLUMN: Index((Term(_PLACE),))}
            access = tuple(here.get(dim, index) for dim, index in enumerate(access))
        return super().operand(value, access)

    def size(self, loop: int) -> Value:
        """The trips of a loop, as a value."""
        known = self.counts.trips.get(loop)
        return self.function.index(self.sizes[loop]) if known is None else known

    def each_tile(
        self, image: Value, first: Value, across: Value, count: Value
    ) -> None:
        """Transform `count` tiles from the tile number `first` on."""
        function = self.function
        channels = function.loop((0, self.sizes[1 if self._back else 2], 1))
        tiles = function.loop_to(count, 1)
        number = function.on_indices("arith.addi", first, tiles.runs)
        row = function.on_indices("arith.divui", number, across)
        column = function.on_indices("arith.remui", number, across)
        block = At(channels.runs)
        place: Mapping[int, At] = {_PLACE: At(tiles.runs), **self._within()}
        if self._back:
            tile = self._side - 2
            by = function.index(tile)
            top, left = (
                At(function.on_indices("arith.muli", at, by), step=tile)
                for at in (row, column)
            )
            place = {**place, 0: At(image), 1: block, 2: top, 3: left}
            self.tile(place, {2: tile, 3: tile, 4: LANES})
        else:
            place = {**place, 2: block, 3: At(image), 4: At(row), 5: At(column)}
            self.tile(place, {0: self._side, 1: self._side, 6: LANES})
        tiles.close()
        channels.close()

    def _within(self) -> dict[int, At]:
        """The loops within a tile, at their beginning."""
        return dict.fromkeys((4,) if self._back else (0, 1, 6), At())

    def finish(self, sums: Sequence[Value], points: Sequence[Place]) -> None:
        """Finish and store the sums of one tile, what lies behind the end first."""
        if not self._back:
            super().finish(sums, points)
            return
        known: dict[tuple[object, ...], Value] = {}
        inside = [self._inside(point, known) for point in points]
        done = [
            self.finished(point, total, known)
            for point, total in zip(inside, sums, strict=True)
        ]
        for point, value in reversed(list(zip(inside, done, strict=True))):
            store(self.function, self.result, point, self.lanes, value, known)

    def _inside(self, point: Place, known: dict[tuple[object, ...], Value]) -> Place:
        """The place of a pixel, or of the last one of its row or column."""
        result = dict(point)
        for loop in (2, 3):
            key = ("inside", loop, point[loop].plus)
            if key not in known:
                function = self.function
                size, one = self.size(loop), function.index(1)
                last = function.on_indices("arith.subi", size, one)
                at = function.index(point[loop].plus)
                at = function.on_indices("arith.addi", point[loop].runs, at)
                known[key] = function.on_indices("arith.minui", at, last)
            result[loop] = At(known[key])
        return result
