"""Schedules of contraction nests: the order of loops, and what is kept in registers.

A nest is described by numbers of loops of its `linalg.generic`. It runs the loops in
`order`, outermost first, in steps of `tile` trips; the trips of one step are unrolled,
those of the last loop in `unroll` varying fastest, so that their sums stay in vector
registers while all `reduce` loops run. What a step does not divide is a nest of its own
behind it. Nothing here can make a kernel wrong, only slow.

The numbers are for 32 vector registers (AVX-512): 28 sums, and what one step reads. At
least 8 sums are needed to keep both multipliers busy, each of which takes 4 cycles.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

SUMS = 28
"""Vectors of sums at most."""
BUSY = 8
"""Vectors of sums at least, if there are that many: see `split`."""


@dataclass(frozen=True)
class Schedule:
    """How one nest runs."""

    order: tuple[int, ...]
    """Parallel loops, outermost first."""
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

    def split(self, sums: int) -> int:
        """Into how many parts each sum is split, along the innermost reduction."""
        return 1 if sums >= BUSY else BUSY // sums


def convolution(
    out: Sequence[int], sizes: Mapping[int, int], reduce: Sequence[int], block: int = 0
) -> Schedule:
    """n f [h] w v: two blocks of channels by a stretch of a row, or several rows.

    The weights of a step are two vectors, used for each pixel; the pixel is one
    broadcast, used for both blocks. `block`: how many blocks a group of channels has,
    which are not to be mixed with those of another one; 0: there is one group.
    """
    lanes, width, filters = out[-1], out[-2], out[1]
    blocks = 2 if sizes[filters] % 2 == 0 and block % 2 == 0 else 1
    across = _even_parts(sizes[width], SUMS // blocks)
    down = 1
    tiles = {filters: blocks, width: across}
    if len(out) == 5:
        height = out[2]
        if blocks * across < 12:
            down = max(1, min(sizes[height], SUMS // (blocks * across)))
            down = _even_parts(sizes[height], down)
        tiles[height] = down
    return Schedule(
        tuple(out),
        lanes,
        lambda loop, _: tiles.get(loop, 1) if loop != lanes else sizes[lanes],
        (*out[2:-1], filters),
        tuple(reduce),
    )


def windows(
    out: Sequence[int], sizes: Mapping[int, int], reduce: Sequence[int], block: int = 0
) -> Schedule:
    """n f [h] w v: one block of channels, as depthwise convolutions and pools have."""
    del block
    lanes, width = out[-1], out[-2]
    across = _even_parts(sizes[width], 14)
    tiles = {width: across, lanes: sizes[lanes]}
    return Schedule(
        tuple(out), lanes, lambda loop, _: tiles.get(loop, 1), (width,), tuple(reduce)
    )


def grouped_windows(
    out: Sequence[int], sizes: Mapping[int, int], reduce: Sequence[int], block: int = 0
) -> Schedule:
    """As `windows`; the channels of a group, the innermost reduction, side by side."""
    plain = windows(out, sizes, reduce, block)
    return replace(plain, flat=(reduce[-1],))


def matmul(
    out: Sequence[int], sizes: Mapping[int, int], reduce: Sequence[int], block: int = 0
) -> Schedule:
    """[b] m n: four vectors of a row by as many rows as there are registers for.

    `block`: how many columns of a packed matrix lie together; 0: it is not packed.
    """
    *batch, rows, columns = out

    def tile(loop: int, outer: Mapping[int, int]) -> int:
        if loop == columns:
            return block or 64
        if loop == rows:
            vectors = -(-outer[columns] // 16)
            return _even_parts(sizes[rows], max(1, 24 // vectors))
        return 1

    return Schedule(
        (*batch, columns, rows), columns, tile, (rows, columns), tuple(reduce)
    )


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
