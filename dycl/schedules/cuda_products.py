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

DOT_PRECISION = "tf32x3"
"""How `tl.dot` multiplies f32: three products of tf32, which lose nothing that matters.
"ieee" takes no tensor cores; "tf32" has an error of 4e-2 where these have 1e-5."""
MOST_SPLITS = 16
"""Parts at most that the depth of a contraction is cut into."""
MOST_SHARED = 99 << 10
"""Bytes of shared memory that a block of compute capability 8.6 may have, which runs
PTX for 8.0 as well."""
MOST_REGISTERS = 216
"""Of a thread, which has 255: what the model says may be too little."""
MOST_OF_WINDOWS = 8
"""Elements of windows that a thread looks for at once: more are more than `ptxas` keeps
in registers."""
MOST_BLOCKS = 528
"""So many blocks keep any device busy: a depth is not cut beyond."""

_SIDES, _DEPTHS = (16, 32, 64, 128), (64, 32, 16)
_SPLITS = (1, 2, 3, 4, 6, 8, 12, 16)


@dataclass(frozen=True)
class Sizes:
    """Of a contraction."""

    batch: int
    rows: int
    columns: int
    depth: int
    is_half: bool
    """Whether neither operand is f32."""
    has_windows: bool = False
    """Whether what is summed up has several dimensions, as in a convolution: where an
    element of a row is takes registers, too."""

    def tiles(self, high: int, wide: int) -> int:
        """Of all results."""
        return self.batch * -(-self.rows // high) * -(-self.columns // wide)


@dataclass(frozen=True)
class DotPlan:
    """How a contraction is cut: a tile, and into how many parts its depth; and how its
    factors are multiplied, if they are f32."""

    rows: int
    columns: int
    depth: int
    splits: int = 1
    launch: Launch = USUAL
    precision: str = DOT_PRECISION

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
    timed = [(total_time(sizes, plan), n, plan) for n, plan in enumerate(plans(sizes))]
    return tuple(plan for _, _, plan in sorted(timed)[:count])


def total_time(sizes: Sizes, plan: DotPlan) -> float:
    """Microseconds of a plan on all devices, together."""
    return sum(plan_time(device, sizes, plan) for device in DEVICES)


def plan_time(device: Device, sizes: Sizes, plan: DotPlan) -> float:
    """Microseconds of a product on a device, with the sum of its parts."""
    works = [product_work(sizes, plan)]
    if plan.splits > 1:
        works.append(sum_work(sizes, plan))
    return sum(estimate(device, work).microseconds for work in works)


def plans(sizes: Sizes) -> Iterator[DotPlan]:
    """All that fit a block; of those that are equal on paper, the first is taken."""
    pieces = {deep: -(-sizes.depth // deep) for deep in _depths(sizes.depth)}
    for high, wide in product(_sides(sizes.rows), _sides(sizes.columns)):
        for deep, warps, stages in product(pieces, (4, 2, 8, 1), (3, 2, 4)):
            if not 256 * warps <= high * wide <= 2048 * warps:
                continue
            if stages > max(2, pieces[deep]):
                continue
            plan = DotPlan(high, wide, deep, 1, Launch(warps, stages))
            if not _fits(plan, sizes):
                continue
            most = max(1, MOST_BLOCKS // sizes.tiles(high, wide))
            for splits in _parts(pieces[deep], most):
                yield DotPlan(high, wide, deep, splits, plan.launch)


def _fits(plan: DotPlan, sizes: Sizes) -> bool:
    need = need_of(plan, sizes)
    each = plan.rows * plan.depth / (32 * plan.launch.warps)
    if sizes.has_windows and each > MOST_OF_WINDOWS:
        return False
    return need.registers <= MOST_REGISTERS and need.shared <= MOST_SHARED


@lru_cache
def _parts(pieces: int, most: int) -> Sequence[int]:
    """Into how many parts pieces are cut: none is empty, or has fewer than four."""
    wanted = (max(1, min(pieces // 4, most, n)) for n in _SPLITS)
    return list(dict.fromkeys(-(-pieces // -(-pieces // n)) for n in wanted))


def _sides(size: int) -> Sequence[int]:
    return [n for n in _SIDES if n <= max(16, power(size))]


def _depths(size: int) -> Sequence[int]:
    return [n for n in _DEPTHS if n <= max(16, power(size))]


def need_of(plan: DotPlan, sizes: Sizes) -> Need:
    """What a block takes: sums, operands as they are multiplied (those of f32 are split
    into numbers of tf32), where elements of windows are, and copies that are under way.
    """
    threads = 32 * plan.launch.warps
    tall, broad = _warps_of(plan)
    parts = (plan.rows / tall + plan.columns / broad) * plan.depth / 32
    registers = 44 + plan.rows * plan.columns / threads
    registers += (0.35 if sizes.is_half else 1.8) * parts
    if sizes.has_windows:  # `ptxas` computes again where an element is, at the limit
        most = max(MOST_REGISTERS, registers)
        registers = min(most, registers + 8 * plan.rows * plan.depth / threads)
    copies = plan.launch.stages - (plan.rows < 64)
    size = 2 if sizes.is_half else 4
    shared = copies * (plan.rows + plan.columns) * plan.depth * size
    return Need(plan.launch.warps, int(registers), shared)


def _warps_of(plan: DotPlan) -> tuple[int, int]:
    """How the warps of a block share its tile, as Triton has it."""
    tall = broad = 1
    while tall * broad < plan.launch.warps:
        is_tall = plan.rows // 16 // tall >= plan.columns // 16 // broad
        if is_tall and tall < plan.rows // 16:
            tall *= 2
        else:
            broad *= 2
    return tall, broad


def product_work(sizes: Sizes, plan: DotPlan) -> Work:
    """The function that multiplies."""
    size = 2 if sizes.is_half else 4
    given = sizes.batch * sizes.depth * (sizes.rows + sizes.columns) * size
    made = sizes.batch * sizes.rows * sizes.columns * 4 * plan.splits
    return Work(
        blocks=sizes.tiles(plan.rows, plan.columns) * plan.splits,
        need=need_of(plan, sizes),
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
