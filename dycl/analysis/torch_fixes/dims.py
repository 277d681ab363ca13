"""Dimensions as torch-mlir takes them: one place instead of a rule for each op.

They are counted from the front: `softmax(x, -1)` of a matrix is along dim 1. torch-mlir
ends the process on a negative dim of `scatter`, and reads others in its own way.

A tensor of rank 0 has a dim 0 for torch, and none for torch-mlir, which then refuses,
ends the process, or does not come back. Ops along it are written on one element.
"""

from collections.abc import Sequence
from typing import Any, cast

_NAMES = ("dim", "dims", "dim0", "dim1", "dim2", "dimension", "start_dim", "end_dim")
"""What aten's schemas call a dimension of a tensor, or several."""
_OF_RESULT = (
    *("aten::unsqueeze", "aten::unsqueeze_copy", "aten::stack"),
    *("aten::cat", "aten::concat", "aten::diag_embed", "aten::one_hot"),
)
"""Ops whose dims are those of what they give."""
_ALONG = frozenset(
    [
        *("softmax", "_softmax", "log_softmax", "_log_softmax", "softmin"),
        *("cumsum", "cumprod", "logcumsumexp", "logsumexp", "kthvalue"),
        *("argmax", "argmin", "max", "min", "amax", "amin", "aminmax"),
        *("prod", "var", "std", "var_mean", "std_mean", "any", "all"),
        "count_nonzero",
    ]
)
"""Ops along a dim that torch-mlir cannot do with a tensor of rank 0."""


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


def is_along_scalar(overload: Any, operands: Sequence[Any]) -> bool:
    """Whether an op is along a dim of its first operand, a tensor of rank 0."""
    name = overload._schema.name.removeprefix("aten::")
    if name not in _ALONG or not operands or not hasattr(operands[0], "dim"):
        return False
    takes_dim = any(a.name in ("dim", "dims") for a in overload._schema.arguments)
    return takes_dim and operands[0].dim() == 0


def along_element(overload: Any, args: Any, kwargs: Any) -> Any:
    """An op along the dim of a tensor of rank 0, as of a tensor of one element."""
    import torch
    from torch.utils._pytree import tree_map

    def widen(value: Any) -> Any:
        is_scalar = isinstance(value, torch.Tensor) and value.dim() == 0
        return value.reshape(1) if is_scalar else value

    def narrow(value: Any) -> Any:
        return value.reshape(()) if isinstance(value, torch.Tensor) else value

    mapped = cast(Any, tree_map)
    return mapped(narrow, overload(*mapped(widen, args), **mapped(widen, kwargs)))
