"""Nests that transform tiles: `dycl.kernels.cpu.nests.winograd` says of what, and why.

A tile is read once, as vectors of 16 channels; each of its rows, then each of its
columns, is multiplied by a matrix of constants.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import NEST, VALID
from dycl.kernels.cpu.loops.accesses import Access, Index, Term, reductions, sizes
from dycl.kernels.cpu.nests.function import LANES, Function, Value
from dycl.kernels.cpu.nests.groups import Group
from dycl.kernels.cpu.nests.nest import Nest, Shared
from dycl.kernels.cpu.nests.nest_places import At, Operand, Place, load
from dycl.kernels.cpu.nests.shared_sums import SharedSums, sharing
from dycl.kernels.cpu.nests.winograd import RESULTS, TILE
from dycl.kernels.cpu.tensor_ops import is_zero
from dycl.schedules.schedule import Schedule
from dycl.schedules.winograd import WINDOW, Matrix, transforms

_C, _P, _Q, _U = range(100, 104)
"""Loops of the definition, which the op does not have."""


BLOCKS = (104, 105, 106)
"""Loops around the op: the image, the row and the column of tiles where a block begins.
"""


def _moved(index: Index, blocks: Mapping[int, tuple[int, int]]) -> Index:
    """An index into images, with where a block begins in them.

    `blocks`: by loop, the one around it and how many of the first are a step of that.
    """
    more = [
        Term(around, term.factor * per)
        for term in index.terms
        if term.kind == "loop" and term.loop in blocks
        for around, per in [blocks[term.loop]]
    ]
    return Index((*index.terms, *more), index.constant)


def _access(*dims: tuple[int, ...]) -> Access:
    return tuple(Index(tuple(Term(loop) for loop in dim)) for dim in dims)


class TransformNest(Nest):
    """A nest whose sums are all made at once, of the tile that they share."""

    def __init__(
        self,
        group: Group,
        threads: int,
        shared: Shared | None = None,
        block: tuple[int, int, int] | None = None,
    ):
        """Raises NotLinear as `Nest` does.

        `block`: images, and rows and columns of tiles of each, where there are more.
        Where they begin is the place in the loops `BLOCKS`.
        """
        contraction = group.contraction
        self._block = block
        tile = int(contraction.attributes[TILE].value)
        matrices = transforms(tile)
        side = tile + 2
        self._back = str(contraction.attributes[NEST].value) == RESULTS
        self._matrix: Matrix = matrices.results if self._back else matrices.pixels
        self._side = side
        reduce = tuple(reductions(contraction))
        if self._back:
            order, unroll = (0, 1, 2, 3, 4), (2, 3)
            steps = {2: tile, 3: tile}
        else:
            order, unroll = (2, 3, 4, 5, 0, 1, 6), (0, 1)
            steps = {0: side, 1: side}
        lanes = order[-1]
        steps[lanes] = sizes(contraction)[lanes]
        schedule = Schedule(
            order,
            lanes,
            lambda loop, _: steps.get(loop, 1),
            unroll,
            reduce,
            rows=(2 if self._back else 4,)[: threads > 1],
        )
        super().__init__(group, schedule, shared=shared)
        self._rows = unroll
        if self._back and block is not None:
            images, *tiles = block
            self.sizes[0] = min(self.sizes[0], images)
            for loop, size in zip((2, 3), tiles, strict=True):
                self.sizes[loop] = min(self.sizes[loop], size * tile)
        if self._back:
            pixels, weights = list(contraction.operands)[3:5]
            n, f, h, w, v = range(5)
            self._pixels = self.operand(
                pixels, _access((n,), (_C,), (h, _P), (w, _Q), (_U,))
            )
            self._weights = self.operand(
                weights, _access((f,), (_C,), (_P,), (_Q,), (_U,), (v,))
            )
            blocks = int(weights.type.shape[1])
            self._channels = blocks * LANES
            if VALID in contraction.attributes:
                self._channels = int(contraction.attributes[VALID].value)

    def operand(self, value: Any, access: Any) -> Operand:
        """An operand; what is of all images is seen from where the block begins.

        Transformed pixels and their sums are those of the block.
        """
        within = list(self.group.contraction.operands)[0 if self._back else -1]
        if self._block is None or value == within:
            return super().operand(value, access)
        # Rows and columns of a result are counted in pixels, of blocks in tiles.
        loops, per = ((0, 2, 3), self._side - 2) if self._back else ((3, 4, 5), 1)
        blocks = dict(zip(loops, zip(BLOCKS, (1, per, per), strict=True), strict=True))
        moved = tuple(_moved(index, blocks) for index in access)
        return super().operand(value, moved)

    def tile(self, place: Place, trips: Mapping[int, int]) -> None:
        """One tile; of pixels, rows that share sums after one another.

        All values of a tile are more than there are registers.
        """
        if self._back:
            super().tile(place, trips)
            return
        rows, across = self._rows
        for group in sharing(self._matrix):
            points = [
                {**place, rows: At(plus=i), across: At(plus=j)}
                for i in group
                for j in range(self._side)
            ]
            values = self._transformed(place, group)
            if not _begins_with_zero(self.group.start):
                known: dict[tuple[object, ...], Value] = {}
                sums = [self._begin(point, known) for point in points]
                values = self._added(sums, values)
            self.finish(values, points)

    def summed(self, sums: Sequence[Value], points: Sequence[Place]) -> list[Value]:
        """The sums of one tile, transformed together."""
        corner: Place = points[0]
        size = len(self._matrix)
        whole = self._transformed(corner, range(size))
        values: list[Value] = []
        for point in points:
            down, across = (point[at].plus - corner[at].plus for at in self._rows)
            values.append(whole[down * size + across])
        return self._added(sums, self._or_definition(values, points))

    def _transformed(self, corner: Place, rows: Sequence[int]) -> list[Value]:
        """Some rows of the transformed tile, one after the other."""
        first, second = self.schedule.reduce
        known: dict[tuple[object, ...], Value] = {}
        chosen = [self._matrix[row] for row in rows]
        needed = [i for i in range(self._side) if any(row[i] for row in chosen)]
        chosen = [tuple(row[i] for i in needed) for row in chosen]
        shared = SharedSums(self.function)
        columns = [
            shared.times(
                chosen,
                [
                    load(
                        self.function,
                        self.reads[0],
                        {**corner, first: At(plus=i), second: At(plus=j)},
                        self.lanes,
                        known,
                    )
                    for i in needed
                ],
            )
            for j in range(self._side)
        ]
        return [
            value
            for row in zip(*columns, strict=True)
            for value in shared.times(self._matrix, row)
        ]

    def _added(self, sums: Sequence[Value], values: Sequence[Value]) -> list[Value]:
        """The values, each added to what its sum begins with."""
        pairs = zip(sums, values, strict=True)
        return [self.function.on_vectors("arith.addf", *pair) for pair in pairs]

    def _or_definition(
        self, values: Sequence[Value], points: Sequence[Place]
    ) -> list[Value]:
        """The values, or, if any is infinite or NaN, the sums of the definition."""
        function, count = self.function, len(values)
        zero = function.splat("0.0")
        results = function.choice(function.is_not_finite(values), count)
        whole, rest = divmod(self._channels, LANES)
        sums = [zero] * count
        for low, high, lanes in ((0, whole, LANES), (whole, whole + 1, rest)):
            if low == high or not lanes:
                continue
            loops = [
                (_C, (low, high, 1)),
                (_P, (0, WINDOW, 1)),
                (_Q, (0, WINDOW, 1)),
                (_U, (0, lanes, 1)),
            ]
            sums = self._defined(loops, sums, points, {})
        function.other(sums)
        function.close(values)
        return list(results)

    def _defined(
        self,
        loops: Sequence[tuple[int, tuple[int, int, int]]],
        sums: Sequence[Value],
        points: Sequence[Place],
        place: Place,
    ) -> list[Value]:
        """The products of the definition, added up in loops."""
        if loops:
            (loop, trips), *inner = loops
            runs = self.function.loop(trips, sums)
            here = {**place, loop: At(runs.runs)}
            return runs.close(self._defined(inner, runs.carried, points, here))
        known: dict[tuple[object, ...], Value] = {}
        result: list[Value] = []
        for point, total in zip(points, sums, strict=True):
            pixel, weight = (
                load(self.function, operand, {**point, **place}, self.lanes, known)
                for operand in (self._pixels, self._weights)
            )
            result.append(self.function.on_vectors("vector.fma", pixel, weight, total))
        return result


def _begins_with_zero(start: Any) -> bool:
    """Whether sums begin with a constant 0."""
    if start is None or start.name != "linalg.fill":
        return False
    return is_zero(start.operands[0])


def transform_of(group: Group, threads: int) -> tuple[Function, list[Any]]:
    """The nest of a group as `nest_of` gives it. Raises NotLinear."""
    return TransformNest(group, threads).written()
