"""The loops of a nest whose trips a run counts, and the memory that they run over."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dycl.kernels.cpu.buffers.memory import is_dense
from dycl.kernels.cpu.loops.accesses import NotLinear, sole_loop
from dycl.kernels.cpu.nests.function import Function, Value
from dycl.kernels.cpu.nests.nest_places import At, Operand

_REACHES = "9 : i64"
"""The predicate `uge` of `arith.cmpi`."""


class Count(NamedTuple):
    """The size of a memref, as an argument of a nest."""

    memory: Any
    dim: int


class Counts:
    """The loops of a function that a run counts: its first arguments say their trips.

    The memory whose size depends on them it takes as pointers.
    """

    def __init__(self, function: Function, sizes: Mapping[int, int]):
        """`sizes`: the trips of each loop, less than 0 where a run counts them."""
        self.function = function
        self.loops = [loop for loop, size in sizes.items() if size < 0]
        self._memory: dict[tuple[Value, ...], Value] = {}

    def arguments(self, operands: Sequence[Operand]) -> list[Count]:
        """Where it is written how many trips each loop has. Raises NotLinear."""
        return [self._argument(loop, operands) for loop in self.loops]

    def _argument(self, loop: int, operands: Sequence[Operand]) -> Count:
        for operand in operands:
            for dim, index in enumerate(operand.access):
                if sole_loop(index) == loop and operand.value.type.is_dynamic_dim(dim):
                    return Count(operand.value, dim)
        raise NotLinear("nothing says how many trips a loop has")

    def memref_at(self, pointer: Value, kind: Any, access: Any) -> Value:
        """The memref of type `kind` behind a pointer. Raises NotLinear."""
        if not is_dense(kind):
            raise NotLinear("its rows do not lie one behind the other")
        shape: list[int] = []
        for dim, index in enumerate(access):
            loop = sole_loop(index)
            if not kind.is_dynamic_dim(dim):
                shape.append(int(kind.get_dim_size(dim)))
            elif loop in self.loops:
                shape.append(self._trips(loop))
            else:
                raise NotLinear("a size is that of no loop")
        key = (pointer, *(size for size in shape if isinstance(size, Value)))
        if key not in self._memory:
            element = str(kind.element_type)
            self._memory[key] = self.function.memref_at(pointer, shape, element)
        return self._memory[key]

    def steps(self, loop: int, tile: int) -> Iterator[tuple[At, int]]:
        """Whole tiles, and one of what is left over: where, and how many trips."""
        function, count = self.function, self._trips(loop)
        rest = function.on_indices("arith.remui", count, function.index(tile))
        start = function.on_indices("arith.subi", count, rest)
        runs = function.loop_to(start, tile)
        yield At(runs.runs, step=tile), tile
        runs.close()
        for left in self._left_over(rest, 0, tile - 1):
            yield At(start), left

    def _trips(self, loop: int) -> Value:
        return self.function.argument(self.loops.index(loop))

    def _left_over(self, rest: Value, low: int, high: int) -> Iterator[int]:
        """Each number from `low` to `high` but 0, where code for it alone is emitted.

        By halves: LLVM makes no table of addresses of it, which our linker refuses.
        """
        if low == high:
            yield from [low] if low else []
            return
        middle = (low + high + 1) // 2
        function, bound = self.function, self.function.index(middle)
        is_more = function.op("arith.cmpi", (rest, bound), "i1", predicate=_REACHES)
        function.choice(is_more, 0)
        yield from self._left_over(rest, middle, high)
        function.other(())
        yield from self._left_over(rest, low, middle - 1)
        function.close(())
