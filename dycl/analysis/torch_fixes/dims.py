"""Dimensions counted from the front: `softmax(x, -1)` of a matrix is along dim 1.

torch-mlir ends the process on a negative dim of `scatter`, and reads others in its own
way. All ops are given them as torch would: one place instead of a rule for each op.
"""

from typing import Any, cast

_NAMES = ("dim", "dims", "dim0", "dim1", "dim2", "dimension", "start_dim", "end_dim")
"""What aten's schemas call a dimension of a tensor, or several."""
_OF_RESULT = (
    *("aten::unsqueeze", "aten::unsqueeze_copy", "aten::stack"),
    *("aten::cat", "aten::concat", "aten::diag_embed", "aten::one_hot"),
)
"""Ops whose dims are those of what they give."""


def from_front(name: str, value: Any, node: Any) -> Any:
    """The operand `name` of an fx node's op, a dim or a list of them from the front.

    Operands that are no dims, and dims that are not known, are given back as they are.
    """
    if name not in _NAMES:
        return value
    if isinstance(value, (list, tuple)):
        dims = cast("list[Any]", value)
        return type(dims)(from_front(name, dim, node) for dim in dims)
    if type(value) is not int or value >= 0:
        return value
    return value + max(_rank(node), 1)


def _rank(node: Any) -> int:
    """The rank that dims of an op refer to."""
    if node.target._schema.name in _OF_RESULT:
        return node.meta["val"].dim()
    return node.all_input_nodes[0].meta["val"].dim()
