"""Schedules of contraction nests: the order of loops, and what is kept in registers.

A nest is described by numbers of loops of its `linalg.generic`. It runs the loops in
`order`, outermost first, in steps of `tile` trips; the trips of one step are unrolled,
those of the last loop in `unroll` varying fastest, so that their sums stay in vector
registers while all `reduce` loops run. What a step does not divide is a nest of its own
behind it. Nothing here can make a kernel wrong, only slow.

How many sums there are room for depends on the processor's registers: see `Registers`.
At least 8 of its own vectors are needed to keep both multipliers busy, each of which
takes 4 cycles.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

SHARED_WORK = 8_000
"""Vectors that a nest loads, computes and stores, at least, before threads share it:
some 2 us. To hand a part over takes 0.2, and some of what the other thread reads has to
come from this one's cache, at a quarter of the speed."""
WASTE = 0.1
"""An outer loop is shared rather than an inner one if its longest part is at most so
much longer than if all were equal."""
ROW_WASTE = 0.25
"""The same of a loop over rows, where threads do not fetch what others have left."""

EDGES = 0.08
"""The part of a convolution's products that are with zeros around the image, at least,
for them to be left out: its edges are written out for that, which is more code."""

MOST_TAPS = 64
"""Of a row of a window, with its channels, that are written out one by one."""


PACKED_SHARE = 1 / 128
"""Pixels packed and unpacked for each product, at least, for a 1x1 convolution to do
without: 256 to 64 channels takes 0.7 times as long then, 1024 to 512 as long."""

ROW_FILLS = 0.8
"""The part of the lanes that a convolution in rows uses, at least."""


@dataclass(frozen=True)
class Registers:
    """What fits the vector registers of a processor, in vectors of 16 lanes."""

    sums: int
    """Sums of a convolution at most."""
    busy: int
    """Sums at least, if there are that many: see `Schedule.split`."""
    blocks: int
    """Blocks of channels that a convolution computes side by side."""
    windows: int
    """Sums of a depthwise convolution or a pool, which read more for each."""
    groups: int
    """Sums of a convolution in groups of channels: pixels are in registers, too."""
    products: int
    """Sums of a matrix product."""
    columns: int
    """Columns of a weight matrix that lie together."""
    filters: int
    """Filters whose weights lie together, of convolutions in rows."""
    long_columns: int
    """The same where there are one or two rows."""
    taps: int = 0
    """Of a window over a few channels, at most, to be written out one by one. Rows of
    three in a loop wait for their pixels where tiles are small: 44 to 83 % of peak."""
    near: int = 256 * 1024
    """Bytes of an image that stay in the second cache, beside weights and results."""


WIDE = Registers(
    sums=28,
    busy=8,
    blocks=2,
    windows=14,
    groups=10,
    products=24,
    columns=64,
    filters=16,
    long_columns=128,
)
"""AVX-512: 32 registers of 16 lanes. 28 sums, two weights, and a pixel."""
NARROW = Registers(
    sums=6,
    busy=4,
    blocks=1,
    windows=6,
    groups=4,
    products=6,
    columns=16,
    filters=6,
    long_columns=64,
    taps=9,
)
"""AVX2: 16 registers of 8 lanes, two to a vector. 12 sums, two weights, and a pixel."""


@dataclass(frozen=True)
class Schedule:
    """How one nest runs."""

    order: tuple[int, ...]
    """Parallel loops, outermost first. One that is named twice runs in strips."""
    lanes: int
    """The parallel loop whose trips are the lanes of a vector."""
    tile: Callable[[int, Mapping[int, int]], int]
    """Trips of a loop in one step, given those of the loops outside of it."""
    unroll: tuple[int, ...]
    """Tiled loops; trips of the last one lie side by side in the code."""
    reduce: tuple[int, ...]
    """Reduction loops, outermost first."""
    flat: tuple[int, ...] = ()
    """Reduction loops that are unrolled completely."""

    window: tuple[int, ...] = ()
    """The innermost reduction loops, if they are unrolled in such an order that what a
    tile reads of the image is read once."""

    rows: tuple[int, ...] = ()
    """Loops that threads share rather than others: each finds in its cache what it has
    left there, for all nests are cut at the same places of an image."""

    ahead: tuple[int, int] | None = None
    """A loop of `unroll`, and by how many of its trips memory is asked for before it is
    read, and the result before it is written; None: nothing is asked for."""

    strip: int = 0
    """Trips of a loop that is named twice, in one step of the outer one."""

    busy: int = WIDE.busy
    """Sums at least, of a processor that has nothing to wait for."""

    def in_strips(self, strip: int) -> "Schedule":
        """The same for n f h ..., but all of f before the next strip of h.

        What `h` stands for may be rows or, where there are none, pixels.
        """
        batch, filters, rows, *rest = self.order
        order = (batch, rows, filters, rows, *rest)
        return replace(self, order=order, strip=strip)

    def split(self, sums: int) -> int:
        """Into how many parts each sum is split, along the innermost reduction."""
        return 1 if sums >= self.busy else self.busy // sums


@dataclass(frozen=True)
class Shape:
    """What a schedule is chosen by."""

    out: Sequence[int]
    """The loops over the result, as its dimensions have them."""
    sizes: Mapping[int, int]
    """Trips of each loop."""
    reduce: Sequence[int]
    """The loops that sum up, outermost first."""
    block: int = 0
    """By how many an operand divides a loop: channels in groups, blocks of columns."""
    image: int = 0
    """Bytes of the operand that is read by the loops over the result's rows."""
    weights: int = 0
    """Bytes of the one that is read by the loops over its columns, if there is one."""
    threads: int = 1
    """How many share the nest."""


Rule = Callable[[Shape, Registers], Schedule]
"""How a kind of nest runs: a function of its loops and of the processor."""


def convolution(shape: Shape, registers: Registers) -> Schedule:
    """n f [h] w v: blocks of channels by a stretch of a row, or several rows.

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
    heights = shape.out[2:-2]
    rows = max((shape.sizes[loop] for loop in heights), default=1)
    most = registers.sums // blocks
    down, across = _area(rows, shape.sizes[width], most, registers)
    shared: tuple[int, ...] = ()
    if shape.threads > 1 and shape.image > shape.weights:
        # All threads read all weights then.
        shared = tuple(heights or (width,))
    if shared == (width,):
        least = -(-registers.busy // blocks)
        across = _shared(shape.sizes[width], across, shape.threads, least)
    elif shared:
        narrow = shape.sizes[width] % across or across
        least = -(-registers.busy // (blocks * narrow))
        down = _shared(rows, down, shape.threads, least)
    tiles = {filters: blocks, width: across, lanes: shape.sizes[lanes]}
    tiles |= dict.fromkeys(heights, down)
    batch = shape.sizes[shape.out[0]]
    image = shape.image // batch
    window = shape.reduce[1:-1]
    is_one_tap = bool(window) and all(shape.sizes[loop] == 1 for loop in window)
    is_far = shape.image + _result(shape) > registers.near
    # Few channels are not in blocks: their window is the innermost reduction.
    taps = shape.reduce[1:] if len(shape.reduce) == len(shape.out) - 2 else ()
    is_small = 1 < math.prod(shape.sizes[loop] for loop in taps) <= registers.taps
    schedule = Schedule(
        tuple(shape.out),
        lanes,
        lambda loop, _: tiles.get(loop, 1),
        (*shape.out[2:-1], filters),
        tuple(shape.reduce),
        rows=shared,
        window=tuple(taps) if is_small else (),
        ahead=(width, across) if is_one_tap and is_far else None,
        busy=registers.busy,
    )
    if not heights:
        rows, down = shape.sizes[width], across
    strip = _strip(rows, down, image, registers)
    return schedule.in_strips(strip) if strip < rows else schedule


def _result(shape: Shape) -> int:
    """Bytes of the result."""
    return 4 * math.prod(shape.sizes[loop] for loop in shape.out)


def uneven(stretches: Sequence[tuple[int, int]], threads: int) -> float:
    """How much longer the longest part takes than it would if parts were equal.

    `stretches` are trips and steps of the loops that are cut: what cannot be divided
    goes to the first parts and to the last ones, by turns.
    """

    def begins(part: int, trips: int, number: int) -> int:
        return part * trips // threads if number % 2 else -(-part * trips // threads)

    parts = [
        sum(
            (begins(part + 1, trips, number) - begins(part, trips, number)) * step
            for number, (trips, step) in enumerate(stretches)
        )
        for part in range(threads)
    ]
    return max(parts) * threads / sum(parts) - 1


def _shared(size: int, step: int, threads: int, least: int) -> int:
    """A step that is at most so long, in which threads get about equal parts.

    No result changes by a bit: sums of steps shorter than `least` are split, and such
    steps neither go nor come.
    """
    for one in range(step, step // 2, -1):
        is_whole = min(one, size % one or one, size % step or step) >= least
        stretches = [(size // one, one), (1, size % one)]
        if uneven(stretches, threads) <= WASTE and (one == step or is_whole):
            return one
    return step


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
    across = _even_parts(shape.sizes[width], registers.windows)
    tiles = {width: across, lanes: shape.sizes[lanes]}
    return Schedule(
        tuple(shape.out),
        lanes,
        lambda loop, _: tiles.get(loop, 1),
        (width,),
        tuple(shape.reduce),
        rows=tuple(shape.out[2:-1])[: shape.threads > 1],
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


def matmul(shape: Shape, registers: Registers) -> Schedule:
    """[b] m n: a few vectors of a row by as many rows as there are registers for.

    `shape.block`: how many columns of a packed matrix lie together; 0: it is not
    packed.
    """
    *batch, rows, columns = shape.out

    def tile(loop: int, outer: Mapping[int, int]) -> int:
        if loop == columns:
            return shape.block or registers.columns
        if loop == rows:
            vectors = -(-outer[columns] // 16)
            most = max(1, registers.products // vectors)
            return _even_parts(shape.sizes[rows], most)
        return 1

    return Schedule(
        (*batch, columns, rows),
        columns,
        tile,
        (rows, columns),
        tuple(shape.reduce),
        busy=registers.busy,
    )


def fills_lanes(size: int, lanes: int) -> bool:
    """Whether a row of so many pixels leaves few lanes of its last vector empty."""
    return size >= ROW_FILLS * -(-size // lanes) * lanes


def packing_weighs(channels: int, filters: int) -> bool:
    """Whether a 1x1 convolution does little with each pixel that would be packed."""
    return 1 / channels + 1 / filters > PACKED_SHARE


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
    down = _even_parts(shape.sizes[height], max(1, registers.windows // vectors))
    tiles = {width: 16 * vectors, height: down}
    taps = tuple(shape.reduce)
    few = math.prod(shape.sizes[loop] for loop in taps) <= MOST_TAPS
    short = shape.sizes[taps[-1]] <= MOST_TAPS
    return Schedule(
        tuple(shape.out),
        width,
        lambda loop, _: tiles.get(loop, 1),
        (height, width),
        taps,
        window=taps if few else taps[-1:] if short else (),
        busy=registers.busy,
    )


def _area(rows: int, width: int, most: int, registers: Registers) -> tuple[int, int]:
    """Rows and columns of at most `most` pixels to be computed together."""
    if most >= 12:
        # Rows that fit share the weights of a step, even if the last is alone.
        across = _even_parts(width, most)
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


def _even_parts(size: int, most: int) -> int:
    """At most `most`, so that parts of that size are as equal as can be.

    A smaller part that divides the size is taken if it is not much smaller.
    """
    parts = -(-size // most)
    even = -(-size // parts)
    for part in range(even, max(even - 4, most // 2), -1):
        if size % part == 0:
            return part
    return even
