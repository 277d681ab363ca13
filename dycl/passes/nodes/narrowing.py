"""Which constructors a node may be of at an op, by the tests on the way to it.

    %p = dycl.is_node %t ["builtins.tuple"]
    dycl.if %p {                               # here %t is a tuple
      dycl.return %x
    }
    dycl.return %t                             # and here it is none

A node never changes, so a field, or an item by a constant index, that is read twice is
one value.
"""

from collections.abc import Iterator, Mapping

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    FieldOp,
    HasFieldOp,
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
    for test, is_true in _tests_at(op):
        if isinstance(test, IsNodeOp) and is_same(test.node, value):
            names = set(test.names)
            may &= names if is_true else may - names
    return may


def has_field_at(node: SSAValue, name: str, op: Operation) -> bool:
    """Whether a node surely has a field where an op stands."""
    return any(
        isinstance(test, HasFieldOp)
        and is_true
        and test.field_name == name
        and is_same(test.node, node)
        for test, is_true in _tests_at(op)
    )


def _tests_at(op: Operation) -> Iterator[tuple[Operation, bool]]:
    """The tests that are decided where an op stands, and what they gave."""
    for condition, is_true in conditions_at(op):
        yield from _tests(condition, is_true)


def _tests(condition: SSAValue, is_true: bool) -> Iterator[tuple[Operation, bool]]:
    """The tests that a condition is made of and decides, and what they gave."""
    owner = condition.owner
    match owner:
        case UnaryOp() if owner.kind_name == "not":
            yield from _tests(owner.operands[0], not is_true)
        case ToBoolOp():
            yield from _tests(owner.operands[0], is_true)
        case IsNodeOp() | HasFieldOp():
            yield owner, is_true
        case IfOp():
            yield from _tests_of_both(owner, condition, is_true)
        case _:
            pass


def _tests_of_both(
    op: IfOp, result: SSAValue, is_true: bool
) -> Iterator[tuple[Operation, bool]]:
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
        yield from _tests(op.condition, not truth)
        end = op.regions[int(truth)].block.last_op
        if isinstance(end, YieldOp) and index < len(end.operands):
            yield from _tests(end.operands[index], is_true)
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
