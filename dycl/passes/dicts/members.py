"""What each use of a set is, where it is a list of its members.

Before                         After
------                         -----
%s = dycl.call %set()          %0 = dycl.sequence()
%c = dycl.compare in %x, %s    %l = dycl.call %list(%0)
dycl.return %c                 %c = dycl.call %has(%l, %x)
                               dycl.return %c

In which order a set is gone over is Python's own affair: a loop over one is left alone.
"""

from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    InplaceOp,
    InvokeOp,
    LocalCallOp,
    RecordOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.interfaces import forwarded_to
from dycl.ir.records import CALL, RecordType
from dycl.ir.rewriting import insert_value, replace
from dycl.passes.aggregates.uses import is_returned
from dycl.passes.dicts.tables import COMPARED, SET_OPERATORS, Table
from dycl.passes.dicts.uses import Rewrite, new_list, ours

_SET = RecordType("builtins.set", CALL, ("items",))
_ORDERLESS = frozenset(
    f"builtins.{name}" for name in ("all", "any", "bool", "len", "max", "min", "sorted")
)
"""Functions to which it does not matter in which order numbers and texts come."""
_METHODS = {
    "add": "add",
    "discard": "discard",
    "remove": "remove_member",
    "update": "add_each",
}


def how(use: Use, table: Table) -> Rewrite | None:
    """What writes a use of a set anew, for the list of its members; None: nothing."""
    op, index = use.operation, use.index
    match op:
        case InvokeOp() if index == 0 and not op.keyword_names:
            return _method(op, table)
        case InvokeOp() if op.method.data == "update" and not op.keyword_names:
            return lambda: None
        case CompareOp() if index == 1 and op.kind_name in ("in", "not_in"):
            return lambda: _asked(op, "has", op.rhs, op.lhs, op.kind_name == "not_in")
        case CompareOp() if op.kind_name in COMPARED:
            if any(operand not in table.names for operand in op.operands):
                return None
            kind = COMPARED[op.kind_name]
            if index == 1:
                return lambda: None
            return lambda: _asked(op, kind, op.lhs, op.rhs, op.kind_name == "ne")
        case BinaryOp() if op.kind_name in SET_OPERATORS and index == 0:
            name = SET_OPERATORS[op.kind_name]
            return lambda: replace(op, [ours(op, name, *op.operands)])
        case BinaryOp() if op.kind_name in SET_OPERATORS:
            return lambda: None
        case InplaceOp() if index == 0 and op.kind_name == "or":
            return lambda: _added(op)
        case InplaceOp() if index == 1 and op.kind_name == "or":
            return lambda: None
        case ToBoolOp():
            return lambda: None
        case CallOp() if index > 0 and not op.keyword_names:
            is_asked = constant_name(op.callee) in _ORDERLESS
            return (lambda: None) if is_asked else None
        case LocalCallOp():
            is_given = op.function.params[index] in table.names
            return (lambda: None) if is_given else None
        case _ if is_returned(use):
            return lambda: _returned(use)
        case _ if forwarded_to(op, index):
            return lambda: None
        case _:
            return None


def make_members(maker: Operation) -> SSAValue:
    """The list in the place of what makes a set, in front of it."""
    result = new_list(maker)
    assert isinstance(maker, CallOp)
    if maker.positional:
        ours(maker, "add_each", result, maker.positional[0])
    return result


def _method(op: InvokeOp, table: Table) -> Rewrite | None:
    method, given = op.method.data, list(op.arguments)
    if method == "clear" and not given:
        return lambda: None
    if method in _METHODS and len(given) == 1:
        return lambda: replace(op, [ours(op, _METHODS[method], op.receiver, *given)])
    return None


def _asked(
    op: CompareOp, name: str, one: SSAValue, other: SSAValue, is_negated: bool
) -> None:
    found = ours(op, name, one, other)
    if is_negated:
        found = insert_value(op, UnaryOp("not", found))
    replace(op, [found])


def _added(op: InplaceOp) -> None:
    ours(op, "add_each", op.lhs, op.rhs)
    replace(op, [op.lhs])


def _returned(use: Use) -> None:
    op = use.operation
    parts = insert_value(op, TupleOp([op.operands[use.index]]))
    op.operands[use.index] = insert_value(op, RecordOp(parts, _SET))
