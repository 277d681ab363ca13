"""The loops of a nest whose trips a run counts, and the memory that they run over."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dycl.kernels.cpu import build
from dycl.kernels.cpu import tensor_ops as tensors
from dycl.kernels.cpu.buffers.memory import is_dense
from dycl.kernels.cpu.loops.accesses import Access, NotLinear, sole_loop
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.nests.flat_map import FlatMap
from dycl.kernels.cpu.nests.function import Function, Value
from dycl.kernels.cpu.nests.nest_places import At

_HALVED = 5
"""Trips of half a tile, from which on there is no code for more of what is left over:
each of its parts, as equal as can be, keeps the multipliers busy."""


class Count(NamedTuple):
    """A number that a run knows of a memref, as an argument of a nest."""

    memory: Any
    what: str
    """`size` or `stride` of a dimension, or `offset`."""
    dim: int = 0


class Counts:
    """What a function is told of a run: trips of its loops, sizes and strides.

    The memory that it tells of the function takes as pointers.
    """

    def __init__(self, function: Function, values: list[Any]):
        """`values`: the arguments of the function so far, memrefs and counts."""
        self.function = function
        self.values = values
        self.trips: dict[int, Value] = {}
        """The trips of the loops that a run counts."""
        self._memory: dict[tuple[object, ...], Value] = {}

    def count(
        self, sizes: Mapping[int, int], operands: Sequence[tuple[Any, Access]]
    ) -> None:
        """Ask for the trips of each loop of which `sizes` has less than 0.

        Raises NotLinear: no operand says it.
        """
        for loop, size in sizes.items():
            if size < 0:
                self.trips[loop] = self._number(_trips_of(loop, operands))

    def count_flat(self, flat: FlatMap, result: Any, access: Access) -> None:
        """The trips of two loops over a result that are one: their product."""
        at = flat.place(access)
        assert at is not None
        self.trips[flat.columns] = self.function.on_indices(
            "arith.muli", *(self._size(result, dim) for dim in (at, at + 1))
        )

    def _size(self, value: Any, dim: int) -> Value:
        if value.type.is_dynamic_dim(dim):
            return self._number(Count(value, "size", dim))
        return self.function.index(int(value.type.get_dim_size(dim)))

    def argument(self, value: Any) -> Value:
        """A memref as an argument of the function: a new one, or one that it has."""
        for place, known in enumerate(self.values):
            if not isinstance(known, Count) and known == value:
                return self.function.argument(place)
        self.values.append(value)
        return self.function.argument(len(self.values) - 1)

    def memref_at(
        self, value: Any, access: Access, flat: FlatMap | None = None
    ) -> Value:
        """The memref of dynamic size that an argument points to; its rows as one, if
        `flat` says so."""
        kind = value.type
        pointer = self.argument(value)
        shape: list[int] = []
        at = None if flat is None else flat.place(access)
        for dim, index in enumerate(access):
            loop = sole_loop(index)
            if flat is not None and at is not None and dim - at in (0, 1):
                shape += [self.trips[flat.columns]] if dim == at else []
            elif not kind.is_dynamic_dim(dim):
                shape.append(int(kind.get_dim_size(dim)))
            elif loop in self.trips:
                shape.append(self.trips[loop])
            else:
                shape.append(self._number(Count(value, "size", dim)))
        key = (pointer, *shape)
        if key not in self._memory:
            if is_dense(kind):
                element = str(kind.element_type)
                made = self.function.memref_at(pointer, shape, element)
            else:
                made = self.function.view_at(
                    pointer, str(kind), *self._layout(value), shape
                )
            self._memory[key] = made
        return self._memory[key]

    def _layout(self, value: Any) -> tuple[int, list[int]]:
        """Where memory begins, and how far apart neighbours in each dimension are."""
        strides, offset = value.type.get_strides_and_offset()
        unknown = ir.ShapedType.get_dynamic_stride_or_offset()
        wanted = [(Count(value, "offset"), offset)]
        wanted += [(Count(value, "stride", dim), s) for dim, s in enumerate(strides)]
        start, *steps = (
            self._number(count) if int(known) == unknown else int(known)
            for count, known in wanted
        )
        return start, steps

    def _number(self, count: Count) -> Value:
        for place, known in enumerate(self.values):
            if isinstance(known, Count) and known == count:
                return self.function.argument(place)
        self.values.append(count)
        return self.function.argument(len(self.values) - 1)

    def steps(self, trips: Value, tile: int, least: int) -> Iterator[tuple[At, int]]:
        """Whole tiles, and what is left over: where, and how many trips.

        Fewer than `least` trips leave the multipliers waiting: they are shared out with
        those of the last whole tile.
        """
        function = self.function
        if tile == 1:
            runs = function.loop_to(trips, 1)
            yield At(runs.runs), 1
            runs.close()
            return
        least = min(least, tile)
        half = -(-tile // 2)
        most = half if half >= _HALVED else tile - 1
        rest = function.on_indices("arith.remui", trips, function.index(tile))
        if least > 1:
            rest = self._with_a_tile(rest, trips, tile, least)
        start = function.on_indices("arith.subi", trips, rest)
        runs = function.loop_to(start, tile)
        yield At(runs.runs, step=tile), tile
        runs.close()
        # All but one of a tile are left over, or a tile and too few.
        highest = tile - 1 + (least if least > 1 else 0)
        if highest <= most:
            for left in self._left_over(rest, 0, most):
                yield At(start), left
            return
        step = function.on_indices("arith.maxui", rest, function.index(1))
        for parts in range(2, -(-highest // most) + 1):
            part = function.on_indices("arith.ceildivui", rest, function.index(parts))
            more = function.reaches(rest, function.index((parts - 1) * most + 1))
            step = function.on_indices("arith.select", more, part, step)
        runs = function.loop_from(start, trips, step)
        left = function.on_indices("arith.subi", trips, runs.runs)
        left = function.on_indices("arith.minui", left, step)
        for some in self._left_over(left, 1, most):
            yield At(runs.runs), some
        runs.close()

    def _with_a_tile(self, rest: Value, trips: Value, tile: int, least: int) -> Value:
        """What is left over, with a whole tile if it is less than `least` alone."""
        function = self.function
        one, size = function.index(1), function.index(tile)
        # Of nothing, one less is more than anything.
        less = function.on_indices("arith.subi", rest, one)
        is_enough = function.reaches(less, function.index(least - 1))
        is_alone = function.reaches(function.index(tile - 1), trips)
        more = function.on_indices("arith.addi", rest, size)
        more = function.on_indices("arith.select", is_alone, rest, more)
        return function.on_indices("arith.select", is_enough, rest, more)

    def strips(self, trips: Value, area: int, width: Value) -> Iterator[tuple[At, int]]:
        """Parts of a loop of some `area` trips, with those of the loop `width`."""
        function = self.function
        one = function.index(1)
        columns = function.on_indices("arith.maxui", width, one)
        many = function.on_indices("arith.divui", function.index(area), columns)
        strip = function.on_indices("arith.maxui", many, one)
        runs = function.loop_by(trips, strip)
        left = function.on_indices("arith.subi", trips, runs.runs)
        yield At(runs.runs), function.on_indices("arith.minui", left, strip)
        runs.close()

    def _left_over(self, rest: Value, low: int, high: int) -> Iterator[int]:
        """Each number from `low` to `high` but 0, where code for it alone is emitted.

        By halves: LLVM makes no table of addresses of it, which our linker refuses.
        """
        if low == high:
            yield from [low] if low else []
            return
        middle = (low + high + 1) // 2
        function, bound = self.function, self.function.index(middle)
        function.choice(function.reaches(rest, bound), 0)
        yield from self._left_over(rest, middle, high)
        function.other(())
        yield from self._left_over(rest, low, middle - 1)
        function.close(())


def lies_within(value: Any) -> bool:
    """Whether a memref is dense, or a part of one that is."""
    return bool(is_dense(value.type) or _whole(value) is not None)


def number_of(count: Count) -> Any:
    """What a count is, as an index before a call of the nest."""
    if count.what == "size":
        return build.size(count.memory, count.dim)
    whole = _whole(count.memory)
    strides = [build.index(1)]
    for dim in reversed(range(1, whole.type.rank)):
        size = build.size(whole, dim)
        strides.insert(0, build.binary("arith.muli", strides[0], size))
    if count.what == "stride":
        return strides[count.dim]
    begins = tensors.owner(count.memory).attributes["static_offsets"]
    total = build.index(0)
    for start, stride in zip(begins, strides, strict=True):
        if start:
            part = build.binary("arith.muli", stride, build.index(start))
            total = build.binary("arith.addi", total, part)
    return total


def _whole(value: Any) -> Any:
    """The dense memory that a memref is a part of, at a place that is known."""
    view = tensors.owner(value)
    if view is None or view.name != "memref.subview":
        return None
    whole = view.operands[0]
    places = [*view.attributes["static_offsets"]]
    is_plain = (
        set(view.attributes["static_strides"]) == {1}
        and ir.ShapedType.get_dynamic_stride_or_offset() not in places
        and (whole.type.rank == value.type.rank or _has_known_strides(value.type))
        and is_dense(whole.type)
    )
    return whole if is_plain else None


def _has_known_strides(kind: Any) -> bool:
    """Then it does not matter which dimensions of the whole it does without."""
    strides, _ = kind.get_strides_and_offset()
    return ir.ShapedType.get_dynamic_stride_or_offset() not in strides


def _trips_of(loop: int, operands: Sequence[tuple[Any, Access]]) -> Count:
    """Where it is written how many trips a loop has. Raises NotLinear."""
    for value, access in operands:
        for dim, index in enumerate(access):
            if sole_loop(index) == loop and value.type.is_dynamic_dim(dim):
                return Count(value, "size", dim)
    raise NotLinear("nothing says how many trips a loop has")
