"""What a convolution takes for a row alone, and where rows are computed together.

weights of all convolutions            a row alone            in a group
---------------------------            -----------            ----------
16 MiB or less: they stay in a cache   its work               1.08 of that
more                                   and its weights' way   1.08 of its work

A convolution uses each weight at every position of an image, so a group gains nothing
by weights that are near. But where those of all layers are more than a core has of the
last cache, each row alone brings them from memory anew, and a group does so once.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir.flops import flops_of, known_sizes
from dycl.ir.torch import ConstantIntOp, ListConstructOp
from dycl.ir.walking import walk
from dycl.passes.rows.varying import Varying
from dycl.schedules.samples import NEAR
from dycl.schedules.schedule import LANES
from dycl.schedules.winograd import WINDOW, tile_of, work_of

FLOPS = 110e3
"""A microsecond, of one thread where nothing waits for memory. Fused multiply-adds in
registers do 117e3 on the machine that this was measured on."""

FAR = 30e3
"""Bytes of weights a microsecond, from memory."""

IN_GROUP = 1.08
"""How much longer a row takes in a group. Measured from 16 channels at 16x16 to 256 at
4x4: from 1.0 to 1.15 where there are 8 rows or more, and more with 2."""


class Convolution(NamedTuple):
    """Microseconds of one row."""

    work: float
    """Of it alone, without what it waits for."""
    waits: float
    """For weights from memory."""


def is_convolution(op: Operation) -> bool:
    """Whether an op of the torch dialect is one, of any kind."""
    return "conv" in op.name


def weights_are_far(block: Block, varying: Varying) -> bool:
    """Whether the weights of all convolutions in a block, of one row, are more than
    stays in the last cache from one row to the next."""
    found = dict.fromkeys(
        value
        for op in walk(block)
        if is_convolution(op) and flops_of(op)
        for value in _weights(op, varying)
    )
    return sum(4 * prod(_sizes(value)) for value in found) > NEAR


def convolution(
    op: Operation, varying: Varying, flops: int, *, are_far: bool
) -> Convolution:
    """What an op of so many FLOPs takes; `are_far`: see `weights_are_far`.

    Where it decides against what a row waits for, work is that of Winograd's tiles.
    """
    work = flops / FLOPS
    if not are_far:
        return Convolution(work, 0.0)
    if (square := _square(op)) is not None and (tile := tile_of(*square, 1)):
        work = 2 * LANES * work_of(tile, *square) / FLOPS
    weights = sum(prod(_sizes(value)) for value in _weights(op, varying))
    return Convolution(work, 4 * weights / FAR)


def _weights(op: Operation, varying: Varying) -> Iterator[SSAValue]:
    """The operand that is one for all rows, if the op has such a window."""
    if op.operands[1] not in varying and _sizes(op.operands[1]):
        yield op.operands[1]


def _square(op: Operation) -> tuple[int, int, int, int] | None:
    """Channels, filters, height and width, if Winograd's tiles may compute it."""
    window, result = _sizes(op.operands[1]), _sizes(op.results[0])
    if len(window) != 4 or window[2:] != (WINDOW, WINDOW) or "transpose" in op.name:
        return None
    (_, channels, *_), (_, filters, height, width) = _sizes(op.operands[0]), result
    if window[1] != channels or channels < LANES or not _are_ones(op):
        return None
    return channels, filters, height, width


def _are_ones(op: Operation) -> bool:
    """Whether neither stride nor dilation is more than 1."""
    steps = (op.operands[place].owner for place in (3, 5))
    return all(
        isinstance(step, ListConstructOp) and _all_one(step.operands) for step in steps
    )


def _all_one(items: Iterable[SSAValue]) -> bool:
    owners = [item.owner for item in items]
    return all(isinstance(o, ConstantIntOp) and o.python_value() == 1 for o in owners)


def _sizes(value: SSAValue) -> Sequence[int]:
    """The shape of a tensor; empty, if it is not known."""
    return known_sizes(value) or ()
