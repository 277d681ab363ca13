"""What of a kernel may be parted: which ops need which, and which belong together.

An op is *placed* if it is to be in one region; the others are copied to each region
that uses them: constants, lists, and what depends on weights alone, which a backend
computes once, wherever it stands.
"""

from collections.abc import Collection, Iterator, Sequence

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from dycl.analysis.control.computation import is_computation
from dycl.ir.dialect.model import WEIGHT
from dycl.ir.torch import VTensorType
from dycl.support.disjoint import DisjointSets


def placed_ops(kernel: FuncOp) -> list[Operation]:
    """The ops of a kernel that are to be in one region each, in order."""
    copied: set[SSAValue] = set()
    attributes = kernel.arg_attrs
    for index, argument in enumerate(kernel.body.block.args):
        if attributes is not None and WEIGHT in attributes.data[index].data:
            copied.add(argument)
    ops = [op for op in kernel.body.block.ops if not isinstance(op, ReturnOp)]
    for op in ops:
        if all(value in copied for value in op.operands):
            copied |= set(op.results)
    for op in reversed(ops):  # What is given must come from one region.
        if is_computation(op) and _is_given(op, copied):
            copied -= set(op.results)
    return [op for op in ops if is_computation(op) and not set(op.results) <= copied]


def _is_given(op: Operation, copied: Collection[SSAValue]) -> bool:
    """Whether a result is returned, or is used by nobody."""
    users = [use.operation for result in op.results for use in result.uses]
    return not users or any(isinstance(user, ReturnOp) for user in users)


def needed(op: Operation, placed: Collection[Operation]) -> Iterator[SSAValue]:
    """The values of placed ops that an op needs, itself or in what is copied for it."""
    for value in op.operands:
        owner = value.owner
        if isinstance(value, BlockArgument) or not isinstance(owner, Operation):
            continue
        if owner in placed:
            yield value
        else:
            yield from needed(owner, placed)


def units(
    ops: Sequence[Operation], together: Sequence[Sequence[Operation]] = ()
) -> list[list[Operation]]:
    """Placed ops in groups that cannot be parted, in the order of their first ops.

    Only tensors may pass from one region to another; `together`: other groups.
    """
    placed = dict.fromkeys(ops)
    sets = DisjointSets[Operation]()
    for op in ops:
        for value in needed(op, placed):
            owner = value.owner
            if not isinstance(value.type, VTensorType) and isinstance(owner, Operation):
                sets.join(owner, op)
    for group in together:
        for op in group[1:]:
            sets.join(group[0], op)
    groups: dict[Operation, list[Operation]] = {}
    for op in ops:
        groups.setdefault(sets.find(op), []).append(op)
    return list(groups.values())
