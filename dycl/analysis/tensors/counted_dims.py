"""`torch.unique(x, dim=-1)`: torch's fake tensors take a negative dim for another.

The result of `x[..., 8]` has the shape `[..., n]`; to them it is `[..., n, ..., 8]`, as
they go on behind `dim + 1`. So such a dim is counted from the front before they see it.
"""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.ir import Operation

from dycl.ir import CallOp, InvokeOp
from dycl.ir.values import GlobalRef

_PLACES = {"unique": 4, "unique_consecutive": 3}
"""The functions, and where `dim` stands among the arguments, the tensor included."""


def from_the_front(op: Operation, operands: Sequence[object]) -> Sequence[object]:
    """The operands with a dim of zero or more, if it is one of these functions."""
    if isinstance(op, InvokeOp):
        name, first = op.method.data, 0
    elif isinstance(op, CallOp) and isinstance(operands[0], GlobalRef):
        owner, _, name = operands[0].name.rpartition(".")
        name, first = (name if owner in ("torch", "torch.functional") else ""), 1
    else:
        return operands
    if name not in _PLACES or len(operands) <= first:
        return operands
    tensor, names = cast(Any, operands[first]), op.keyword_names
    place = first + _PLACES[name]
    if "dim" in names:
        place = len(operands) - len(names) + list(names).index("dim")
    elif place >= len(operands) - len(names):
        return operands
    dim = operands[place]
    if type(dim) is not int or dim >= 0 or not hasattr(tensor, "ndim"):
        return operands
    return [*operands[:place], dim + tensor.ndim, *operands[place + 1 :]]
