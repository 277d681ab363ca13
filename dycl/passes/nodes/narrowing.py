"""Which constructors a node may be of at an op, by the tests on the way to it.

    %p = dycl.is_node %t ["builtins.tuple"]
    dycl.if %p {                               # here %t is a tuple
      dycl.return %x
    }
    dycl.return %t                             # and here it is none

A node never changes, so a field, or an item by a constant index, that is read twice is
one value.
"""

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    FieldOp,
    IfOp,
    IsNodeOp,
    NodeType,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    YieldOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.datatypes import Datatype
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.known_conditions import conditions_at


def constructors_at(
    value: SSAValue, op: Operation, datatypes: Mapping[str, Datatype]
) -> set[str]:
    """The constructors that a node may be of where an op uses it, "None" included."""
    kind = value.type
    assert isinstance(kind, NodeType)
    may = {NONE_NAME, *datatypes[kind.datatype.data].constructors}
    for condition, is_true in conditions_at(op):
        _narrow(may, value, condition, is_true)
    return may


def _narrow(may: set[str], value: SSAValue, condition: SSAValue, is_true: bool) -> None:
    """Take what a condition rules out from the constructors of a value."""
    owner = condition.owner
    match owner:
        case UnaryOp() if owner.kind_name == "not":
            _narrow(may, value, owner.operands[0], not is_true)
        case ToBoolOp():
            _narrow(may, value, owner.operands[0], is_true)
        case IsNodeOp() if is_same(owner.node, value):
            names = set(owner.names)
            may &= names if is_true else may - names
        case IfOp():
            _narrow_by_both(may, value, owner, condition, is_true)
        case _:
            pass


def _narrow_by_both(
    may: set[str], value: SSAValue, op: IfOp, result: SSAValue, is_true: bool
) -> None:
    """`a and b` that is true, `a or b` that is false: so are both."""
    index = next(i for i, one in enumerate(op.results) if one is result)
    for region, truth in zip(op.regions, (True, False), strict=True):
        other = region.block.last_op
        if not isinstance(other, YieldOp) or index >= len(other.operands):
            return
        given = other.operands[index]
        known = constant_value(given)
        if given is op.condition:
            known = truth
        if known is MISSING or bool(known) == is_true:
            continue
        # This side gives something else, so the other one was taken.
        _narrow(may, value, op.condition, not truth)
        end = op.regions[int(truth)].block.last_op
        if isinstance(end, YieldOp) and index < len(end.operands):
            _narrow(may, value, end.operands[index], is_true)
        return


def is_same(one: SSAValue, other: SSAValue) -> bool:
    """Whether two values are one node."""
    if one is other:
        return True
    first, second = one.owner, other.owner
    if isinstance(first, FieldOp) and isinstance(second, FieldOp):
        is_same_field = first.field_name == second.field_name
        return is_same_field and is_same(first.node, second.node)
    if isinstance(first, SubscriptOp) and isinstance(second, SubscriptOp):
        place = constant_value(first.index)
        is_same_place = type(place) is int and place == constant_value(second.index)
        is_fixed = isinstance(first.operand.owner, FieldOp)  # and no list that changes
        return is_fixed and is_same_place and is_same(first.operand, second.operand)
    return False
