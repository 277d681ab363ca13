"""Where a tensor of dynamic size is read last, so that its memory is for the next one.

Only of what a launch makes, and launches, views and numbers are made of: what a list, a
join or the caller gets lasts until the next run, or until a loop sweeps.
"""

from collections.abc import Iterable

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

import dycl.ir as d
from dycl.ir import host
from dycl.ir.batches import batch_of
from dycl.ir.host.types import is_static
from dycl.ir.walking import walk

_SAME = (host.ViewOp, host.CastOp, d.CheckedOp)
"""What gives the memory that it is given."""


def drops_of(func: host.FuncOp) -> dict[Operation, list[SSAValue]]:
    """By an op, the results of `host.alloc` in its block that are read last there."""
    found: dict[Operation, list[SSAValue]] = {}
    places: dict[Block, dict[Operation, int]] = {}
    for op in walk(func.body):
        if not isinstance(op, host.AllocOp) or is_static(op.result.type):
            continue
        block = op.parent
        assert block is not None
        if block not in places:
            places[block] = {other: i for i, other in enumerate(block.ops)}
        last = _last_use(op.result, block, places[block])
        if last is not None:
            found.setdefault(last, []).append(op.result)
    return found


def _last_use(
    made: SSAValue, block: Block, places: dict[Operation, int]
) -> Operation | None:
    """The last op of the block that reads a tensor; None: who else has it is not known,
    or nobody makes it."""
    last: Operation | None = None
    names = [made]
    for name in names:
        for user in _users(name):
            if isinstance(user, _SAME) and isinstance(user.results[0].type, MemRefType):
                names.append(user.results[0])
            elif not _only_reads(user):
                return None
            around = block.find_ancestor_op_in_block(user)
            if around is None:
                return None
            if last is None or places[around] > places[last]:
                last = around
    return last


def _users(value: SSAValue) -> Iterable[Operation]:
    return (use.operation for use in value.uses)


def _only_reads(op: Operation) -> bool:
    """Whether an op has nothing of a tensor when it is done."""
    if isinstance(op, host.LaunchOp):
        return batch_of(op) is None
    return isinstance(op, d.DimOp | host.ReadOp)
