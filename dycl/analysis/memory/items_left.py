"""An item of a list filled by the run that nothing but one read of it can reach.

total = losses[0]           # nobody else has this item: it may be changed in place,
for loss in losses[1:]:     # and what is read here is other memory
    total += loss

It is so where each item is made for the list alone, and the list is asked for its
length and for other items only. Anything else is taken to share memory.
"""

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from dycl.analysis.folding.iterators import is_behind, is_repeated
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Structures
from dycl.ir import (
    AppendOp,
    BinaryOp,
    CallOp,
    CompareOp,
    InvokeOp,
    SequenceOp,
    SubscriptOp,
    TakeOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.interfaces import LoopOp, forwarded_from, forwarded_to, nearest

_COMPUTES = (BinaryOp, CallOp, CompareOp, InvokeOp, ToBoolOp, UnaryOp)
"""Ops that take tensors as what they are: their outcome says what shares memory."""


def is_left_alone(op: SubscriptOp, inference: Inference, known: Structures) -> bool:
    """Whether no other name of the program means the item that an op reads."""
    place = _number(op.index)
    if place is None or place < 0:
        return False
    for use in op.operand.uses:
        if use.operation is not op and not _avoids(use.operation, place):
            return False
    versions = _versions(op.operand)
    if versions is None:
        return False
    for version in versions:
        if version is not op.operand and not _leads_on(version, versions):
            return False
    made = [v.owner for v in versions if isinstance(v.owner, (SequenceOp, AppendOp))]
    return not any(
        isinstance(maker, SequenceOp) and not _loops(maker).issuperset(_loops(op))
        for maker in made
    ) and all(
        _is_for_one_list(item, maker, op, inference, known)
        for maker in made
        for item in _items(maker)
    )


def _loops(op: Operation) -> set[Operation]:
    """The loops around an op."""
    around: set[Operation] = set()
    loop = nearest(op, LoopOp)
    while loop is not None:
        around.add(loop)
        loop = nearest(loop, LoopOp)
    return around


def _number(value: SSAValue) -> int | None:
    number = constant_value(value)
    return number if isinstance(number, int) else None


def _avoids(op: Operation, place: int) -> bool:
    """Whether an op asks a list for its length, or for items at other places."""
    if isinstance(op, TakeOp):
        start = _number(op.start)
        return start is not None and start > place
    return _asks_length(op)


def _asks_length(op: Operation) -> bool:
    return isinstance(op, CallOp) and constant_name(op.callee) == "builtins.len"


def _versions(last: SSAValue) -> set[SSAValue] | None:
    """All the lists that this one may have been, from the empty one on; None: some are
    not made here, item by item."""
    seen: set[SSAValue] = set()
    waiting = [last]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        sources = forwarded_from(value)
        if isinstance(value.owner, AppendOp):
            sources = [value.owner.sequence]
        if not sources and not isinstance(value.owner, SequenceOp):
            return None
        waiting += sources
    return seen


def _leads_on(version: SSAValue, versions: set[SSAValue]) -> bool:
    """Whether an earlier list is appended to, handed on and measured only."""
    for use in version.uses:
        op = use.operation
        if isinstance(op, AppendOp) and use.index == 0:
            becomes = [op.result]
        elif _asks_length(op):
            continue
        else:
            becomes = forwarded_to(op, use.index)
        if not becomes or not versions.issuperset(becomes):
            return False
    return True


def _items(maker: SequenceOp | AppendOp) -> Iterator[SSAValue]:
    yield from maker.items if isinstance(maker, SequenceOp) else [maker.value]


def _is_for_one_list(
    item: SSAValue,
    maker: Operation,
    read: SubscriptOp,
    inference: Inference,
    known: Structures,
) -> bool:
    """Whether an item is new memory, put once into this list, and not used by its own
    name any more where the list is read."""
    owner = item.owner
    if not isinstance(owner, _COMPUTES) or is_repeated(maker, owner.parent):
        return False
    outcome = inference.outcomes.get(owner)
    if outcome is None or outcome.aliases:
        return False
    others = [use.operation for use in item.uses if use.operation is not maker]
    return len(others) + 1 == len(list(item.uses)) and not any(
        is_behind(other, read) or not _only_reads(other, item, inference, known)
        for other in others
    )


def _only_reads(
    op: Operation, item: SSAValue, inference: Inference, known: Structures
) -> bool:
    """Whether an op reads a tensor, and nothing that it gives shares its memory."""
    outcome = inference.outcomes.get(op)
    if outcome is None or not isinstance(op, _COMPUTES):
        return False
    leaves = [leaf for v in op.operands for leaf in known.leaves(v)]
    numbers = {n for n, leaf in enumerate(leaves) if leaf is item}
    return bool(numbers) and not any(j in numbers for _, j in outcome.aliases)
