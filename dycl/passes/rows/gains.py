"""Whether many rows gain by being computed together: a rule on the ops of one row.

op of one row                          microseconds alone        in a group
-------------                          ------------------        ----------
%y = torch.aten.conv2d %x, %w ..       FLOPs, and far weights    1.08 of the FLOPs
%y = torch.aten.linear %x, %w          FLOPs, or bytes of %w     0.97 of the FLOPs
%y = torch.aten.bmm %a, %b             FLOPs                     the same

A group reads weights once for all of its rows, and so gains where a row alone waits
for them. A convolution uses each weight at every position of an image: unless those of
all layers are too many (`dycl.passes.rows.convolutions`), they are in the cache already
for one row, and the images of all rows are not. Loops count several times and the sides
of a decision by halves, or both as a profile has counted them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.ir import Block, Operation

from dycl.ir import IfOp, YieldOp
from dycl.ir.flops import flops_of
from dycl.ir.torch import VTensorType
from dycl.passes.rows.convolutions import (
    FLOPS,
    IN_GROUP,
    convolution,
    is_convolution,
)
from dycl.passes.rows.shares import Shares
from dycl.passes.rows.varying import Varying

BYTES = 30e3
"""A microsecond, of weights that one row reads from a cache that is shared."""

PRODUCT = 0.97
"""The same of a product with weights, for which a row alone does not wait. Measured in
transformers and pairs of linear layers, 128 to 512 wide, with 8 to 64 tokens: from 0.94
to 1.0."""


@dataclass(frozen=True)
class Time:
    """Microseconds that an op takes for a row."""

    op: Operation
    alone: float
    in_group: float


def loses(
    block: Block, varying: Varying, shares: Shares, *, are_far: bool
) -> Operation | None:
    """The op that costs most, if a group is slower than each row alone; else None.

    `block` is of one row; an op whose sizes are not known does not count. `are_far`: as
    `weights_are_far` says of the block.
    """
    times = list(_times(block, varying, shares, 1.0, are_far))
    if sum(t.in_group for t in times) <= sum(t.alone for t in times):
        return None
    return max(times, key=lambda time: time.in_group - time.alone).op


def _times(
    block: Block, varying: Varying, shares: Shares, runs: float, are_far: bool
) -> Iterator[Time]:
    for op in block.ops:
        if any(value in varying for value in op.operands) and (count := flops_of(op)):
            yield _time(op, varying, runs, count, are_far)
        if isinstance(op, IfOp) and (likely := shares.of(op)) is not None:
            stay = 0.0
            for region, share in zip(op.regions, likely, strict=True):
                yield from _times(region.block, varying, shares, runs * share, are_far)
                stay += share * isinstance(region.block.last_op, YieldOp)
            runs *= stay
            continue
        inner = runs * shares.times(op, runs)
        for region in op.regions:
            for inside in region.blocks:
                yield from _times(inside, varying, shares, inner, are_far)


def _time(
    op: Operation, varying: Varying, runs: float, flops: int, are_far: bool
) -> Time:
    if is_convolution(op):
        work, waits = convolution(op, varying, flops, are_far=are_far)
        return Time(op, runs * (work + waits), runs * work * IN_GROUP)
    alone = flops / FLOPS
    size = bytes_for_all(op, varying)
    if size is None:
        return Time(op, runs * alone, runs * alone)
    read = size / BYTES
    return Time(op, runs * max(alone, read), runs * alone * PRODUCT)


def bytes_for_all(op: Operation, varying: Varying) -> int | None:
    """The size of the largest operand that is one for all rows; None: there is none."""
    same = [
        value.type.sizes() or ()
        for value in op.operands
        if isinstance(value.type, VTensorType) and value not in varying
    ]
    return 4 * max(map(prod, same)) if same else None
