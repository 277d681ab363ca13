"""Whether a node has an attribute at all: `hasattr`, and `getattr` with a default.

Before                               After
------                               -----
%left = dycl.constant "left"         %left = dycl.constant "left"
%r = dycl.call %hasattr(%node,       %r = dycl.has_attribute %node "left"
    %left)                           dycl.return %r
dycl.return %r

`getattr(node, "left", default)` is an `if` on this, that gives `node.left` or the
default. A call with a node that has what no node of its class has in the example is
refused (`dycl.runtime.trees`), so that the answer is what it is in eager.
"""

from collections.abc import Mapping

from xdsl.ir import Operation, Region, SSAValue

from dycl.diag import remark
from dycl.ir import (
    CallOp,
    GetattrOp,
    HasAttributeOp,
    IfOp,
    NodeType,
)
from dycl.ir.builtin_nodes import BASES, KEYS, TENSOR, is_attribute
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.datatypes import Datatype
from dycl.ir.rewriting import insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.values import to_attr
from dycl.passes.nodes.members import NodeMembers, yielding

_ARGUMENTS = {"builtins.hasattr": 2, "builtins.getattr": 3}


def of_attribute(
    op: CallOp, datatypes: Mapping[str, Datatype], members: NodeMembers
) -> bool:
    """Whether an op asked a node for an attribute by its name, which it matches now."""
    count = _ARGUMENTS.get(constant_name(op.callee))
    if len(op.arguments) != count or op.keyword_names:
        return False
    node, name = op.arguments[0], constant_value(op.arguments[1])
    if not isinstance(node.type, NodeType) or not isinstance(name, str):
        return False
    datatype = datatypes.get(node.type.datatype.data)
    if datatype is None:
        return False
    field = name + KEYS if datatype.has_table(name) else name
    place = datatype.place(field)
    if place is None or not is_attribute(field):
        return False
    is_hidden = members.hide(datatype, datatype.fields[place])
    if is_hidden or any(_has(one, name) for one in datatype.constructors):
        remark(op, "not matched", "other nodes have a member of this name")
        return False
    has = insert_value(op, HasAttributeOp(node, field, BoolT))
    if count == _ARGUMENTS["builtins.hasattr"]:
        replace(op, [has])
    else:
        read_or(op, has, GetattrOp(node, name), op.arguments[2])
    return True


def read_or(op: Operation, has: SSAValue, read: GetattrOp, default: SSAValue) -> None:
    """In the place of an op, what a node has under a name, or a default."""
    name = read.attribute.data
    is_key = not is_attribute(name)
    test = f"{name[1:-1]} is a key" if is_key else f"the node has `{name}`"
    texts = {"test": to_attr(test)}
    sides = yielding(op, [read], read.result), yielding(op, [], default)
    regions = Region(sides[0]), Region(sides[1])
    chosen = IfOp(has, [op.results[0].type], *regions, texts)
    replace(op, [insert_value(op, chosen)])


def _has(constructor: str, name: str) -> bool:
    """Whether a value of one of Python's own kinds has an attribute."""
    if constructor == TENSOR:
        import torch

        return hasattr(torch.Tensor, name)
    kind = constructor.removeprefix("builtins.")
    return constructor in BASES and hasattr(_KINDS.get(kind, object), name)


_KINDS: dict[str, type] = {
    one.__name__: one for one in (bool, int, float, str, tuple, list, dict)
}
