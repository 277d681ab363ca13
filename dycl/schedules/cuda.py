"""CUDA kernels: sizes of tiles, warps, and stages of loads that are under way at once.

By the sizes of a kernel alone. Products are planned by a model of the devices
(`cuda_products.py`, `cuda_model.py`), and so is into how many parts a long reduction is
cut. Tiles of the others keep rows in registers of compute capability 8.0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dycl.schedules.cuda_model import DEVICES, Launch, Need, Work, estimate, power

LONGEST_ROW = 4096
"""Elements of a row that one block holds at once; longer ones are read in pieces."""
LARGEST_TABLE = 1 << 16
"""Bytes of a table of constants, which stands in the text of the code."""
LARGEST_WINDOW = 64
"""Elements that one thread folds one after the other."""

_TWO_STAGES = Launch(stages=2)
_FLAT = 256
_TILE = 2048
_PIECE = 1024
"""Columns of a long row that are read at once."""
_SMALL_FOLD = 1 << 16
"""Elements that are soon folded, however few blocks do it."""
_MOST_PARTS = 1024
"""Of a reduction: the second function holds them all."""


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
    plans = [FoldPlan(high, wide, n) for n in _parts(-(-columns // wide))]
    return min(plans, key=lambda plan: fold_time(rows, columns, plan))


def _parts(pieces: int) -> Sequence[int]:
    """Into how many parts pieces may be cut: none is empty, or has fewer than four."""
    wanted = (1 << n for n in range(_MOST_PARTS.bit_length()))
    most = [max(1, min(pieces // 4, n)) for n in wanted]
    return list(dict.fromkeys(-(-pieces // -(-pieces // n)) for n in most))


def fold_time(rows: int, columns: int, plan: FoldPlan) -> float:
    """Microseconds of a reduction on all devices, together."""
    blocks, loads = -(-rows // plan.rows), 4.0 * plan.rows * plan.width
    need = Need(launch_of(plan.rows * plan.width).warps)
    works = [
        Work(
            blocks=blocks * plan.splits,
            need=need,
            bytes=4.0 * rows * (columns + plan.splits),
            steps=plan.each(columns) // plan.width,
            loads=loads,
        )
    ]
    if plan.splits > 1:
        high, wide = row_blocks(rows, plan.splits)
        own = 4.0 * high * wide
        works.append(Work(-(-rows // high), need, 4.0 * rows * plan.splits, loads=own))
    return sum(
        estimate(device, work).microseconds for device in DEVICES for work in works
    )


def sort_blocks(count: int, long: int) -> tuple[int, int]:
    """Elements of a block, and with how many of their row it compares them at once."""
    wide = min(power(long), 128)
    return min(power(count), _TILE // wide), wide


def pair_block(count: int) -> int:
    """Elements of a row that one warp looks at at once."""
    return min(1024, max(32, power(count)))


@dataclass(frozen=True)
class AttentionPlan:
    """Queries of a block, keys that it looks at at once, and powers of two for the
    lengths of a query and of a value."""

    queries: int
    keys: int
    width: int
    values: int
    launch: Launch = _TWO_STAGES


def attention_plan(queries: int, keys: int, width: int, values: int) -> AttentionPlan:
    """The plan of an attention; what a block sums up stays in registers."""
    deep, wide = (max(16, power(n)) for n in (width, values))
    most = 64 if max(deep, wide) <= 64 else 32 if max(deep, wide) <= 128 else 16
    high = min(most, max(16, power(queries)))
    return AttentionPlan(high, min(32, max(16, power(keys))), deep, wide)


def attention_work(batch: int, queries: int, keys: int, plan: AttentionPlan) -> Work:
    """What the blocks of an attention do."""
    tile = plan.queries * plan.keys
    return Work(
        blocks=batch * -(-queries // plan.queries),
        need=Need(plan.launch.warps, 255, 4 * plan.keys * (plan.width + plan.values)),
        bytes=0.0,
        steps=-(-keys // plan.keys),
        loads=4.0 * plan.keys * (plan.width + plan.values),
        flops=2.0 * tile * (plan.width + plan.values),
        stages=plan.launch.stages,
    )


def sort_work(count: int, long: int) -> Work:
    """What the blocks of a sort do, with eight operations for a comparison."""
    high, wide = sort_blocks(count, long)
    warps = launch_of(high * wide).warps
    steps = -(-long // wide)
    flops = 8.0 * high * wide
    return Work(-(-count // high), Need(warps, 64), 0.0, steps, 4.0 * wide, flops)


def launch_of(elements: int) -> Launch:
    """For a tile with so many elements."""
    return Launch(warps=1 if elements <= 64 else 2 if elements <= 256 else 4)
