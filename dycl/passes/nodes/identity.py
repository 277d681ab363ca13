"""Whether two nodes are one and the same, and which one a node is.

Before                               After
------                               -----
%left = dycl.getattr %node "left"    %left = dycl.field %node "left"
%p = dycl.compare is %left, %node    %p = dycl.same_node %left, %node
dycl.return %p                       dycl.return %p

Before                               After
------                               -----
%a = dycl.call %id(%node)            %a = dycl.identity %node
%b = dycl.call %id(%node)            %b = dycl.identity %node
%p = dycl.compare ne %a, %b          %q = dycl.same_node %a, %b
dycl.return %p                       %p = dycl.unary not %q
                                     dycl.return %p

A node that several others lead to is one node of a run. A number, text or tensor is
not: Python may have it once or twice. So are keys of a dict found, `memo[id(node)]`,
and `memo[node]`, if the class has no `__eq__`. Nothing else is asked of an
`id`, which is another number in each run.
"""

from collections.abc import Mapping

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.diag import remark
from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    IdentityOp,
    NodeType,
    RaiseOp,
    SameNodeOp,
    UnaryOp,
)
from dycl.ir.builtin_nodes import LEAVES
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.datatypes import Datatype, identity_type, is_identity
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.rewriting import insert_constant, insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.values import GlobalRef, to_attr
from dycl.ir.walking import outwards
from dycl.passes.nodes.members import NodeMembers
from dycl.passes.nodes.narrowing import constructors_at


def compare_identity(op: CompareOp, datatypes: Mapping[str, Datatype]) -> None:
    """Put `dycl.same_node` in the place of `is` or `is not` between two nodes."""
    if (why := _cannot(op, datatypes)) is not None:
        remark(op, "not matched", why)
        return
    _compare(op)


def compare_keys(
    op: CompareOp, datatypes: Mapping[str, Datatype], members: NodeMembers
) -> bool:
    """The same for `==` and `!=` of nodes that are equal if they are one; False: they
    may be others."""
    if _cannot(op, datatypes) is not None:
        return False
    may = {c for side in op.operands for c in constructors_at(side, op, datatypes)}
    if not all(map(members.is_key, may - {NONE_NAME})):
        return False
    _compare(op)
    return True


def of_identity(op: Operation, datatypes: Mapping[str, Datatype]) -> bool:
    """Answer what `id` of a node is asked, and `id` itself; False: it is no such op."""
    if isinstance(op, CallOp) and constant_name(op.callee) == "builtins.id":
        if len(op.operands) == 2 and not op.keyword_names:
            _identify(op, datatypes)
        return True
    if not any(is_identity(value.type) for value in op.operands):
        return False
    match op:
        case CompareOp() if op.kind_name in ("eq", "ne") and op.lhs.type == op.rhs.type:
            _compare(op)
        case CallOp() if constant_name(op.callee) == "builtins.isinstance":
            wanted = constant_value(op.operands[2])
            if isinstance(wanted, GlobalRef) and wanted.name not in _CLASSES_OF_INT:
                replace(op, ConstantOp(to_attr(False)))
        case _:
            pass
    return True


_CLASSES_OF_INT = ("builtins.int", "builtins.object")


def name_key(op: RaiseOp) -> None:
    """What `KeyError` says of a node: Python says where it is in memory."""
    for index, value in enumerate(op.operands):
        if isinstance(value.type, NodeType):
            what = f"a {value.type.datatype.data.rpartition('.')[2]}"
            op.operands[index] = insert_constant(op, what)


def _compare(op: CompareOp) -> None:
    same = insert_value(op, SameNodeOp(op.lhs, op.rhs, BoolT))
    if op.kind_name in ("is_not", "ne"):
        same = insert_value(op, UnaryOp("not", same, BoolT))
    replace(op, [same])


def _identify(op: CallOp, datatypes: Mapping[str, Datatype]) -> None:
    node = op.operands[1]
    if not isinstance(node.type, NodeType) or node.type.datatype.data not in datatypes:
        return
    if (why := _no_single(op, node, datatypes)) is not None:
        remark(op, "not matched", why)
        return
    replace(op, IdentityOp(node, identity_type(node.type)))


def _cannot(op: CompareOp, datatypes: Mapping[str, Datatype]) -> str | None:
    """The reason to leave a comparison alone, or None."""
    kind = op.lhs.type
    if not isinstance(kind, NodeType) or kind != op.rhs.type:
        return "these are not two nodes of one tree"
    if all(_no_single(op, side, datatypes) is not None for side in op.operands):
        return _no_single(op, op.lhs, datatypes)
    return _of_several(op, kind)


def _no_single(
    op: Operation, node: SSAValue, datatypes: Mapping[str, Datatype]
) -> str | None:
    """Why it does not say which node one is, that it is the same object; or None."""
    if constructors_at(node, op, datatypes) & LEAVES.keys():
        return "they may be numbers, texts or tensors: ask by `isinstance`"
    return _of_several(op, node.type)


def _of_several(op: Operation, kind: object) -> str | None:
    """Whether a node of a type may be that of another tree, which is read apart."""
    around = next((one for one in outwards(op) if isinstance(one, FuncOp)), None)
    inputs = () if around is None else around.body.block.args
    if sum(one.type == kind for one in inputs) > 1:
        return "each of the trees that the network is given has nodes of its own"
    return None
