"""Nodes whose class says itself what `node[i]`, `for c in node` and `x in node` are.

Before                           After
------                           -----
%y = dycl.subscript %node[%k]    %p = dycl.is_node %node ["None"]
dycl.return %y                   dycl.if %p {
                                   %t = dycl.constant "'NoneType' object is not subscriptable"
                                   dycl.raise "builtins.TypeError"(%t)
                                 }
                                 %y = dycl.invoke %node "__getitem__"(%k)
                                 dycl.return %y

A loop goes over what `__iter__` gives, `in` is the truth of what `__contains__` does.
"""  # noqa: E501

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CompareOp,
    ForOp,
    InvokeOp,
    NodeType,
    SliceOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.datatypes import Datatype
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.rewriting import insert_value, replace
from dycl.passes.nodes.members import NodeMembers
from dycl.passes.nodes.narrowing import constructors_at
from dycl.passes.nodes.numbers import raise_of_none

_NONE = "'NoneType' object"
_NOT = {
    "__contains__": "no container",
    "__getitem__": "not subscriptable",
    "__iter__": "not iterable",
}


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
            raise_of_none(op, node, f"{_NONE} is {_NOT[name]}")
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
        case _:
            return False
    return True
