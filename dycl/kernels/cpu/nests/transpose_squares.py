"""`cpu-transpose-squares`: what changes places moves in squares of 16x16.

LLVM's loops read or write one element at a time. Sixteen rows of sixteen are sixteen
vectors, and four rounds of shuffles away from their columns.

Before:
    linalg.transpose ins(%x : memref<8x100x64xf32>) outs(%y) permutation = [0, 2, 1]

After:
    func.call @transpose.0(%x, %y)

    func.func private @transpose.0(...) {
      scf.for ... {                                         // squares of a plane
        vector.load ...; vector.shuffle ...; vector.store ...
      }
    }

Dimensions that stay neighbours are one, where there are no gaps. A last square that is
not whole overlaps the one before it.

Needs:  linalg on memrefs, behind `cpu-fold-transposes`.
Leaves: calls, and private functions at the end of the module.
Skips:  other dtypes than f32, sizes and places that a run decides, rows with gaps; rows
        that stay rows; fewer than eight elements along either.
"""

import math
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.buffers.memory import has_unit_stride, is_dense
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.nests.function import LANES, Function, Value, memref
from dycl.kernels.cpu.nests.transposed import transposed

_SHORTEST = 8


def transpose_squares(module: Any) -> None:
    """Rewrite every `linalg.transpose` of `module` that moves rows."""
    known: dict[object, str] = {}
    for func in functions(module):
        for op in [one.operation for one in func.regions[0].blocks[0].operations]:
            is_known = not any("?" in str(value.type) for value in op.operands)
            is_meant = op.name == "linalg.transpose" and is_known
            function = _squares(op) if is_meant else None
            if function is None:
                continue
            kinds = tuple(str(value.type) for value in op.operands)
            key = (kinds, function.key)
            if key not in known:
                # No kernel has such a name: it is no identifier of C.
                known[key] = f"transpose.{len(known)}"
                function.add(module, known[key], kinds)
            with ir.InsertionPoint(op), op.location:
                build.call(known[key], list(op.operands))
            op.erase()


def _squares(op: Any) -> Function | None:
    """The function of one op; None: there is none."""
    source, result = (value.type for value in op.operands)
    if not source.has_static_shape or 0 in source.shape:
        return None
    if str(source.element_type) != "f32" or not all(map(has_unit_stride, op.operands)):
        return None
    permutation = list(op.attributes["permutation"])
    groups = [[dim] for dim in permutation]
    if is_dense(source) and is_dense(result):
        groups = _neighbours(permutation)
    order = sorted(groups)
    sizes = [math.prod(source.shape[dim] for dim in group) for group in order]
    places = [order.index(group) for group in groups]
    row, column = places[-1], len(sizes) - 1
    if row == column or min(sizes[row], sizes[column]) < _SHORTEST:
        return None
    return _Squares(sizes, places).written(order, groups)


def _neighbours(permutation: list[int]) -> list[list[int]]:
    """The dimensions of the source, as the result has them; neighbours are a group."""
    groups: list[list[int]] = []
    for dim in permutation:
        if groups and groups[-1][-1] == dim - 1:
            groups[-1].append(dim)
        else:
            groups.append([dim])
    return groups


class _Squares:
    """The loops over a source of these sizes, whose dims the result has at `places`."""

    def __init__(self, sizes: list[int], places: list[int]):
        self._sizes, self._places = sizes, places
        self._row, self._column = places[-1], len(sizes) - 1
        self._function = Function()

    def written(self, order: list[list[int]], groups: list[list[int]]) -> Function:
        """The function; `order`, `groups`: what is one in the source, in the result."""
        function = self._function
        outer = [d for d in range(len(self._sizes)) if d not in self._sides]
        moved = [self._sizes[place] for place in self._places]
        source = self._merged(0, order, self._sizes)
        result = self._merged(1, _counted(groups), moved)
        runs = [function.loop((0, self._sizes[dim], 1)) for dim in outer]
        at = {dim: run.runs for dim, run in zip(outer, runs, strict=True)}
        sides = [self._steps(self._sizes[dim]) for dim in self._sides]
        at |= {dim: here for dim, (here, _) in zip(self._sides, sides, strict=True)}
        self._square(source, result, at)
        for run in [*runs, *(run for _, run in sides if run is not None)][::-1]:
            run.close()
        return function

    @property
    def _sides(self) -> tuple[int, int]:
        return self._row, self._column

    def _merged(self, number: int, groups: list[list[int]], sizes: list[int]) -> Value:
        memory = self._function.argument(number)
        if all(len(group) == 1 for group in groups):
            return memory
        return self._function.collapsed(memory, groups, memref(sizes))

    def _steps(self, size: int) -> tuple[Value, Any]:
        """Where squares begin along a side, and the loop, if it takes one."""
        if size <= LANES:
            return self._function.index(0), None
        run = self._function.loop((0, size, LANES))
        if size % LANES == 0:
            return run.runs, run
        last = self._function.index(size - LANES)
        return self._function.on_indices("arith.minui", run.runs, last), run

    def _square(self, source: Value, result: Value, at: dict[int, Value]) -> None:
        function, (row, column) = self._function, self._sides
        high, wide = (min(LANES, self._sizes[side]) for side in self._sides)

        def moved(side: int, by: int) -> dict[int, Value]:
            there = function.on_indices("arith.addi", at[side], function.index(by))
            return {**at, side: there}

        rows: list[Value] = []
        for number in range(high):
            here = moved(row, number)
            place = [here[dim] for dim in range(len(self._sizes))]
            rows.append(function.loaded(source, place, wide))
        rows += [function.splat("0.0")] * (LANES - high)
        for number, vector in enumerate(transposed(function, rows)[:wide]):
            here = moved(column, number)
            place = [here[dim] for dim in self._places]
            function.store(vector, result, place, high)


def _counted(groups: list[list[int]]) -> list[list[int]]:
    """The numbers of the result's own dims, in groups of the same sizes."""
    numbers = iter(range(sum(map(len, groups))))
    return [[next(numbers) for _ in group] for group in groups]
