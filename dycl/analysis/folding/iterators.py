"""Who goes over an iterator, and in which order: it is empty once somebody has."""

from collections.abc import Callable, Iterator

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.analysis.folding.itertools_items import FUNCTIONS
from dycl.ir import (
    CallOp,
    CompareOp,
    ForOp,
    IfOp,
    ReturnOp,
    SubscriptOp,
    SwitchOp,
    ToBoolOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_name

ITERATORS = frozenset(
    (
        *("builtins.enumerate", "builtins.filter", "builtins.iter", "builtins.map"),
        *("builtins.reversed", "builtins.zip"),
        *FUNCTIONS,
    )
)
"""Functions of which the results are empty once somebody has gone over them."""


def is_used_up_once(iterator: SSAValue) -> bool:
    """Whether each run has one reader at most, which does not run several times."""
    readers = [use.operation for use in iterator.uses]
    home = iterator.owner.parent if isinstance(iterator.owner, Operation) else None
    if any(is_repeated(reader, home) for reader in readers):
        return False
    return all(
        are_exclusive(reader, other)
        for i, reader in enumerate(readers)
        for other in readers[:i]
    )


def is_repeated(op: Operation, home: Block | None) -> bool:
    """Whether an op may run more often than a block that should be around it."""
    while op.parent is not home:
        outer = op.parent_op()
        if outer is None or isinstance(outer, (ForOp, WhileOp)):
            return True
        op = outer
    return False


def is_behind(reader: Operation, op: Operation) -> bool:
    """Whether one stands behind the other, in its block or further inside."""
    there = op.parent and op.parent.find_ancestor_op_in_block(reader)
    return bool(there and there is not op and op.is_before_in_block(there))


def are_exclusive(op: Operation, other: Operation) -> bool:
    """Whether no run gets to both of two ops, as long as no loop is around them.

    They stand on different sides of an `if`, or one on a side that leaves the function.
    """
    around = {region: holder for holder, region in _around(op)}
    for holder, region in _around(other):
        if holder in around.values() and region not in around:
            return isinstance(holder, (IfOp, SwitchOp))
    return _leaves(op, other) or _leaves(other, op)


def _leaves(op: Operation, other: Operation) -> bool:
    """Whether one stands on a side of an `if` that leaves before the other is there."""
    blocks = {region.block for _, region in _around(other)}
    for holder, region in _around(op):
        if region.block in blocks:
            return False
        last = region.block.last_op
        if isinstance(holder, IfOp) and isinstance(last, ReturnOp):
            return True
    return False


def _around(op: Operation) -> Iterator[tuple[Operation, Region]]:
    """The regions around an op, from the innermost on, each with its op."""
    while (region := op.parent_region()) and (holder := op.parent_op()) is not None:
        yield holder, region
        op = holder


def is_read_at_once(
    iterator: CallOp,
    is_followed: Callable[[SSAValue], bool],
    lists: frozenset[SSAValue] = frozenset(),
) -> bool:
    """Whether no list may change before an iterator of it is gone over.

    `zip(v, w)` goes over the items that there are by then. `is_followed` says which
    values are lists that may change, `lists` what iterators inside of it go over.
    """
    lists |= frozenset(filter(is_followed, iterator.operands))
    readers = dict.fromkeys(use.operation for use in iterator.result.uses)
    left = set(readers)
    after = iterator.next_op
    while left and after is not None:
        for inner in after.walk():
            if inner not in left:
                if any(map(is_followed, inner.operands)):
                    return False
                continue
            if is_repeated(inner, iterator.parent):
                return False
            left.remove(inner)
            if _may_change_inside(inner, lists):
                return False
            if not left:
                break  # what a loop over it does comes later
        after = after.next_op
    wrapped = [op for op in readers if isinstance(op, CallOp) and _is_iterator(op)]
    return not left and all(is_read_at_once(op, is_followed, lists) for op in wrapped)


def _may_change_inside(loop: Operation, lists: frozenset[SSAValue]) -> bool:
    """Whether a loop over an iterator changes what the iterator goes over."""
    return any(
        operand in lists and not _only_reads(op)
        for region in loop.regions
        for op in region.walk()
        for operand in op.operands
    )


def _only_reads(op: Operation) -> bool:
    if isinstance(op, CallOp):
        return constant_name(op.callee) in {*ITERATORS, "builtins.len"}
    return isinstance(op, SubscriptOp | CompareOp | ToBoolOp)


def _is_iterator(op: CallOp) -> bool:
    return constant_name(op.callee) in ITERATORS
