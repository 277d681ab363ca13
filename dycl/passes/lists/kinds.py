"""What a value is, by all ways that lead to it: a list, or a list of a run.

`%l` is a list, `%s` a list of a run:

    %l = dycl.list(%x)    %s = dycl.sequence(%x)
"""

from xdsl.ir import SSAValue

from dycl.ir import (
    AppendOp,
    BinaryOp,
    CallOp,
    ExtendOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    SequenceOp,
    SequenceType,
    TakeOp,
    ToListOp,
)
from dycl.ir.interfaces import forwarded_from
from dycl.passes.lists.writes import copied


def is_of_run(value: SSAValue) -> bool:
    """Whether a value is a list whose length the data decides."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen or isinstance(one.type, SequenceType):
            continue
        seen.add(one)
        if isinstance(one.owner, (AppendOp, ExtendOp, SequenceOp, TakeOp)):
            continue
        sources = forwarded_from(one)
        if not sources:
            return False
        waiting += sources
    return True


def is_list(value: SSAValue) -> bool:
    """Whether a value is surely a list, by all ways that lead to it."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        owner = one.owner
        if one in seen or isinstance(owner, (ListOp, ToListOp)) or _is_copy(owner):
            seen.add(one)
            continue
        seen.add(one)
        if isinstance(owner, InplaceOp) or (
            isinstance(owner, BinaryOp) and owner.kind_name == "add"
        ):
            waiting.append(owner.operands[0])
        elif sources := forwarded_from(one):
            waiting += sources
        else:
            return False
    return True


def _is_copy(owner: object) -> bool:
    """Whether an op makes a list of another one; of a slice that is not sure."""
    return isinstance(owner, (CallOp, InvokeOp)) and copied(owner) is not None
