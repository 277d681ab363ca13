"""Nodes whose class says itself what `node[i]`, `c in node` and `len(node)` are.

Before                           After
------                           -----
%y = dycl.subscript %node[%k]    %p = dycl.is_node %node ["None"]
dycl.return %y                   dycl.if %p {
                                   %t = dycl.constant "'NoneType' object is not subscriptable"
                                   dycl.raise "builtins.TypeError"(%t)
                                 }
                                 %y = dycl.invoke %node "__getitem__"(%k)
                                 dycl.return %y

A loop goes over what `__iter__` gives, `in` is the truth of what `__contains__` does. A
node of a class with a `__len__` is true where that is not 0.
"""  # noqa: E501

from collections.abc import Mapping

from xdsl.ir import Operation, Region, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    ForOp,
    IfOp,
    InvokeOp,
    IsNodeOp,
    NodeType,
    SliceOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.builtin_nodes import BASES
from dycl.ir.constant_values import constant_name
from dycl.ir.datatypes import Datatype
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.values import to_attr
from dycl.passes.nodes.members import NodeMembers, yielding
from dycl.passes.nodes.narrowing import constructors_at
from dycl.passes.nodes.numbers import raise_of_none

_NONE = "'NoneType' object"
_NOT = {
    "__contains__": "no container",
    "__getitem__": "not subscriptable",
    "__iter__": "not iterable",
}
_NO_LENGTH = "object of type 'NoneType' has no len()"


def of_special(
    op: Operation, datatypes: Mapping[str, Datatype], members: NodeMembers
) -> bool:
    """Call the method that an op means; False: it means none, or not of all classes."""

    def has(node: SSAValue, name: str) -> bool:
        kind = node.type
        if not isinstance(kind, NodeType) or kind.datatype.data not in datatypes:
            return False
        may = constructors_at(node, op, datatypes)
        classes = may - {NONE_NAME}
        if not classes or not all(members.has_method(one, name) for one in classes):
            return False
        if NONE_NAME in may:
            what = f"{_NONE} is {_NOT[name]}" if name in _NOT else _NO_LENGTH
            raise_of_none(op, node, what)
        return True

    match op:
        case SubscriptOp() if not isinstance(op.index.owner, SliceOp) and has(
            op.operand, "__getitem__"
        ):
            replace(op, InvokeOp(op.operand, "__getitem__", [op.index]))
        case ForOp() if has(op.iterable, "__iter__"):
            new = insert_value(op, InvokeOp(op.iterable, "__iter__", []))
            op.operands[0] = new
        case CompareOp() if op.kind_name in ("in", "not_in") and has(
            op.rhs, "__contains__"
        ):
            called = insert_value(op, InvokeOp(op.rhs, "__contains__", [op.lhs]))
            found = insert_value(op, ToBoolOp(called))
            if op.kind_name == "not_in":
                found = insert_value(op, UnaryOp("not", found))
            replace(op, [found])
        case CallOp() if _calls(op, "builtins.len") and has(op.operands[1], "__len__"):
            replace(op, InvokeOp(op.operands[1], "__len__", []))
        case ToBoolOp() | UnaryOp() | CallOp():
            return _of_truth(op, datatypes, members)
        case _:
            return False
    return True


def _of_truth(
    op: ToBoolOp | UnaryOp | CallOp,
    datatypes: Mapping[str, Datatype],
    members: NodeMembers,
) -> bool:
    """Ask nodes for their length where their truth is asked, if classes have one."""
    is_call = isinstance(op, CallOp)
    if is_call and not _calls(op, "builtins.bool"):
        return False
    if isinstance(op, UnaryOp) and op.kind_name != "not":
        return False
    node = op.operands[1 if is_call else 0]
    kind = node.type
    if not isinstance(kind, NodeType) or kind.datatype.data not in datatypes:
        return False
    classes = sorted(constructors_at(node, op, datatypes) - {NONE_NAME})
    with_length = [one for one in classes if members.has_method(one, "__len__")]
    if not with_length or not BASES.keys().isdisjoint(classes):
        return False
    length = InvokeOp(node, "__len__", [])
    truth = ToBoolOp(length.result)
    texts = {"test": to_attr("the node has a length")}
    measured = yielding(op, [length, truth], truth.result)
    there = insert_value(op, IsNodeOp(node, [NONE_NAME], BoolT))
    is_there = UnaryOp("not", there, BoolT)
    other = yielding(op, [is_there], is_there.result)
    test = insert_value(op, IsNodeOp(node, with_length, BoolT))
    sides = Region(measured), Region(other)
    found = insert_value(op, IfOp(test, [VALUE], *sides, texts))
    if isinstance(op, UnaryOp):
        found = insert_value(op, UnaryOp("not", found))
    replace(op, [found])
    return True


def _calls(op: CallOp, name: str) -> bool:
    """Whether an op calls a function of Python's on one thing."""
    is_plain = len(op.operands) == 2 and not op.keyword_names
    return is_plain and constant_name(op.callee) == name
