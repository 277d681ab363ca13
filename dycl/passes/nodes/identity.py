"""Whether two nodes are one and the same.

Before                               After
------                               -----
%left = dycl.getattr %node "left"    %left = dycl.field %node "left"
%p = dycl.compare is %left, %node    %p = dycl.same_node %left, %node
dycl.return %p                       dycl.return %p

A node that several others lead to is one node of a run. A number, text or tensor is
not: Python may have it once or twice.
"""

from collections.abc import Mapping

from xdsl.dialects.func import FuncOp

from dycl.diag import remark
from dycl.ir import CompareOp, NodeType, SameNodeOp, UnaryOp
from dycl.ir.builtin_nodes import LEAVES
from dycl.ir.datatypes import Datatype
from dycl.ir.rewriting import insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.walking import outwards
from dycl.passes.nodes.narrowing import constructors_at


def compare_identity(op: CompareOp, datatypes: Mapping[str, Datatype]) -> None:
    """Put `dycl.same_node` in the place of `is` or `is not` between two nodes."""
    if (why := _cannot(op, datatypes)) is not None:
        remark(op, "not matched", why)
        return
    same = insert_value(op, SameNodeOp(op.lhs, op.rhs, BoolT))
    if op.kind_name == "is_not":
        same = insert_value(op, UnaryOp("not", same, BoolT))
    replace(op, [same])


def _cannot(op: CompareOp, datatypes: Mapping[str, Datatype]) -> str | None:
    """The reason to leave a comparison alone, or None."""
    kind = op.lhs.type
    if not isinstance(kind, NodeType) or kind != op.rhs.type:
        return "these are not two nodes of one tree"
    if all(
        constructors_at(side, op, datatypes) & LEAVES.keys() for side in op.operands
    ):
        return "they may be numbers, texts or tensors: ask by `isinstance`"
    around = next((one for one in outwards(op) if isinstance(one, FuncOp)), None)
    inputs = () if around is None else around.body.block.args
    if sum(one.type == kind for one in inputs) > 1:
        return "each of the trees that the network is given has nodes of its own"
    return None
