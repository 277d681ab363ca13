"""Packing and unpacking of an image: squares of 16x16 transposed in registers.

Sixteen rows of sixteen pixels, one row for each channel, are sixteen vectors; after
four rounds of shuffles they are sixteen pixels with their channels side by side. The
way back is the same. Lanes beyond the last channel get, and overwrite, what belongs to
the last one; a row that is no multiple of sixteen ends with a square that overlaps.
Where a run decides how many pixels there are, fewer than sixteen go one by one.
"""

from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST
from dycl.kernels.cpu.blocks.lower_blocks import CHANNELS
from dycl.kernels.cpu.buffers.memory import has_unit_stride, is_dense
from dycl.kernels.cpu.loops.accesses import NotLinear
from dycl.kernels.cpu.mlir import ops
from dycl.kernels.cpu.nests.counts import Count
from dycl.kernels.cpu.nests.function import Function, Value
from dycl.kernels.cpu.nests.transposed import transposed


def copy_nest(op: Any) -> tuple[Function, list[Any]]:
    """The copy as a function, and the memrefs to call it with: source, result.

    Raises NotLinear, with the reason, if there is no such function.
    """
    if CHANNELS not in op.attributes:
        raise NotLinear("it is not an image")
    source, result = _source(op), op.operands[len(op.operands) - 1]
    packs = str(op.attributes[NEST].value) == "pack"
    plain, blocked = (source, result) if packs else (result, source)
    for value in (source, result):
        if str(value.type.element_type) != "f32":
            raise NotLinear("not all of its elements are f32")
        if not has_unit_stride(value):
            raise NotLinear("its rows do not lie side by side")
    shape = list(plain.type.shape)
    if 0 in shape[2:] or len(shape) < 3:
        raise NotLinear("there are no rows")
    is_dynamic = not plain.type.has_static_shape
    if is_dynamic and not (is_dense(plain.type) and is_dense(blocked.type)):
        raise NotLinear("its rows do not lie one behind the other")
    copy = _Copy(packs, shape, plain.type, blocked.type)
    counts = [Count(result, "size", d) for d, size in enumerate(shape) if size < 0]
    return copy.written(), [source, result, *counts]


class _Copy:
    def __init__(self, packs: bool, shape: list[int], plain: Any, blocked: Any):
        self.packs = packs
        self.batch, self.channels, *self.space = shape
        self.types = {"plain": str(plain), "blocked": str(blocked)}
        self.function = Function()
        order = ("plain", "blocked") if packs else ("blocked", "plain")
        self.memory = {
            memory: self.function.argument(i) for i, memory in enumerate(order)
        }
        if not plain.has_static_shape:
            self._look_behind(shape)
        elif len(self.space) > 1 and is_dense(plain) and is_dense(blocked):
            self._flatten()

    def written(self) -> Function:
        """The function."""
        blocks = -(-self.channels // LANES)
        runs = [
            self.function.loop_to(size, 1)
            if isinstance(size, Value)
            else self.function.loop((0, size, 1))
            for size in (self.batch, blocks, *self.space[:-1])
        ]
        batch, block, *rows = [run.runs for run in runs]
        self._row(batch, block, rows)
        for run in reversed(runs):
            run.close()
        return self.function

    def _flatten(self) -> None:
        """See rows that lie one behind the other as one."""
        pixels = 1
        for size in self.space:
            pixels *= size
        blocks = -(-self.channels // LANES)
        rank = len(self.space)
        merged = [[0], [1], [2 + i for i in range(rank)]]
        for key, sizes, dims in (
            ("plain", [self.batch, self.channels, pixels], merged),
            ("blocked", [self.batch, blocks, pixels, LANES], [*merged, [2 + rank]]),
        ):
            flat_type = f"memref<{'x'.join(map(str, sizes))}xf32>"
            self.memory[key] = self.function.collapsed(
                self.memory[key], dims, flat_type
            )
        self.space = [pixels]

    def _look_behind(self, shape: list[int]) -> None:
        """See the memory behind the pointers, its rows as one."""
        function = self.function
        sizes, place = list(shape), 2
        for dim, size in enumerate(shape):
            if size < 0:
                sizes[dim] = function.argument(place)
                place += 1
        self.batch, _, *space = sizes
        pixels = function.index(1)
        for size in space:
            by = size if isinstance(size, Value) else function.index(size)
            pixels = function.on_indices("arith.muli", pixels, by)
        blocks = -(-self.channels // LANES)
        for key, seen in (
            ("plain", [self.batch, self.channels, pixels]),
            ("blocked", [self.batch, blocks, pixels, LANES]),
        ):
            self.memory[key] = function.memref_at(self.memory[key], seen, "f32")
        self.space = [pixels]

    def _any_row(self, batch: Value, block: Value, width: Value) -> None:
        """The same for a row of any length."""
        function, few = self.function, self.function.index(LANES)
        is_long = function.reaches(width, few)
        function.choice(is_long, 0)
        last = function.on_indices("arith.subi", width, few)
        run = function.loop_to(width, LANES)
        at = function.on_indices("arith.minui", run.runs, last)
        self._square(batch, block, [], at, LANES)
        run.close()
        function.other(())
        run = function.loop_to(width, 1)
        self._square(batch, block, [], run.runs, 1)
        run.close()
        function.close(())

    def _row(self, batch: Value, block: Value, rows: list[Value]) -> None:
        """Squares along a row; the last one overlaps the one before it."""
        width = self.space[-1]
        if isinstance(width, Value):
            self._any_row(batch, block, width)
            return
        if width <= LANES:
            self._square(batch, block, rows, self.function.index(0), width)
            return
        run = self.function.loop((0, width, LANES))
        at = run.runs
        if width % LANES:
            last = self.function.index(width - LANES)
            at = self.function.on_indices("arith.minui", at, last)
        self._square(batch, block, rows, at, LANES)
        run.close()

    def _square(
        self, batch: Value, block: Value, rows: list[Value], at: Value, pixels: int
    ) -> None:
        function = self.function
        first = function.on_indices("arith.muli", block, function.index(LANES))

        def channel(i: int) -> list[Value]:
            here = function.on_indices("arith.addi", first, function.index(i))
            if self.channels % LANES:
                last = function.index(self.channels - 1)
                here = function.on_indices("arith.minui", here, last)
            return [batch, here, *rows, at]

        def pixel(j: int) -> list[Value]:
            here = function.on_indices("arith.addi", at, function.index(j))
            return [batch, block, *rows, here, function.index(0)]

        plain, blocked = self.memory["plain"], self.memory["blocked"]
        if self.packs:
            vectors = [function.loaded(plain, channel(i), pixels) for i in range(LANES)]
            for j, vector in enumerate(transposed(function, vectors)[:pixels]):
                function.store(vector, blocked, pixel(j), LANES)
            return
        zero = function.splat("0.0")
        vectors = [
            function.loaded(blocked, pixel(j), LANES) if j < pixels else zero
            for j in range(LANES)
        ]
        # Backwards: of all that is written to the last channel, its own comes last.
        for i, vector in reversed(list(enumerate(transposed(function, vectors)))):
            function.store(vector, plain, channel(i), pixels)


def _source(op: Any) -> Any:
    """What is copied: the operand, or what the payload of a padding copy reads."""
    if len(op.operands) == 2:
        return op.operands[0]
    (load,) = [inner for inner in ops(op) if inner.name == "memref.load"]
    return load.operands[0]
