"""Two nests in one: a convolution of each channel, and the 1x1 convolution of it.

    for each strip of rows:
      the depthwise convolution, into memory for a strip
      the convolution that reads it

What stands between the two is as large as an image and read once; a strip of it stays
in the cache. Each sum is computed as it would be by two nests.
"""

from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.buffers.memory import Effects, is_buffer
from dycl.kernels.cpu.loops.accesses import NotLinear, accesses, sizes
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.nests.function import Function
from dycl.kernels.cpu.nests.groups import Group
from dycl.kernels.cpu.nests.nest import Nest
from dycl.kernels.cpu.nests.nest_places import Strip
from dycl.kernels.cpu.nests.padding import Padding
from dycl.schedules.schedule import Schedule

_FIRST, _SECOND = ("depthwise", "grouped"), "conv"
_ROWS = 2
"""The dimension of an image N C H W lanes that strips are of."""
_RANK = 5


def may_come_first(op: Any) -> bool:
    """Whether a contraction is of a kind that costs less than to store its result."""
    return str(op.attributes[NEST].value) in _FIRST


def reads_by_rows(op: Any) -> bool:
    """Whether a contraction needs, for a row of its result, that row of its image."""
    if str(op.attributes[NEST].value) != _SECOND or op.operands[0].type.rank != _RANK:
        return False
    trips = sizes(op)
    image, *_, out = accesses(op)
    return all(
        image[dim].running(trips) == out[dim].running(trips) for dim in (0, _ROWS)
    )


def may_pair(first: Group, second: Group, effects: Effects) -> bool:
    """Whether the nest of `second` may compute what `first` gives it, strip by strip.

    They are of the kinds that are asked for above. It may if nobody else reads what is
    between them, and if what `first` reads is not changed until then, nor by `second`.
    """
    between = first.result
    if (
        second.contraction.operands[0] != between
        or not is_buffer(between)
        or first.start is None
    ):
        return False
    users = {*map(effects.place, first.parts), effects.place(second.contraction)}
    if any(
        effects.touches(place, between)
        for place in range(len(effects.ops))
        if place not in users
    ):
        return False
    later = range(effects.place(first.place) + 1, effects.place(second.place) + 1)
    reads = [
        value
        for op in first.parts
        for value in list(op.operands)[:-1]
        if isinstance(value.type, ir.MemRefType) and value != first.sums
    ]
    return not any(effects.writes(place, v) for place in later for v in reads)


def strip_of(first: Group, rows: int) -> Strip:
    """Memory for so many rows of what `first` computes."""
    kind = first.result.type
    _, blocks, _, *rest = kind.shape
    made = ir.MemRefType.get([1, blocks, rows, *rest], kind.element_type)
    return Strip(first.result, made)


def pair_of(
    first: tuple[Group, Schedule, Padding | None],
    second: tuple[Group, Schedule],
    strip: Strip,
) -> tuple[Function, list[Any]]:
    """Both nests as a function, and the memrefs to call it with.

    `strip.image` among them stands for memory of `strip.type`. Both schedules are of
    strips. Raises NotLinear, with the reason, if there is no such function.
    """
    one = Nest(*first, strip)
    other = Nest(*second, strip=strip, beside=one)
    for nest in (one, other):
        if why := nest.why_not():
            raise NotLinear(why)
    # The first nest says where strips begin: it knows those at the edge of its image.
    batch, rows, *_ = one.schedule.order
    theirs = dict(zip((batch, rows), other.schedule.order, strict=False))
    for outer in one.steps(batch, 1, {}, {}):
        for place, trips in one.steps(rows, one.schedule.strip, *outer):
            one.loops(2, place, trips)
            other.loops(
                2,
                {theirs[loop]: at for loop, at in place.items()},
                {theirs[loop]: count for loop, count in trips.items()},
            )
    return other.function, other.values
