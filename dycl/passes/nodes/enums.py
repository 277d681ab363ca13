"""What a member of an enum is asked that a node holds: which member it is decides.

Before                            After
------                            -----
%p = dycl.compare is %op, %ADD    %p = dycl.is_node %op ["m.Op.ADD"]
%t = dycl.getattr %op "name"      %q = dycl.is_node %op ["m.Op.ADD"]
dycl.return %p, %t                %t = dycl.if %q -> (!dycl.value) {
                                    %a = dycl.getattr %ADD "name"
                                    dycl.yield %a
                                  } else {
                                    %r = dycl.is_node %op ["m.Op.MUL"]
                                    %u = dycl.if %r -> (!dycl.value) {
                                      %m = dycl.getattr %MUL "name"
                                      dycl.yield %m
                                    } else {
                                      %what = dycl.constant
                                        "'NoneType' object has no attribute 'name'"
                                      dycl.raise "builtins.AttributeError"(%what)
                                    }
                                    dycl.yield %u
                                  }
                                  dycl.return %p, %t

Each member is an object of the program, so all that is known of those is known here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    FormatOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    IsNodeOp,
    ListOp,
    NodeType,
    RaiseOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
    UnaryOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.datatypes import Datatype
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.environment import Environment
from dycl.ir.rewriting import append, insert_before, insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.values import ObjectRef, to_attr
from dycl.passes.nodes.narrowing import constructors_at


def of_member(
    op: Operation, datatypes: Mapping[str, Datatype], environment: Environment
) -> bool:
    """Whether an op asked something of an enum's member, which is done by members."""
    node = next((one for one in op.operands if _enum(one, datatypes)), None)
    if node is None or not isinstance(op, _ASKS):
        return False
    enum = _enum(node, datatypes)
    assert enum is not None
    if isinstance(op, CompareOp):
        names = _compared(op, node, enum)
        if names is not None:
            test = insert_value(op, IsNodeOp(node, names, BoolT))
            if op.kind_name in ("is_not", "ne", "not_in"):
                test = insert_value(op, UnaryOp("not", test, BoolT))
            replace(op, [test])
            return True
    if isinstance(op, CallOp) and constant_name(op.callee) not in _CALLED:
        return False
    if isinstance(op, InvokeOp) and not _looks_up(op, node):
        return False
    if isinstance(op, StoreSubscriptOp) and op.index is not node:
        return False
    may = constructors_at(node, op, datatypes)
    members = [one for one in enum.constructors if one in may] or enum.constructors[:1]
    if not environment.paths >= set(members):
        return False
    _choose(op, node, members, NONE_NAME in may)
    return True


_ASKS = (
    *(CallOp, CompareOp, FormatOp, GetattrOp, InvokeOp, StoreSubscriptOp),
    SubscriptOp,
)
_CALLED = ("builtins.getattr", "builtins.hasattr")


def _looks_up(op: InvokeOp, node: SSAValue) -> bool:
    """Whether a method is one of the member, or gives what a dict has for it."""
    is_get = op.method.data == "get" and node is op.operands[1]
    return op.receiver is node or (
        is_get and not isinstance(constant_value(op.receiver), ObjectRef)
    )


def _enum(value: SSAValue, datatypes: Mapping[str, Datatype]) -> Datatype | None:
    """The enum whose member a value is; None: it is none."""
    kind = value.type
    found = datatypes.get(kind.datatype.data) if isinstance(kind, NodeType) else None
    return found if found is not None and found.is_enum else None


def _compared(op: CompareOp, node: SSAValue, enum: Datatype) -> list[str] | None:
    """The constructors that a comparison asks for, "None" included; None: it is not
    known which. They are in the order of the enum: a set has none."""
    other = op.rhs if op.lhs is node else op.lhs
    if op.kind_name in ("in", "not_in") and op.lhs is node:
        if isinstance(other.owner, (TupleOp, ListOp)):
            several = [constant_value(item) for item in other.owner.operands]
        else:
            known = constant_value(other)
            is_several = isinstance(known, (tuple, list, set, frozenset, dict))
            several = list(cast("Iterable[object]", known)) if is_several else [MISSING]
    elif op.kind_name in ("is", "is_not", "eq", "ne"):
        several = [constant_value(other)]
    else:
        return None
    if MISSING in several:
        return None
    # What is no member of this enum is equal to none.
    paths = {one.path for one in several if isinstance(one, ObjectRef)}
    names = [one for one in enum.constructors if one in paths]
    return [*names, NONE_NAME] if None in several else names


def _choose(
    op: Operation, node: SSAValue, members: Sequence[str], may_be_none: bool
) -> None:
    """Do an op with the member that a node is, which an `if` for each asks."""
    *others, last = members
    if may_be_none:
        others = [*members]
        rest = _of_none(op, node)
    else:
        rest = _side(op, node, ConstantOp(to_attr(ObjectRef(last))))
    types = [result.type for result in op.results]
    for name in reversed(others):
        block = Block()
        test = IsNodeOp(node, [name], BoolT)
        if_member = _side(op, node, ConstantOp(to_attr(ObjectRef(name))))
        texts = {"test": to_attr(f"it is {'.'.join(name.split('.')[-2:])}")}
        found = IfOp(test.result, types, Region(if_member), Region(rest), texts)
        for one in (test, found, YieldOp(found.results)):
            append(block, one, source=op)
        rest = block
    *ops, end = rest.ops
    given = list(end.operands)
    end.drop_all_references()
    for one in ops:
        one.detach()
        insert_before(op, one)
    replace(op, given)


def _of_none(op: Operation, node: SSAValue) -> Block:
    """What an op gives where there is no member."""
    if isinstance(op, (GetattrOp, InvokeOp)) and op.operands[0] is node:
        name = op.attribute.data if isinstance(op, GetattrOp) else op.method.data
        what = f"'NoneType' object has no attribute '{name}'"
        return _raising(op, "builtins.AttributeError", what)
    if isinstance(op, (StoreSubscriptOp, SubscriptOp)):
        return _raising(op, "builtins.KeyError", "None")
    return _side(op, node, ConstantOp(to_attr(None)))


def _raising(op: Operation, error: str, text: str) -> Block:
    block = Block()
    message = ConstantOp(to_attr(text))
    for one in (message, RaiseOp(error, [message.result])):
        append(block, one, source=op)
    return block


def _side(op: Operation, node: SSAValue, member: ConstantOp) -> Block:
    """A copy of an op that is given a member."""
    block = Block()
    copy = clone(op, {node: member.result})
    for one in (member, copy, YieldOp(copy.results)):
        append(block, one, source=op)
    return block
