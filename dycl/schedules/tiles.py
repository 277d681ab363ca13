"""How contractions run with the channels of a pixel, or the columns of a row, as lanes.

Convolutions, windows of single channels or of groups, and matrix products: which sums
are kept in registers together.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from dycl.schedules.schedule import SECOND_CACHE, Registers, Schedule, Shape
from dycl.schedules.sharing import shared_step

EDGES = 0.08
"""The part of a convolution's products that are with zeros around the image, at least,
for them to be left out: its edges are written out for that, which is more code."""

SPREAD, PANEL_SPREAD = 128, 512
"""Rows of a product, at most, for which its matrix has to be read while they are
computed: more wait for it for too small a part of their time. And of one in panels."""

SOON = 3072
"""Elements of a packed matrix between what is asked for and what is read, where all
rows are one tile: 12 KiB, a quarter of the first cache."""
LEAST_SOON = 5
"""Rows of such a tile at least: fewer wait for memory all the time. Five of 768 by
768x3072 take 0.93 times as long."""

MOST_TAPS = 64
"""Of a row of a window, with its channels, that are written out one by one."""


def convolution(shape: Shape, registers: Registers) -> Schedule:
    """n f [d] [h] w v: blocks of channels by a stretch of a row, or several rows.

    The weights of a step are a vector of each block, used for each pixel; the pixel is
    one broadcast, used for each block. `shape.block`: how many blocks a group of
    channels has, which are not to be mixed with those of another one; 0: there is one
    group.
    """
    *_, width, lanes = shape.out
    filters = shape.out[1]
    blocks = registers.blocks
    if shape.sizes[filters] % blocks or shape.block % blocks:
        blocks = 1
    heights, planes = shape.out[2:-2][-1:], shape.out[2:-2][:-1]
    rows = max((shape.sizes[loop] for loop in heights), default=1)
    most = registers.sums // blocks
    down, across = (
        (1, most)
        if width in shape.dynamic
        else _area(rows, shape.sizes[width], most, registers)
    )
    is_large = shape.image > shape.weights
    shared, down, across = _shared(shape, registers, blocks, (rows, down), across)
    tiles = {filters: blocks, width: across, lanes: shape.sizes[lanes]}
    tiles |= dict.fromkeys(heights, down)
    image = shape.image // math.prod(shape.sizes[d] for d in (shape.out[0], *planes))
    window = shape.reduce[1:-1]
    is_one_tap = bool(window) and all(shape.sizes[loop] == 1 for loop in window)
    is_far = shape.image + _result(shape) > registers.near
    # Few channels are not in blocks: their window is the innermost reduction.
    taps = shape.reduce[1:] if len(shape.reduce) == len(shape.out) - 2 else ()
    is_small = 1 < math.prod(shape.sizes[loop] for loop in taps) <= registers.taps
    # A plane is like another image, unless its weights are what fills the cache.
    outer = [*planes, filters] if is_large else [filters, *planes]
    schedule = Schedule(
        (shape.out[0], *outer, *heights, width, lanes),
        lanes,
        lambda loop, _: tiles.get(loop, 1),
        (*shape.out[2:-1], filters),
        tuple(shape.reduce),
        rows=shared,
        window=tuple(taps) if is_small else (),
        ahead=(width, across) if is_one_tap and is_far else None,
        busy=registers.busy,
    )
    if not shape.dynamic.isdisjoint([*heights, width]):
        area = _strip_area(shape, image, registers)
        if heights:
            return replace(schedule.in_strips(area, len(planes)), across=width)
        return schedule.in_strips(-(-area // across) * across)
    if not heights:
        rows, down = shape.sizes[width], across
    strip = _strip(rows, down, image, registers)
    if strip >= rows or (planes and not is_large):
        if is_large or not shape.is_batch:
            return schedule
        # The weights of a step stay in the cache while all images read them.
        return schedule.with_images_inside()
    return schedule.in_strips(strip, len(planes))


def _shared(
    shape: Shape,
    registers: Registers,
    blocks: int,
    heights: tuple[int, int],
    width: int,
) -> tuple[tuple[int, ...], int, int]:
    """The loops that threads share, if they share any, and the tiles of rows and width.

    `heights`: how many rows there are, and in a tile. All threads read all weights.
    """
    loops, planes = shape.out[2:-2][-1:], shape.out[2:-2][:-1]
    rows, down = heights
    if shape.threads <= 1 or shape.image <= shape.weights or shape.dynamic:
        return (), down, width
    across = shape.out[-2]
    several = [loop for loop in planes if shape.sizes[loop] >= shape.threads]
    if several:
        return tuple(several), down, width
    if not loops:
        least = -(-registers.busy // blocks)
        width = shared_step(shape.sizes[across], width, shape.threads, least)
        return (across,), down, width
    narrow = shape.sizes[across] % width or width
    least = -(-registers.busy // (blocks * narrow))
    return tuple(loops), shared_step(rows, down, shape.threads, least), width


def _strip_area(shape: Shape, image: int, registers: Registers) -> int:
    """Pixels of which all filters are computed before the next are, at most."""
    pixels = math.prod(shape.sizes[loop] for loop in shape.out[2:-1][-2:])
    return max(1, registers.near * pixels // max(image, 1))


def _result(shape: Shape) -> int:
    """Bytes of the result."""
    return 4 * math.prod(shape.sizes[loop] for loop in shape.out)


def _strip(rows: int, down: int, image: int, registers: Registers) -> int:
    """Rows of which all filters are computed before the next are.

    The image is read once for each step over filters: what is read stays in the cache.
    Strips are multiples of `down`, and as equal as can be.
    """
    most = max(1, rows * registers.near // max(image, 1) // down)
    tiles = -(-rows // down)
    strips = -(-tiles // most)
    return -(-tiles // strips) * down


def windows(shape: Shape, registers: Registers) -> Schedule:
    """n f [h] w v: one block of channels, as depthwise convolutions and pools have."""
    *_, width, lanes = shape.out
    across = registers.windows
    if width not in shape.dynamic:
        across = even_parts(shape.sizes[width], registers.windows)
    tiles = {width: across, lanes: shape.sizes[lanes]}
    return Schedule(
        tuple(shape.out),
        lanes,
        lambda loop, _: tiles.get(loop, 1),
        (width,),
        tuple(shape.reduce),
        rows=tuple(shape.out[2:-1])[: shape.threads > 1 and not shape.dynamic],
        busy=registers.busy,
    )


def grouped_windows(shape: Shape, registers: Registers) -> Schedule:
    """As `windows`; the channels of a group, the innermost reduction, side by side.

    To move a channel to the lanes of its group takes as long as a product, so that is
    done once for all sums that need the pixel: those of a row of the window.
    """
    *rows, taps, channel = shape.reduce
    schedule = windows(shape, replace(registers, windows=registers.groups))
    if shape.sizes[taps] * shape.sizes[channel] > MOST_TAPS:
        return replace(schedule, flat=(channel,))
    return replace(
        schedule, reduce=(*rows, channel, taps), flat=(channel,), window=(taps,)
    )


def columns_together(columns: int, is_few: bool, registers: Registers) -> int:
    """How many columns of a packed matrix lie together; `is_few`: for one or two rows.

    Narrower panels leave registers for more rows, and each vector of the matrix that
    comes from the second cache serves as many products as there are rows: four for 16
    rows and 64 columns, which takes 1.2 times as long as eight for 48.
    """
    if registers.columns != registers.long_columns:
        # Few rows have a form of their own: they need sums side by side.
        return registers.long_columns if is_few else registers.columns
    pairs = (width for width in registers.panels if columns % (2 * width) == 0)
    return next(pairs, registers.columns)


def matmul(shape: Shape, registers: Registers) -> Schedule:
    """[b] m n: a few vectors of a row by as many rows as there are registers for.

    `shape.block`: how many columns of a packed matrix lie together; 0: it is not
    packed. Of matrices of few rows each that meet one packed matrix, as those of tokens
    in the order of time, all first rows are rows of one, then all second ones.
    A few rows take two panels at a time, which come in pairs: one panel has too few
    sums, and is read too soon. A sum has as many parts as in a single panel, so that
    results do not depend on whether a run decides how many rows there are.
    """
    *batch, rows, columns = shape.out
    if shape.block and batch and _are_few(shape, batch[-1], rows, registers):
        *batch, rows = rows, *batch

    def tile(loop: int, outer: Mapping[int, int]) -> int:
        if loop == columns:
            return together * (shape.block or registers.columns)
        if loop == rows:
            return even_parts(count, _most_rows(outer[columns], registers))
        return 1

    count = shape.sizes[rows]
    most = _most_rows(shape.block, registers)
    in_panels = (
        shape.block in registers.panels
        and shape.sizes[columns] % (2 * shape.block) == 0
        and rows not in shape.dynamic
    )
    together = 2 if in_panels and count <= most // 2 else 1
    is_soon = in_panels and together == 1 and LEAST_SOON <= count <= most
    several = most < count <= (PANEL_SPREAD if in_panels else SPREAD)
    sharing = count
    if several and rows in shape.dynamic:
        # A run decides whether all rows are one tile.
        is_soon, sharing = True, even_parts(count, most)
    is_one = all(shape.sizes[loop] == 1 for loop in batch)
    is_far = bool(shape.block) and is_one and shape.weights > SECOND_CACHE
    return Schedule(
        (*batch, columns, rows),
        columns,
        tile,
        (rows, columns),
        tuple(shape.reduce),
        busy=registers.busy * together,
        spread=sharing if several and is_far else 0,
        soon=SOON // shape.block if is_soon and is_far else 0,
    )


def _are_few(shape: Shape, batch: int, rows: int, registers: Registers) -> bool:
    """Whether matrices have too few rows each for what is loaded of a packed one, and
    there are more of them."""
    if shape.sizes[rows] == 1 or not shape.dynamic.isdisjoint((batch, rows)):
        return shape.sizes[rows] == 1
    most = _most_rows(shape.block, registers)
    return shape.sizes[rows] < min(most, shape.sizes[batch])


def _most_rows(columns: int, registers: Registers) -> int:
    """Rows of a tile of a product at most: their sums are in registers."""
    return max(1, registers.products // max(1, -(-columns // 16)))


def pairs(shape: Shape, registers: Registers) -> Schedule:
    """As `matmul`; the innermost reduction is the two products of one instruction."""
    return matmul(replace(shape, reduce=shape.reduce[:-1]), registers)


def _area(rows: int, width: int, most: int, registers: Registers) -> tuple[int, int]:
    """Rows and columns of at most `most` pixels to be computed together."""
    if most >= 12:
        # Rows that fit share the weights of a step, even if the last is alone.
        across = even_parts(width, most)
        return max(1, min(rows, most // across)), across

    def steps(down: int, across: int) -> int:
        """What a map takes in such tiles: one with few sums waits for its products."""
        tall, low = divmod(rows, down)
        wide, narrow = divmod(width, across)
        areas = ((tall, down), (1, low)), ((wide, across), (1, narrow))
        return sum(
            m * n * (max(h * w, registers.busy) + 1)
            for m, h in areas[0]
            for n, w in areas[1]
            if h * w
        )

    sizes = [(d, a) for a in range(1, most + 1) for d in range(1, most // a + 1)]
    fits = [(d, a) for d, a in sizes if d <= rows and a <= width]
    return min(fits, key=lambda size: (steps(*size), -size[1]))


def even_parts(size: int, most: int) -> int:
    """At most `most`, so that parts of that size are as equal as can be.

    A smaller part that divides the size is taken if it is not much smaller.
    """
    parts = -(-size // most)
    even = -(-size // parts)
    for part in range(even, max(even - 4, most // 2), -1):
        if size % part == 0:
            return part
    return even
