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
    DictOp,
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
    ToBoolOp,
    TupleOp,
    UnaryOp,
    YieldOp,
)
from dycl.ir.builtin_nodes import BASES
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
    if not isinstance(op, _ASKS):
        return False
    known = EnumMembers(datatypes, environment)
    node = next((one for one in op.operands if known.of(one)), None)
    if node is None:
        return False
    may = constructors_at(node, op, datatypes)
    if isinstance(op, CompareOp):
        names = known.compared(op, node, may)
        if names is not None:
            test = insert_value(op, IsNodeOp(node, names, BoolT))
            if op.kind_name in ("is_not", "ne", "not_in"):
                test = insert_value(op, UnaryOp("not", test, BoolT))
            replace(op, [test])
            return True
    members = [one for one in known.of(node) if one in may]
    others = may - {NONE_NAME, *members}
    if not known.asks(op, node) or (others and not known.raises(op, node, others)):
        return False
    if others and not members:
        return False
    _choose(op, node, members or known.of(node)[:1], NONE_NAME in may, bool(others))
    return True


_ASKS = (
    *(CallOp, CompareOp, FormatOp, GetattrOp, InvokeOp, StoreSubscriptOp),
    *(SubscriptOp, ToBoolOp, UnaryOp),
)
_CALLED = ("builtins.getattr", "builtins.hasattr")
_OF_DATA = ("builtins.bool", "builtins.format", "builtins.repr", "builtins.str")


_PLAIN = (ObjectRef, bool, int, float, str)


class EnumMembers:
    """Which members of enums nodes are, and what these are besides."""

    def __init__(self, datatypes: Mapping[str, Datatype], environment: Environment):
        self._datatypes = datatypes
        self._environment = environment
        enums = (one for one in datatypes.values() if one.is_enum)
        self._all = {name for enum in enums for name in enum.constructors}

    def of(self, value: SSAValue) -> list[str]:
        """The members that a value may be by its type, in order; []: it is none."""
        kind = value.type
        if not isinstance(kind, NodeType) or not self._all:
            return []
        datatype = self._datatypes.get(kind.datatype.data)
        names = () if datatype is None else datatype.constructors
        found = [name for name in names if name in self._all]
        return found if self._environment.paths >= set(found) else []

    def data(self, name: str) -> object:
        """The number or text that a member is; MISSING: it is none."""
        return self._environment.members(name).get("__data__", MISSING)

    def are_data(self, value: SSAValue) -> bool:
        """Whether a value is a member that is a number or text, or None."""
        kind, members = value.type, self.of(value)
        if not members or not isinstance(kind, NodeType):
            return False
        is_enum = self._datatypes[kind.datatype.data].is_enum
        return is_enum and self.data(members[0]) is not MISSING

    def asks(self, op: Operation, node: SSAValue) -> bool:
        """Whether an op asks a member, and not the number or text that it may be."""
        is_data = self.are_data(node)
        match op:
            case CallOp():
                name = constant_name(op.callee)
                return name in _CALLED or (is_data and name in _OF_DATA)
            case InvokeOp():
                return _looks_up(op, node)
            case StoreSubscriptOp() | SubscriptOp():
                is_dict = not is_data or self.is_dict(op.operands[0])
                return op.index is node and is_dict
            case UnaryOp() | ToBoolOp():
                return is_data
            case _:
                return True

    def compared(
        self, op: CompareOp, node: SSAValue, may: set[str]
    ) -> list[str] | None:
        """The constructors that a comparison asks for, "None" included, in order; None:
        it is not known which."""
        several = _asked_for(op, node)
        if several is None or MISSING in several:
            return None
        members, others = self.of(node), may - {NONE_NAME, *self.of(node)}
        is_plain = all(one is None or isinstance(one, _PLAIN) for one in several)
        if (others or self.are_data(node)) and not is_plain:
            return None  # which may equal a number
        names = {one.path for one in several if isinstance(one, ObjectRef)}
        if op.kind_name not in ("is", "is_not"):
            data = [self._data_of(one) for one in several]
            if others and set(data) != {MISSING}:
                return None  # a number that is no member may equal one
            equal = {one: self.data(one) for one in members}
            names |= {n for n, d in equal.items() if d is not MISSING and d in data}
        if others and not names <= {*members}:
            return None
        found = [one for one in members if one in names]
        return [*found, NONE_NAME] if None in several else found

    def raises(self, op: Operation, node: SSAValue, others: Iterable[str]) -> bool:
        """Whether an op of one of these, no members, raises what `_of_none` says."""
        if not BASES.keys() >= set(others):
            return False
        if isinstance(op, SubscriptOp):
            return op.index is node and self.is_dict(op.operand)
        return isinstance(op, GetattrOp) and op.attribute.data in ("name", "value")

    def is_dict(self, value: SSAValue) -> bool:
        """Whether a value is known to be a dict."""
        known = constant_value(value)
        if isinstance(known, ObjectRef):
            return "builtins.dict" in self._environment.classes(known)
        return isinstance(value.owner, DictOp) or isinstance(known, dict)

    def _data_of(self, value: object) -> object:
        """The number or text that a constant is; MISSING: it is none."""
        if isinstance(value, ObjectRef):
            return self._environment.members(value.path).get("__data__", MISSING)
        return value if isinstance(value, _PLAIN) else MISSING


def _asked_for(op: CompareOp, node: SSAValue) -> list[object] | None:
    """What a node is compared with, MISSING where that is not known; None: it is not
    compared by identity or equality."""
    other = op.rhs if op.lhs is node else op.lhs
    if op.kind_name in ("is", "is_not", "eq", "ne"):
        return [constant_value(other)]
    if op.kind_name not in ("in", "not_in") or op.lhs is not node:
        return None
    if isinstance(other.owner, (TupleOp, ListOp)):
        return [constant_value(item) for item in other.owner.operands]
    known = constant_value(other)
    is_several = isinstance(known, (tuple, list, set, frozenset, dict))
    return [*cast("Iterable[object]", known)] if is_several else [MISSING]


def _looks_up(op: InvokeOp, node: SSAValue) -> bool:
    """Whether a method is one of the member, or gives what a dict has for it."""
    is_get = op.method.data == "get" and node is op.operands[1]
    return op.receiver is node or (
        is_get and not isinstance(constant_value(op.receiver), ObjectRef)
    )


def _choose(
    op: Operation,
    node: SSAValue,
    members: Sequence[str],
    may_be_none: bool,
    may_be_other: bool,
) -> None:
    """Do an op with the member that a node is, which an `if` for each asks."""
    *others, last = members
    if may_be_none or may_be_other:
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
    """What an op gives where there is no member but None, or what raises as None."""
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
