"""What an op does with a list that it uses: whether the list may be kept there."""

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    RecordOp,
    ReturnOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.records import CALL, ROWS
from dycl.ir.state import STATE


def is_done_with(
    value: SSAValue, op: Operation, dead: Mapping[Operation, SSAValue]
) -> bool:
    """Whether nothing leads to a list after `op`, which stands behind or around it.

    `dead` ops change the list that they are mapped to, and do nothing else: they are
    no uses, but what they have put into a list is led to by that one.
    """
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        for use in one.uses:
            user = use.operation
            if user in dead:
                if _puts_into(user, use.index):
                    waiting.append(dead[user])
            elif not comes_before(user, op) or not only_reads_or_changes(
                user, use.index
            ):
                return False
    return True


def _puts_into(user: Operation, index: int) -> bool:
    """Whether a change of a list puts this operand into it, and not its items."""
    if index == 0 or isinstance(user, InplaceOp):
        return False
    return not (isinstance(user, InvokeOp) and user.method.data in ("extend", "update"))


def extended(value: SSAValue) -> SSAValue:
    """The list that `v += w` gives is the list v."""
    while isinstance(value.owner, InplaceOp) and value.owner.kind_name == "add":
        value = value.owner.lhs
    return value


def comes_before(user: Operation, op: Operation) -> bool:
    """Whether an op in the block of `op`, or inside one there, runs before or in it."""
    while user.parent is not op.parent:
        above = user.parent_op()
        if above is None:
            return False
        user = above
    return user is op or user.is_before_in_block(op)


def only_reads_or_changes(user: Operation, index: int) -> bool:
    """Whether an op uses a list and does not keep it."""
    match user:
        case InvokeOp() | StoreSubscriptOp() | SubscriptOp():
            return index == 0
        case CallOp():
            return called_name(user) in _READERS
        case CompareOp():
            return user.kind_name not in ("is", "is_not")
        case ForOp():
            return index == 0
        case _:
            return isinstance(user, (InplaceOp, ReturnOp, ToBoolOp, UnpackOp))


def called_name(op: Operation) -> str:
    """The function of Python or torch that an op calls, or nothing."""
    return constant_name(op.callee) if isinstance(op, CallOp) else ""


def is_returned(use: Use) -> bool:
    """Whether a value is part of the network's output, and goes nowhere else."""
    op = use.operation
    match op:
        case ReturnOp():
            return function_around(op) is None
        case RecordOp() if op.record_type.kind in (CALL, ROWS):
            return all(map(is_returned, op.result.uses))
        case TupleOp() | ListOp():
            uses = list(op.result.uses)
            if any(_has_state(one.operation) for one in uses) and use.index > 0:
                return False  # the output is the first, what stays is the second
            return all(map(is_returned, uses))
        case DictOp():
            return use.index % 2 == 1 and all(map(is_returned, op.result.uses))
        case _:
            return False


def _has_state(op: Operation) -> bool:
    """Whether an op returns state beside the output."""
    around = op.parent_op()
    while around is not None and STATE not in around.attributes:
        around = around.parent_op()
    return around is not None and isinstance(op, ReturnOp)


_READERS = {
    "builtins.list",
    "builtins.tuple",
    "builtins.all",
    "builtins.any",
    "builtins.len",
    "builtins.max",
    "builtins.min",
    "builtins.sorted",
    "builtins.sum",
    "torch.cat",
    "torch.concat",
    "torch.hstack",
    "torch.stack",
    "torch.vstack",
}
"""Functions that keep nothing of a list that they are given."""
