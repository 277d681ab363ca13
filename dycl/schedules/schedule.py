"""What a schedule of a contraction nest is, and what it is chosen by.

A nest is described by numbers of loops of its `linalg.generic`. It runs the loops in
`order`, outermost first, in steps of `tile` trips; the trips of one step are unrolled,
those of the last loop in `unroll` varying fastest, so that their sums stay in vector
registers while all `reduce` loops run. What a step does not divide is a nest of its own
behind it. Nothing here can make a kernel wrong, only slow.

How many sums there are room for depends on the processor's registers: see `Registers`.
At least 8 of its own vectors are needed to keep both multipliers busy, each of which
takes 4 cycles.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

LANES = 16
"""Values in one vector, whatever the processor's have."""


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
    panels: tuple[int, ...] = ()
    """Columns that lie together rather, the best first, where pairs divide them all."""
    taps: int = 0
    """Of a window over a few channels, at most, to be written out one by one. Rows of
    three in a loop wait for their pixels where tiles are small: 44 to 83 % of peak."""
    near: int = 256 * 1024
    """Bytes of an image that stay in the second cache, beside weights and results."""

    def of(self, bits: int) -> "Registers":
        """What fits them of a product's values, of 32 bits or 64."""
        if bits == 32:
            return self
        return replace(
            self,
            busy=self.busy // 2,
            products=self.products // 2,
            columns=max(LANES, self.columns // 2),
            long_columns=self.long_columns // 2,
            panels=(),
        )


WIDE = Registers(
    sums=28,
    busy=8,
    blocks=2,
    windows=14,
    groups=10,
    products=24,
    columns=64,
    filters=16,
    long_columns=64,
    panels=(48, 32),
)
"""AVX-512: 32 registers of 16 lanes. 28 sums, two weights, and a pixel."""
SECOND_CACHE = 1 << 20
"""Bytes; a matrix of more comes from farther away for each product."""
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

    edges: bool = False
    """Whether what is written out for the edges of an image is shared, too, where it
    lies in such a loop."""

    ahead: tuple[int, int] | None = None
    """A loop of `unroll`, and by how many of its trips memory is asked for before it is
    read, and the result before it is written; None: nothing is asked for."""

    spread: int = 0
    """Rows of a product, each of which asks for its share of the columns that follow in
    a packed matrix; 0: nothing is asked for. Where a run decides how many rows there
    are, those of a tile: what is a row's share is reckoned in each call."""

    soon: int = 0
    """Trips of the innermost reduction, after which what a trip asks for of a packed
    matrix is read; 0: nothing is asked for, or what `spread` says. Where a run decides
    how many rows there are, it is so if they are one tile."""

    strip: int = 0
    """Trips of a loop that is named twice, in one step of the outer one."""

    across: int = -1
    """A loop that `strip` counts the trips of, too, where a run decides how many trips
    the loop that is named twice has: a step has as many as make `strip` together."""

    busy: int = WIDE.busy
    """Sums at least, of a processor that has nothing to wait for."""

    def shares(self, loop: int, at_edge: bool) -> bool:
        """Whether threads share a loop over rows, or what is written out at an edge."""
        return loop in self.rows and (self.edges or not at_edge)

    def with_images_inside(self) -> "Schedule":
        """The same for n f ..., but each step of f for all of n before the next."""
        images, filters, *rest = self.order
        return replace(self, order=(filters, images, *rest))

    def in_strips(self, strip: int, planes: int = 0) -> "Schedule":
        """The same for n [d] f h ..., but all of f before the next strip of h.

        What `h` stands for may be rows or, where there are none, pixels; `planes`: how
        many loops `d` there are.
        """
        outer, (filters, rows, *rest) = (
            self.order[: planes + 1],
            self.order[planes + 1 :],
        )
        order = (*outer, rows, filters, rows, *rest)
        return replace(self, order=order, strip=strip)

    def least(self, loop: int, trips: Mapping[int, int]) -> int:
        """Trips of a tiled loop in a step at least, so that there are `busy` sums.

        `trips`: those of the loops outside of it.
        """
        sums = 1
        for other in self.unroll:
            if other != loop:
                inside = trips.get(other) or self.tile(other, trips)
                sums *= -(-inside // LANES) if other == self.lanes else inside
        return -(-self.busy // sums)

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
    dynamic: frozenset[int] = frozenset()
    """Loops whose trips a run decides; `sizes` has a guess."""
    is_batch: bool = False
    """Whether all trips of the first loop read the same weights."""


Rule = Callable[[Shape, Registers], Schedule]
"""How a kind of nest runs: a function of its loops and of the processor."""
