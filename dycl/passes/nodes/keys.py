"""What a dict or a named tuple is asked that is a node: keys and places are fields.

Before                               After
------                               -----
%left = dycl.constant "left"         %left = dycl.constant "left"
%r = dycl.compare in %left, %tree    %r = dycl.has_field %tree "['left']"
%z = dycl.invoke %tree "get"(%left)  %z = dycl.getattr %tree "['left']"
dycl.return %r, %z                   dycl.return %r, %z

Values of such a dict are not None, so that what is not there is None. With a default,
`get` is an `if` on `dycl.has_field`.
"""

from collections.abc import Mapping

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.diag import remark
from dycl.ir import (
    CompareOp,
    ConstantOp,
    GetattrOp,
    HasFieldOp,
    IfOp,
    InvokeOp,
    NodeType,
    RaiseOp,
    SequenceType,
    SubscriptOp,
    UnaryOp,
    UnpackOp,
    YieldOp,
)
from dycl.ir.builtin_nodes import key_field
from dycl.ir.constant_values import constant_value
from dycl.ir.datatypes import Datatype
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.rewriting import append, insert_before, insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.values import to_attr
from dycl.passes.nodes.attributes import read_or
from dycl.passes.nodes.members import NodeMembers
from dycl.passes.nodes.narrowing import constructors_at


def of_dict(
    op: SubscriptOp | InvokeOp | CompareOp, datatypes: Mapping[str, Datatype]
) -> bool:
    """Whether an op asked a node for a key, which it reads as a field now."""
    match op:
        case SubscriptOp():
            node, key = op.operand, op.index
        case InvokeOp() if op.method.data == "get" and _is_of_one_key(op):
            node, key = op.receiver, op.operands[1]
        case CompareOp() if op.kind_name in ("in", "not_in"):
            node, key = op.rhs, op.lhs
        case _:
            return False
    text, kind = constant_value(key), node.type
    if not isinstance(text, str) or not isinstance(kind, NodeType):
        return False
    datatype = datatypes.get(kind.datatype.data)
    name = key_field(text)
    place = None if datatype is None else datatype.place(name)
    if datatype is None or place is None:
        return False
    is_list = isinstance(datatype.fields[place].type, SequenceType)
    if isinstance(op, InvokeOp) and len(op.operands) == 2 and is_list:
        remark(op, "not matched", "a list that may be None")
        return False
    if isinstance(op, InvokeOp) and len(op.operands) == 3:
        has = insert_value(op, HasFieldOp(node, name, BoolT))
        read_or(op, has, GetattrOp(node, name), op.operands[2])
        return True
    if isinstance(op, CompareOp):
        has = insert_value(op, HasFieldOp(node, name, BoolT))
        is_in = op.kind_name == "in"
        replace(op, [has if is_in else insert_value(op, UnaryOp("not", has, BoolT))])
        return True
    if isinstance(op, SubscriptOp):
        _raise_unless_there(op, node, name, text)
    replace(op, GetattrOp(node, name))
    return True


def _is_of_one_key(op: InvokeOp) -> bool:
    """Whether a call is given a key, and maybe a default."""
    return len(op.operands) in (2, 3) and not op.keyword_names


def of_named_tuple(
    op: SubscriptOp | UnpackOp, datatypes: Mapping[str, Datatype], members: NodeMembers
) -> bool:
    """Whether an op took a named tuple apart, whose fields it reads now."""
    node = op.operand
    if not isinstance(node.type, NodeType):
        return False
    may = constructors_at(node, op, datatypes) - {NONE_NAME}
    found = {members.items(one) for one in may}
    fields = found.pop() if len(found) == 1 else ()
    if isinstance(op, UnpackOp):
        if op.star is not None or len(op.items) != len(fields):
            return False
        replace(op, [insert_value(op, GetattrOp(node, name)) for name in fields])
        return True
    place = constant_value(op.index)
    if type(place) is not int or not -len(fields) <= place < len(fields):
        return False
    replace(op, GetattrOp(node, fields[place]))
    return True


def _raise_unless_there(op: Operation, node: SSAValue, name: str, key: str) -> None:
    """A KeyError where a dict has no such key."""
    has = insert_value(op, HasFieldOp(node, name, BoolT))
    is_missing = insert_value(op, UnaryOp("not", has, BoolT))
    fails, goes_on = Block(), Block()
    message = ConstantOp(to_attr(key))
    append(fails, message, source=op)
    append(fails, RaiseOp("builtins.KeyError", [message.result]), source=op)
    append(goes_on, YieldOp([]), source=op)
    texts = {"test": to_attr(f"{key!r} is no key")}
    insert_before(op, IfOp(is_missing, [], Region(fails), Region(goes_on), texts))
