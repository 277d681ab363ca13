"""From which numbers of rows on a call is done in another way: a model of its time.

    each row alone    for each row a call, and its work
    a group           a call of many, each decision that some row comes to, and the work
                      of all, or the time until the weights of a product have come

Times are in microseconds of one thread, as measured with networks of `bench.row_paths`
and with some whose layers are 8 wide. Sides of a decision are as likely as others, or
as a profile says, and rows go their ways independently of one another.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.ir import Block, Operation

from dycl.ir import IfOp, WhileOp, YieldOp
from dycl.ir.flops import flops_of
from dycl.passes.rows.convolutions import (
    FAR,
    FLOPS,
    IN_GROUP,
    convolution,
    is_convolution,
)
from dycl.passes.rows.gains import PRODUCT, bytes_for_all
from dycl.passes.rows.int_rules import checks_of
from dycl.passes.rows.shares import Shares
from dycl.passes.rows.varying import Varying

CALL = 5.0
"""A call for a few rows, which native code runs one by one."""
CALL_OF_ROW = 0.15
"""For each row of it."""
CALL_FROM_PYTHON = 7.0
"""The same where each row is called from Python."""
CALL_OF_ROW_FROM_PYTHON = 2.0
"""For each row of it."""
CALL_OF_GROUP = 10.0
"""A call for rows that are computed together, by native code alone."""
CALL_OF_GROUP_FROM_PYTHON = 18.0
"""The same where Python puts together what groups return."""
DECISION = 1.5
"""To part rows at a decision, and to join them again."""
CHECK = 1.0
"""To look at a number of all rows: less than to part them. An estimate."""
FIRST = 1.04
"""How much longer a product of weights takes for one row in a group than alone."""
FEW_FAR = 2
"""Rows that go alone at least where they wait for the weights of convolutions, which
kernels share among more. Two of ResNet-18's size take 1.04 times as long in a group."""
NEAR = 85e3
"""Bytes of weights a microsecond, where a cache of the machine has them; else `FAR`."""
CACHE = 8 << 20
"""Bytes of a matrix that may be near."""
MARGIN = 0.95
"""A group is to take this part of the time that each row alone takes, or less."""
WAKING = 50.0
"""Until another thread has begun, and to wait for its end."""
CROWDED = 1.4
"""How much longer weights take where two threads read them."""
LARGE = 512 << 10
"""Bytes of weights from which on threads gain by sharing a product, as each reads but a
part of them. Measured in layers of 64 to 512 with 8 to 1024 rows."""
WAITING = 1.5
"""They share products, not rows, if waiting for large weights takes a row alone so many
times as long as all that a group computes for it."""
MOST_FEW = 32
MORE_FEW = (48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Where a group looks at numbers, which takes longer the more of them there are, and
each row alone may do next to nothing."""
MOST_SHARED = 4096


class RowNumbers(NamedTuple):
    """Numbers of rows at which a call is done in another way."""

    few: int
    """Up to so many rows each alone takes less time than a group, or no more."""
    shared: int
    """From so many on two threads gain by sharing them; 0: they share kernels."""


@dataclass(frozen=True)
class Work:
    """What some rows do: each comes to it with a probability, some times."""

    chance: float
    runs: float
    alone: float
    """Microseconds, of one row."""
    first: float
    """Of a group with one row."""
    more: float
    """Of each row in it, at least: while a group waits for weights, rows are free."""
    read: int = 0
    """Bytes of weights."""
    looks: bool = False
    """Whether the host looks at numbers of all rows, and computes nothing."""

    def in_group(self, count: int, crowded: float = 1.0) -> float:
        """Of a group, to which some of `count` rows come; weights take `crowded` times
        as long."""
        some = 1.0 - (1.0 - self.chance) ** count
        all_rows = count * self.chance * self.more
        return self.runs * max(some * crowded * self.first, all_rows)


def row_numbers(
    block: Block,
    varying: Varying,
    shares: Shares,
    *,
    in_native_code: bool,
    are_far: bool,
) -> RowNumbers:
    """Of a program of one row; at least one row counts as few. Native code runs rows
    one by one, if all return values of the same structure and types. `are_far`: as
    `weights_are_far` says of the block."""
    call, of_row = CALL_FROM_PYTHON, CALL_OF_ROW_FROM_PYTHON
    of_group = CALL_OF_GROUP_FROM_PYTHON
    if in_native_code:
        call, of_row, of_group = CALL, CALL_OF_ROW, CALL_OF_GROUP
    works = list(_works(block, varying, shares, 1.0, 1.0, are_far))
    alone = sum(work.chance * work.runs * work.alone for work in works)

    def group(count: int) -> float:
        return of_group + sum(work.in_group(count) for work in works)

    few = FEW_FAR if are_far else 1
    looks = any(work.looks for work in works)
    for count in (*range(2, MOST_FEW + 1), *(MORE_FEW if looks else ())):
        if group(count) > MARGIN * (call + count * (of_row + alone)):
            few = count

    def half(count: int) -> float:
        return of_group + sum(w.in_group(count, CROWDED) for w in works)

    if _shares_products(works):
        return RowNumbers(few, 0)
    return RowNumbers(few, _shared(group, half))


def _shares_products(works: Sequence[Work]) -> bool:
    """Whether threads gain more by sharing products than by sharing rows."""
    waits = sum(w.chance * w.runs * w.alone for w in works if w.read >= LARGE)
    return waits > WAITING * sum(w.chance * w.runs * w.more for w in works)


def _shared(group: Callable[[int], float], half: Callable[[int], float]) -> int:
    """From how many rows on a `half` of them beside another one takes less time."""
    for count in range(2, MOST_SHARED):
        if half(-(-count // 2)) + WAKING < MARGIN * group(count):
            return count
    return MOST_SHARED


def _works(
    block: Block,
    varying: Varying,
    shares: Shares,
    chance: float,
    runs: float,
    are_far: bool,
) -> Iterator[Work]:
    for op in block.ops:
        if isinstance(op, IfOp) and op.condition in varying:
            yield Work(chance, runs, 0.0, DECISION, 0.0)
            stay = 0.0
            likely = shares.of(op) or _evenly(op, varying)
            for region, share in zip(op.regions, likely, strict=True):
                inside = region.block, varying, shares, chance * share, runs, are_far
                yield from _works(*inside)
                if isinstance(region.block.last_op, YieldOp):
                    stay += share
            chance *= stay
            continue
        inner = runs * shares.times(op, chance * runs)
        varies = any(value in varying for value in op.operands)
        if varies and (many := checks_of(op, varying)):
            yield Work(chance, runs * many, 0.0, CHECK, 0.0, looks=True)
        if isinstance(op, WhileOp) and varying.is_left_by_rows(op):
            yield Work(chance, inner, 0.0, DECISION, 0.0)
        if varies and (count := flops_of(op)):
            yield _product(op, varying, chance, runs, count, are_far)
        for region in op.regions:
            for inside in region.blocks:
                yield from _works(inside, varying, shares, chance, inner, are_far)


def _evenly(op: IfOp, varying: Varying) -> tuple[float, float]:
    """How likely its sides are: each side of a chain of `elif` is as likely."""
    ways = _ways(op.then_region.block, varying), _ways(op.else_region.block, varying)
    return ways[0] / sum(ways), ways[1] / sum(ways)


def _ways(block: Block, varying: Varying) -> int:
    """The sides of a decision that a block is, as `elif` is; else one."""
    inner = [op for op in block.ops if isinstance(op, IfOp) and op.condition in varying]
    products = any(flops_of(op) for op in block.ops)
    if len(inner) != 1 or products:
        return 1
    return sum(_ways(region.block, varying) for region in inner[0].regions)


def _product(
    op: Operation,
    varying: Varying,
    chance: float,
    runs: float,
    flops: int,
    are_far: bool,
) -> Work:
    if is_convolution(op):
        work, waits = convolution(op, varying, flops, are_far=are_far)
        more = IN_GROUP * work
        return Work(chance, runs, work + waits, more + waits, more)
    time = flops / FLOPS
    read = bytes_for_all(op, varying)
    if read is None:
        return Work(chance, runs, time, time, time)
    waits = read / (NEAR if read <= CACHE else FAR)
    first = max(time, FIRST * waits)
    return Work(chance, runs, max(time, waits), first, PRODUCT * time, read)
