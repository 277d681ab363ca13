"""CUDA kernels: sizes of tiles, warps, and stages of loads that are under way at once.

By the sizes of a kernel alone. The numbers keep a tile in the registers and shared
memory of compute capability 8.0, and are those that were fast on an H100.
"""

from dataclasses import dataclass

LONGEST_ROW = 4096
"""Elements of a row that one block holds at once; longer ones are read in pieces."""
DOT_PRECISION = "tf32x3"
"""How `tl.dot` multiplies f32: three products of tf32, which lose nothing that matters.
"ieee" takes no tensor cores; "tf32" has an error of 4e-2 where these have 1e-5."""

LARGEST_TABLE = 1 << 16
"""Bytes of a table of constants, which stands in the text of the code."""
LARGEST_WINDOW = 64
"""Elements that one thread folds one after the other."""
MOST_SPLITS = 16
"""Parts at most that the depth of a contraction is cut into."""
PROCESSORS = 132
"""Multiprocessors of a device, each of which should have a block."""

_FLAT = 256
_TILE = 2048
_PIECE = 1024
"""Columns of a long row that are read at once."""
_SMALL_FOLD = 1 << 16
"""Elements that are soon folded, however few blocks do it."""


@dataclass(frozen=True)
class Launch:
    """How the blocks of a function run."""

    warps: int = 4
    stages: int = 3


def power(n: int) -> int:
    """The least power of two that is not below n."""
    return 1 << max(0, n - 1).bit_length()


def flat_block(size: int) -> int:
    """Elements that one block computes one by one."""
    return min(_FLAT, max(32, power(size)))


def row_blocks(rows: int, columns: int) -> tuple[int, int]:
    """Rows of a block, and columns that it holds at once."""
    wide = min(power(columns), LONGEST_ROW if columns <= LONGEST_ROW else 1024)
    return min(power(rows), max(1, _TILE // 4 // wide)), wide


@dataclass(frozen=True)
class FoldPlan:
    """How a reduction is cut: a tile, and into how many parts its rows."""

    rows: int
    width: int
    splits: int = 1

    def each(self, columns: int) -> int:
        """How many columns a part has."""
        pieces = -(-columns // self.width)
        return -(-pieces // self.splits) * self.width


def fold_plan(rows: int, columns: int, side_by_side: bool) -> FoldPlan:
    """The plan of a reduction of so many rows; `side_by_side`: whether the columns are
    neighbours in memory. If not, the rows are, and a tile has many of them."""
    high, wide = row_blocks(rows, columns)
    if rows * columns < _SMALL_FOLD:
        return FoldPlan(high, wide)
    if not side_by_side:
        high = min(power(rows), 64)
        wide = min(power(columns), _TILE // 2 // high)
    elif columns > _PIECE:
        wide = _PIECE
    blocks, pieces = -(-rows // high), -(-columns // wide)
    splits = max(1, min(pieces // 4, 2 * PROCESSORS // blocks))
    return FoldPlan(high, wide, -(-pieces // -(-pieces // splits)))


def sort_blocks(count: int, long: int) -> tuple[int, int]:
    """Elements of a block, and with how many of their row it compares them at once."""
    wide = min(power(long), 128)
    return min(power(count), _TILE // wide), wide


def pair_block(count: int) -> int:
    """Elements of a row that one warp looks at at once."""
    return min(1024, max(32, power(count)))


@dataclass(frozen=True)
class DotPlan:
    """How a contraction is cut: a tile, and into how many parts its depth."""

    rows: int
    columns: int
    depth: int
    splits: int = 1
    launch: Launch = Launch()

    def each(self, depth: int) -> int:
        """How much of the depth a part has."""
        pieces = -(-depth // self.depth)
        return -(-pieces // self.splits) * self.depth


def dot_plan(batch: int, rows: int, columns: int, depth: int, is_half: bool) -> DotPlan:
    """The plan of a contraction of these sizes; `tl.dot` takes tiles of 16 or more.

    Small tiles that keep every processor busy; large ones where there are enough. Of an
    H100's times over eleven products and 32 plans, most are within a third of the best.
    """

    def blocks(high: int, wide: int) -> int:
        return batch * -(-rows // high) * -(-columns // wide)

    deep = min(64 if depth >= 512 else 32, max(16, power(depth)))
    if is_half and blocks(128, 128) >= PROCESSORS:
        return DotPlan(128, 128, deep, 1, Launch(warps=8))
    if not is_half and blocks(64, 32) >= 8 * PROCESSORS:
        return DotPlan(64, 32, min(deep, 32), 1, Launch(warps=2))
    high = min(32, max(16, power(rows)))
    wide = min(64, max(16, power(columns)))
    count, pieces = blocks(high, wide), -(-depth // deep)
    if 2 * count > PROCESSORS:
        return DotPlan(high, wide, deep)
    splits = max(1, min(pieces // 4, 2 * PROCESSORS // count, MOST_SPLITS))
    return DotPlan(high, wide, deep, -(-pieces // -(-pieces // splits)))


@dataclass(frozen=True)
class AttentionPlan:
    """Queries of a block, keys that it looks at at once, and powers of two for the
    lengths of a query and of a value."""

    queries: int
    keys: int
    width: int
    values: int
    launch: Launch = Launch(stages=2)


def attention_plan(queries: int, keys: int, width: int, values: int) -> AttentionPlan:
    """The plan of an attention; what a block sums up stays in registers."""
    deep, wide = (max(16, power(n)) for n in (width, values))
    most = 64 if max(deep, wide) <= 64 else 32 if max(deep, wide) <= 128 else 16
    high = min(most, max(16, power(queries)))
    return AttentionPlan(high, min(32, max(16, power(keys))), deep, wide)


def launch_of(elements: int) -> Launch:
    """For a tile with so many elements."""
    return Launch(warps=1 if elements <= 64 else 2 if elements <= 256 else 4)
