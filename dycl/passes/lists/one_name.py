"""Lists that have one name from a place on: there a tuple of the items does as well."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from dycl.ir import CallOp, ConstantOp, InplaceOp, ListOp
from dycl.ir.values import GlobalRef, to_attr
from dycl.passes.aggregates.uses import (
    called_name,
    comes_before,
    extended,
    only_reads_or_changes,
)


def is_list(value: SSAValue) -> bool:
    """Whether a value is a list that this place has made, and no other name of one."""
    value = extended(value)
    owner = value.owner
    return isinstance(owner, ListOp) or (
        isinstance(owner, CallOp) and called_name(owner) == "builtins.list"
    )


def has_one_name(value: SSAValue, op: Operation, ends: Sequence[Operation]) -> bool:
    """Whether nothing but one result of `op` leads to the list after `op`."""
    value = extended(value)
    owner = value.owner
    assert isinstance(owner, Operation)
    outside = not op.is_ancestor(owner)
    if outside and owner.parent is not op.parent:
        return False
    names, count = [value], 0
    while names:
        name = names.pop()
        for use in name.uses:
            user = use.operation
            if user in ends:
                count += 1
                if extended(name) is not value or _count(value, user) > 1:
                    return False
            elif outside and not comes_before(user, op):
                return False
            elif isinstance(user, InplaceOp) and use.index == 0:
                names.append(user.result)
            elif called_name(user) in ITERATORS:
                names += user.results  # an iterator leads to the list, too
            elif not only_reads_or_changes(user, use.index):
                return False
    return count > 0


def _count(value: SSAValue, end: Operation) -> int:
    return sum(extended(operand) is value for operand in end.operands)


ITERATORS = {"builtins.enumerate", "builtins.reversed", "builtins.zip"}
"""Functions of which the result leads to the lists that they are given."""


def called(name: str, value: SSAValue) -> tuple[ConstantOp, CallOp]:
    """A call of one of Python's functions, and the constant that it calls."""
    callee = ConstantOp(to_attr(GlobalRef(name)))
    call = CallOp(callee.result, [value])
    return callee, call
