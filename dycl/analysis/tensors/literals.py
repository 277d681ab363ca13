"""`torch.tensor([a, [b, 1.0]])` where some items are tensors, as the ops that make it.

torch reads such items as numbers, which fake tensors do not have. Here they are laid
out beside one another; they must be of rank 0. torch is imported in the functions.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any, TypeGuard

from xdsl.ir import Operation

from dycl.analysis.tensors.abstract import leaves
from dycl.ir import CallOp
from dycl.ir.values import GlobalRef

_NAMES = (GlobalRef("torch.tensor"), GlobalRef("torch.as_tensor"))


def is_of_tensors(op: Operation, operands: Sequence[object]) -> TypeGuard[CallOp]:
    """Whether a call makes a tensor of a list in which there are tensors."""
    if not isinstance(op, CallOp) or operands[0] not in _NAMES or len(operands) < 2:
        return False
    data = operands[1]
    return isinstance(data, (list, tuple)) and any(map(_is_tensor, leaves(data)))


def tensor(data: Any, dtype: Any = None, device: Any = None, **rest: Any) -> Any:
    """What `torch.tensor` gives of them. Raises ValueError, as it does."""
    import torch

    items: list[Any] = list(leaves(data))
    if any(_is_tensor(item) and item.dim() for item in items):
        raise ValueError("only one element tensors can be converted to Python scalars")
    if dtype is None:
        dtype = reduce(torch.promote_types, map(_dtype, items))
    parts = [
        item.to(dtype) if _is_tensor(item) else torch.tensor(item, dtype=dtype)
        for item in items
    ]
    return torch.stack(parts).reshape(_shape(data))


def _is_tensor(value: object) -> bool:
    return hasattr(value, "untyped_storage")


def _dtype(item: Any) -> Any:
    import torch

    return item.dtype if _is_tensor(item) else torch.tensor(item).dtype


def _shape(data: Any) -> tuple[int, ...]:
    """The sizes of lists within lists. Raises ValueError where they differ."""
    if not isinstance(data, (list, tuple)):
        return ()
    rows: list[Any] = list(data)
    shapes = {_shape(row) for row in rows}
    if len(shapes) != 1:
        raise ValueError("the rows of a tensor are of different length")
    return (len(rows), *shapes.pop())
