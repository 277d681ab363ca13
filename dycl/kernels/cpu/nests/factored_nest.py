"""The nest of a product with constant matrices: `factor_products.py` says of which.

Sixteen columns of the product are the lanes of vectors. All rows of them are computed
at once from one vector of each row of what is multiplied.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu.loops.accesses import accesses, reductions, sizes
from dycl.kernels.cpu.nests.factor_products import matrices_of
from dycl.kernels.cpu.nests.function import LANES, Function, Value
from dycl.kernels.cpu.nests.groups import Group
from dycl.kernels.cpu.nests.nest import Nest
from dycl.kernels.cpu.nests.nest_places import At, Place, load
from dycl.kernels.cpu.nests.shared_sums import Row, SharedSums
from dycl.schedules.schedule import Schedule


class FactoredNest(Nest):
    """A nest whose sums are all made at once, of the column that they share."""

    def __init__(self, group: Group, threads: int):
        """Raises NotLinear as `Nest` does."""
        contraction = group.contraction
        (depth,) = reductions(contraction)
        *batch, rows, columns = range(depth)
        trips = sizes(contraction)
        steps = {rows: trips[rows], columns: LANES}
        schedule = Schedule(
            (*batch, columns, rows),
            columns,
            lambda loop, _: steps.get(loop, 1),
            (rows,),
            (depth,),
            rows=tuple(batch)[: threads > 1],
        )
        super().__init__(group, schedule)
        self._matrix = matrices_of(contraction)
        self._depth = depth, trips[depth]
        pairs = list(zip(contraction.operands, accesses(contraction), strict=True))
        count = len(pairs) // 2
        self._pieces = [self.reads[0], *(self.operand(*p) for p in pairs[1:count])]
        self._numbers = [self.operand(*pair) for pair in pairs[count:-1]]

    def summed(self, sums: Sequence[Value], points: Sequence[Place]) -> list[Value]:
        """The sums of one tile, with what they share."""
        function, (depth, trips) = self.function, self._depth
        known: dict[tuple[object, ...], Value] = {}
        column = [
            load(function, piece, {**points[0], depth: At(plus=k)}, self.lanes, known)
            for piece in self._pieces
            for k in range(trips)
        ]
        values = SharedSums(function).times(self._matrix, column)
        values = self._or_definition(values, column, points)
        zero = function.splat("0.0")
        return [
            value if total == zero else function.on_vectors("arith.addf", total, value)
            for value, total in zip(values, sums, strict=True)
        ]

    def _or_definition(
        self, values: list[Value], column: Sequence[Value], points: Sequence[Place]
    ) -> list[Value]:
        """The values, or, if something is infinite or NaN, the sums of the definition.

        Asked are some results that have all of the column in their sums.
        """
        function = self.function
        asked = [values[i] for i in _covering(self._matrix)]
        asked += [
            v for j, v in enumerate(column) if not any(r[j] for r in self._matrix)
        ]
        results = function.choice(function.is_not_finite(asked), len(values))
        function.other(self._defined(points))
        function.close(values)
        return list(results)

    def _defined(self, points: Sequence[Place]) -> list[Value]:
        function, (depth, trips) = self.function, self._depth
        sums = [function.splat("0.0")] * len(points)
        for piece, numbers in zip(self._pieces, self._numbers, strict=True):
            runs = function.loop((0, trips, 1), sums)
            known: dict[tuple[object, ...], Value] = {}
            totals: list[Value] = []
            for point, total in zip(points, runs.carried, strict=True):
                here = {**point, depth: At(runs.runs)}
                factors = [
                    load(function, operand, here, self.lanes, known)
                    for operand in (piece, numbers)
                ]
                totals.append(function.on_vectors("vector.fma", *factors, total))
            sums = runs.close(totals)
        return sums


def _covering(rows: Sequence[Row]) -> list[int]:
    """Some rows that have a number beside 0 in each column that any row has one in."""
    missing = {j for row in rows for j, x in enumerate(row) if x}
    found: list[int] = []
    while missing:
        new = [len(missing & {j for j, x in enumerate(row) if x}) for row in rows]
        found.append(new.index(max(new)))
        missing -= {j for j, x in enumerate(rows[found[-1]]) if x}
    return found


def factored_of(group: Group, threads: int) -> tuple[Function, list[Any]]:
    """The nest of a group as `nest_of` gives it. Raises NotLinear."""
    return FactoredNest(group, threads).written()
