"""Winograd's three nests as one function, a block of tiles after the other.

Transformed pixels, and sums, take 36 / 16 of the memory of image and result. Of a whole
image, or of a batch, they leave the second cache, and are fetched again; of a block,
whose size `dycl.schedules.winograd` says, they stay in it. A block of a batch is a part
of an image, or some small images, which then share what they load of the weights.

    linalg.generic {winograd-pixels} ins(%x) outs(%v)      // 36x1x4096x16
    linalg.generic {conv} ins(%v, %w) outs(%m)
    linalg.generic {winograd-results} ins(%m, %x) outs(%y)

becomes a function with a loop over blocks around the three, whose %v and %m have room
for one block. It may be so if nobody else touches these, and nobody writes the image
between the first and the last of them. Where all filters of a pixel are summed up
together, %m is where %v was, and half as much has to fit the first cache.

Threads share one of the loops over blocks, if it has about equal parts for them. Each
has room of its own: there is as much of it as there are threads (`split_nests.ROOMS`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu import tensor_ops as tensors
from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST, is_nest
from dycl.kernels.cpu.buffers.memory import Effects, buffer_of, is_scratch
from dycl.kernels.cpu.loops.accesses import NotLinear, accesses, sizes
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.nests.function import Function, Loop
from dycl.kernels.cpu.nests.groups import Group, groups_of
from dycl.kernels.cpu.nests.nest import Nest, Shared
from dycl.kernels.cpu.nests.nest_places import At
from dycl.kernels.cpu.nests.split_nests import ROWS, Rooms
from dycl.kernels.cpu.nests.winograd import PIXELS, RESULTS, TILE
from dycl.kernels.cpu.nests.winograd_nest import BLOCKS, TransformNest
from dycl.schedules import winograd as schedules
from dycl.schedules.schedule import Schedule
from dycl.schedules.sharing import ROW_WASTE, uneven

Rule = Callable[[Group, None], Schedule]
"""What says how the products of a block run."""


@dataclass(frozen=True)
class Trio:
    """The groups of one convolution."""

    pixels: Group
    sums: Group
    results: Group

    @property
    def parts(self) -> list[Any]:
        """All of their ops."""
        return [*self.pixels.parts, *self.sums.parts, *self.results.parts]


def trio_of(op: Any, effects: Effects) -> Trio | None:
    """The convolution that the transform of pixels `op` belongs to.

    None: it is no such op, or the three cannot be one function.
    """
    if str(op.attributes[NEST].value) != PIXELS:
        return None
    at, memory = effects.place(op), op.operands[len(op.operands) - 1]
    readers = [i for i in range(at + 1, len(effects.ops)) if effects.touches(i, memory)]
    if len(readers) != 1 or not is_scratch(memory):
        return None
    product = effects.ops[readers[0]]
    if not is_nest(product, "conv") or not _meet(product.operands[0], memory):
        return None
    sums = product.operands[len(product.operands) - 1]
    after = range(readers[0] + 1, len(effects.ops))
    readers = [i for i in after if effects.touches(i, sums)]
    if len(readers) != 1 or not is_scratch(sums):
        return None
    last = effects.ops[readers[0]]
    if not is_nest(last, RESULTS) or not _meet(last.operands[0], sums):
        return None
    groups = [groups_of(one, effects) for one in (op, product, last)]
    if not all(groups):
        return None
    trio = Trio(*(found[0] for found in groups))
    between = range(at + 1, effects.place(trio.results.place) + 1)
    reads = [*list(op.operands)[:-1], product.operands[1]]
    is_written = any(effects.writes(i, value) for i in between for value in reads)
    return None if is_written else trio


def _meet(value: Any, memory: Any) -> bool:
    return bool(buffer_of(value) == buffer_of(memory))


def blocks_nest(
    trio: Trio, rule: Rule, threads: int = 1
) -> tuple[Function, list[Any], Rooms] | None:
    """The function of a convolution, the memrefs to call it with, and which of these
    are room; None: all images are one block, or threads would not get about equal parts
    of the blocks.

    `rule` is that of one thread. Raises NotLinear, with the reason, if there is no such
    function.
    """
    first = trio.pixels.contraction
    side, _, channels, batch, down, across, _ = list(first.operands)[-1].type.shape
    filters = trio.sums.sums.type.shape[1]
    height, width = trio.results.result.type.shape[2:4]
    if min(height, width) < 0:
        return None
    tile = int(first.attributes[TILE].value)
    tiles = batch, down, across
    block = schedules.block_of(
        tiles,
        (height % tile == 0, width % tile == 0),
        schedules.tiles_of_batch(channels * LANES, filters * LANES, side * side),
    )
    shared_loop = _shared_loop(tiles, block, threads)
    if block == tiles or (threads > 1 and shared_loop is None):
        return None
    with ir.InsertionPoint(first), first.location:
        pixels, seen = room_for(side, channels, block, threads)
        sums, apart = pixels, seen
        if filters != channels or not _in_place(trio.sums, seen, rule):
            sums, apart = room_for(side, filters, block, threads)
        copies = [
            copy_of(trio.pixels, {len(first.operands) - 1: pixels}),
            copy_of(trio.sums, {0: seen, 2: apart}),
            copy_of(trio.results, {0: sums}),
        ]
    try:
        shared = Shared(Function(), [])
        loops: list[Loop] = []
        place: dict[int, At] = dict.fromkeys(BLOCKS, At())
        for loop, trips, step in zip(BLOCKS, tiles, block, strict=True):
            if step < trips:
                marks = {ROWS: "unit"} if loop == shared_loop else {}
                loops.append(shared.function.loop((0, trips, step), **marks))
                place[loop] = At(loops[-1].runs, step=step)
        TransformNest(copies[0], 1, shared, block).emit(place)
        Nest(copies[1], rule(copies[1], None), shared=shared).emit({})
        TransformNest(copies[2], 1, shared, block).emit(place)
        for run in reversed(loops):
            run.close()
    except NotLinear:
        return None
    finally:
        for copy in copies:
            copy.contraction.erase()
    rooms: Rooms = {}
    for at, value in enumerate(shared.values):
        if any(value == memory for memory in (pixels, seen, sums, apart)):
            rooms[at] = buffer_of(value).type.shape[0] // threads
    return shared.function, shared.values, rooms


def _shared_loop(
    tiles: tuple[int, ...], block: tuple[int, ...], threads: int
) -> int | None:
    """The outermost loop over blocks of which threads get about equal parts."""
    for loop, trips, step in zip(BLOCKS, tiles, block, strict=True):
        if threads > 1 and uneven([(trips // step, 1)], threads) <= ROW_WASTE:
            return loop
    return None


def _in_place(sums: Group, pixels: Any, rule: Rule) -> bool:
    """Whether sums may lie where their pixels do, of as many channels.

    A tile of sums has to have all filters of its pixels: then nobody reads these again.
    """
    copy = copy_of(sums, {0: pixels, 2: pixels})
    try:
        filters = accesses(copy.contraction)[-1][1].terms[0].loop
        trips = sizes(copy.contraction)[filters]
        return rule(copy, None).tile(filters, {}) >= trips
    finally:
        copy.contraction.erase()


def copy_of(group: Group, operands: dict[int, Any]) -> Group:
    """The group with a contraction that has other operands."""
    copy = group.contraction.clone().operation
    for place, value in operands.items():
        copy.operands[place] = value
    return replace(group, contraction=copy)


def room_for(
    side: int, channels: int, block: tuple[int, int, int], threads: int = 1
) -> tuple[Any, Any]:
    """Memory for the values of a block: as transforms see it, and as products do.

    `block`: images, and rows and columns of tiles of each. Both see that of the first
    of some threads.

    What is transformed together does not lie at distances that are powers of two: a
    cache would have few places for it.
    """
    _, rows, columns = block
    tiles = math.prod(block)
    lines = channels * tiles
    apart = LANES * (lines + 1 - lines % 2)
    element = ir.F32Type.get()
    flat = tensors.op(
        "memref.alloc",
        [],
        ir.MemRefType.get([threads * side * side * apart], element),
        alignment=build.i64(64),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([0, 0]),
    )
    row, image, whole = (LANES * n for n in (columns, rows * columns, tiles))
    transforms = _seen(
        flat,
        [side, side, channels, *block, LANES],
        [side * apart, apart, whole, image, row, LANES, 1],
    )
    products = _seen(
        flat, [side * side, channels, tiles, LANES], [apart, whole, LANES, 1]
    )
    return transforms, products


def _seen(flat: Any, shape: list[int], strides: list[int]) -> Any:
    layout = ir.StridedLayoutAttr.get(0, strides)
    return tensors.op(
        "memref.reinterpret_cast",
        [flat],
        ir.MemRefType.get(shape, flat.type.element_type, layout),
        static_offsets=tensors.ints([0]),
        static_sizes=tensors.ints(shape),
        static_strides=tensors.ints(strides),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
    )
