"""CUDA kernels: how a product is cut, by the model of the devices.

All tiles, warps, stages and parts of the depth that fit a block are tried on paper, and
the fastest is taken: by the sum of the times on the devices that PTX is made for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from dycl.schedules.cuda_model import (
    DEVICES,
    USUAL,
    Device,
    Launch,
    Need,
    Work,
    estimate,
    power,
)

MOST_SPLITS = 16
"""Parts at most that the depth of a contraction is cut into."""
MOST_SHARED = 99 << 10
"""Bytes of shared memory that a block of compute capability 8.6 may have, which runs
PTX for 8.0 as well."""
MOST_REGISTERS = 216
"""Of a thread: what the model says may be a tenth too little."""

MOST_BLOCKS = 528
"""So many blocks keep any device busy: a depth is not cut beyond."""

_SIDES, _DEPTHS = (16, 32, 64, 128), (16, 32, 64)
_SPLITS = (1, 2, 3, 4, 6, 8, 12, 16)


@dataclass(frozen=True)
class Sizes:
    """Of a contraction; `is_half`: neither operand is f32."""

    batch: int
    rows: int
    columns: int
    depth: int
    is_half: bool

    def tiles(self, high: int, wide: int) -> int:
        """Of all results."""
        return self.batch * -(-self.rows // high) * -(-self.columns // wide)


@dataclass(frozen=True)
class DotPlan:
    """How a contraction is cut: a tile, and into how many parts its depth."""

    rows: int
    columns: int
    depth: int
    splits: int = 1
    launch: Launch = USUAL

    def each(self, depth: int) -> int:
        """How much of the depth a part has."""
        pieces = -(-depth // self.depth)
        return -(-pieces // self.splits) * self.depth


def dot_plan(sizes: Sizes) -> DotPlan:
    """The plan of a contraction; `tl.dot` takes tiles of 16 or more."""
    return best_plans(sizes, 1)[0]


@lru_cache(maxsize=4096)
def best_plans(sizes: Sizes, count: int) -> tuple[DotPlan, ...]:
    """The plans that are fastest on paper, the first one first."""
    timed = [(seconds(sizes, plan), n, plan) for n, plan in enumerate(plans(sizes))]
    return tuple(plan for _, _, plan in sorted(timed)[:count])


def seconds(sizes: Sizes, plan: DotPlan) -> float:
    """Microseconds of a plan on all devices, together."""
    return sum(plan_time(device, sizes, plan) for device in DEVICES)


def plan_time(device: Device, sizes: Sizes, plan: DotPlan) -> float:
    """Microseconds of a product on a device, with the sum of its parts."""
    works = [product_work(sizes, plan)]
    if plan.splits > 1:
        works.append(sum_work(sizes, plan))
    return sum(estimate(device, work).microseconds for work in works)


def plans(sizes: Sizes) -> Iterator[DotPlan]:
    """All that fit a block, small tiles first."""
    pieces = {deep: -(-sizes.depth // deep) for deep in _depths(sizes.depth)}
    for high, wide in product(_sides(sizes.rows), _sides(sizes.columns)):
        for deep, warps, stages in product(pieces, (1, 2, 4, 8), (2, 3, 4)):
            if not 256 * warps <= high * wide <= 2048 * warps or stages > max(
                2, pieces[deep]
            ):
                continue
            plan = DotPlan(high, wide, deep, 1, Launch(warps, stages))
            need = need_of(plan, sizes.is_half)
            if need.registers > MOST_REGISTERS or need.shared > MOST_SHARED:
                continue
            most = max(1, MOST_BLOCKS // sizes.tiles(high, wide))
            for splits in _parts(pieces[deep], most):
                yield DotPlan(high, wide, deep, splits, plan.launch)


@lru_cache
def _parts(pieces: int, most: int) -> Sequence[int]:
    """Into how many parts pieces are cut: none is empty, or has fewer than four."""
    wanted = (max(1, min(pieces // 4, most, n)) for n in _SPLITS)
    return list(dict.fromkeys(-(-pieces // -(-pieces // n)) for n in wanted))


def _sides(size: int) -> Sequence[int]:
    return [n for n in _SIDES if n <= max(16, power(size))]


def _depths(size: int) -> Sequence[int]:
    return [n for n in _DEPTHS if n <= max(16, power(size))]


def need_of(plan: DotPlan, is_half: bool) -> Need:
    """What a block takes: the sums, the operands (of f32 each in two numbers of tf32),
    and copies of what is under way. As `ptxas` says, within a fifth."""
    threads = 32 * plan.launch.warps
    operands = (plan.rows + plan.columns) * plan.depth
    of_operand = 0.7 if is_half else 2.6
    registers = 44 + (plan.rows * plan.columns + of_operand * operands) / threads
    copies = max(1, plan.launch.stages - 1)
    shared = copies * operands * (2 if is_half else 4)
    return Need(plan.launch.warps, int(registers), shared)


def product_work(sizes: Sizes, plan: DotPlan) -> Work:
    """The function that multiplies."""
    size = 2 if sizes.is_half else 4
    given = sizes.batch * sizes.depth * (sizes.rows + sizes.columns) * size
    made = sizes.batch * sizes.rows * sizes.columns * 4 * plan.splits
    return Work(
        blocks=sizes.tiles(plan.rows, plan.columns) * plan.splits,
        need=need_of(plan, sizes.is_half),
        bytes=given + made,
        steps=plan.each(sizes.depth) // plan.depth,
        loads=(plan.rows + plan.columns) * plan.depth * size,
        flops=2.0 * plan.rows * plan.columns * plan.depth,
        stages=plan.launch.stages,
        is_half=sizes.is_half,
        has_groups=plan.rows >= 64 and plan.launch.warps >= 4,
    )


def sum_work(sizes: Sizes, plan: DotPlan) -> Work:
    """The function that adds up parts of the depth."""
    count = sizes.batch * sizes.rows * sizes.columns
    loads = 4.0 * 256 * plan.splits
    return Work(-(-count // 256), Need(2), 4.0 * count * plan.splits, loads=loads)
