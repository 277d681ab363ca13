"""Convolutions where their images lie: neighbours along a row are a vector's lanes.

`pixels` and `row_windows` are how they run, the rest is when that is worth it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from dycl.schedules.schedule import Registers, Schedule, Shape
from dycl.schedules.tiles import MOST_TAPS, even_parts

PACKED_SHARE = 1 / 128
"""Pixels packed and unpacked for each product, at least, for a 1x1 convolution to do
without: 256 to 64 channels takes 0.7 times as long then, 1024 to 512 as long."""

ROW_FILLS = 0.8
"""The part of the lanes that a convolution in rows uses, at least."""


def fills_lanes(size: int, lanes: int) -> bool:
    """Whether a row of so many pixels leaves few lanes of its last vector empty."""
    return size >= ROW_FILLS * -(-size // lanes) * lanes


def packing_weighs(channels: int, filters: int) -> bool:
    """Whether a 1x1 convolution does little with each pixel that would be packed."""
    return 1 / channels + 1 / filters > PACKED_SHARE


FEW_FILTERS, SOME_FILTERS = 4, 8
"""Filters of a window, at most, that is in rows whatever is around it, or if nothing
near is in blocks of 16: in these, three of four lanes would be empty, or half of them.
16 to 4 channels of 32x32 take 0.3 times as long, 3 to 8 of 64x64 0.4 times."""


def pixels(shape: Shape, registers: Registers) -> Schedule:
    """n f [h] w: a vector of a row by the filters whose weights lie together.

    All filters of a strip of pixels come before the next strip: what is read of the
    image stays in the cache. `shape.block`: how many filters lie together.
    """
    batch, filters, *heights, width = shape.out
    (channels,) = shape.reduce
    tiles = {width: 16, filters: shape.block}
    strip = max(1, registers.near // (4 * shape.sizes[channels]) // 16) * 16
    schedule = Schedule(
        (batch, *heights, width, filters),
        width,
        lambda loop, _: tiles.get(loop, 1),
        (filters, width),
        (channels,),
        ahead=(width, 16),
        busy=registers.busy,
    )
    if strip >= shape.sizes[width]:
        return schedule
    order = (batch, *heights, width, filters, width)
    return replace(schedule, order=order, strip=strip)


def row_windows(shape: Shape, registers: Registers) -> Schedule:
    """n f h w: some rows by one or two vectors, with the whole window at once.

    Of a large window a row at once.
    """
    *_, height, width = shape.out
    vectors = min(2, -(-shape.sizes[width] // 16))
    down = even_parts(shape.sizes[height], max(1, registers.windows // vectors))
    tiles = {width: 16 * vectors, height: down}
    taps = tuple(shape.reduce)
    return Schedule(
        tuple(shape.out),
        width,
        lambda loop, _: tiles.get(loop, 1),
        (height, width),
        taps,
        window=_at_once(shape, taps),
        busy=registers.busy,
    )


def few_windows(shape: Shape, registers: Registers) -> Schedule:
    """n f [h] w: all filters by some rows of one or two vectors; of each channel the
    whole window at once, or of a large one a row.

    `shape.block`: how many filters there are; 0: one.
    """
    batch, filters, *heights, width = shape.out
    together = max(1, shape.block)
    most = max(1, registers.sums // together)
    vectors = min(2, most, -(-shape.sizes[width] // 16))
    tiles = {width: 16 * vectors, filters: together}
    for loop in heights:
        tiles[loop] = even_parts(shape.sizes[loop], max(1, most // vectors))
    return Schedule(
        (batch, *heights, width, filters),
        width,
        lambda loop, _: tiles.get(loop, 1),
        (filters, *heights, width),
        tuple(shape.reduce),
        window=_at_once(shape, shape.reduce[1:]),
        rows=tuple(heights) if shape.threads > 1 else (),
        edges=True,
        busy=registers.busy,
    )


def _at_once(shape: Shape, taps: Sequence[int]) -> tuple[int, ...]:
    """The loops over a window that are written out: all, or the one along a row."""
    if math.prod(shape.sizes[loop] for loop in taps) <= MOST_TAPS:
        return tuple(taps)
    return tuple(taps[-1:]) if shape.sizes[taps[-1]] <= MOST_TAPS else ()
