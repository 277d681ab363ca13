"""Whether `y[i] = y[j]` reads what it writes: torch refuses that, or leaves it open."""

import math
from collections.abc import Sequence
from typing import cast

from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import Scalar, Tensor, Unbound, Unknown, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import SubscriptOp, UpdateSubscriptOp
from dycl.ir.updates import is_basic

_LIMIT = 1 << 22
"""Tensors of more elements are not tried."""


def is_apart(op: UpdateSubscriptOp, inference: Inference) -> bool:
    """Whether the item written and the item stored, of the same tensor, are disjoint.

    Found by numbering the elements; subscripts that the input decides are not apart.
    """
    read = _subscripts(op.value, op.operand, inference)
    written = [inference.of(index) for index in op.path]
    return read is not None and _are_apart(inference.of(op.operand), read, written)


def are_apart(one: SSAValue, other: SSAValue, inference: Inference) -> bool:
    """Whether two parts of one tensor, each by subscripts, have no element in common.

    What is not found to be apart may overlap.
    """
    root = one
    while isinstance(root.owner, SubscriptOp):
        root = root.owner.operand
    read = _subscripts(one, root, inference)
    written = _subscripts(other, root, inference)
    if read is None or written is None:
        return False
    return _are_apart(inference.of(root), read, written)


def _are_apart(
    tensor: object, read: Sequence[object], written: Sequence[object]
) -> bool:
    import torch

    if not isinstance(tensor, Tensor):
        return False
    shape = [size for size in tensor.shape if isinstance(size, int)]
    if len(shape) != len(tensor.shape):
        return False
    numbers = math.prod(shape)
    if numbers > _LIMIT or not all(map(is_basic_index, (*read, *written))):
        return False
    places = torch.arange(numbers).reshape(shape)
    source, target = places, places
    for index in read:
        source = source[cast(int, index)]
    for index in written:
        target = target[cast(int, index)]
    return not bool(torch.isin(source.reshape(-1), target.reshape(-1)).any())


def _subscripts(
    value: SSAValue, tensor: SSAValue, inference: Inference
) -> list[object] | None:
    """The subscripts that lead from a tensor to a view of it, or None."""
    result: list[object] = []
    while value is not tensor:
        op = value.owner
        if not isinstance(op, SubscriptOp):
            return None
        result.insert(0, inference.of(op.index))
        value = op.operand
    return result


def is_basic_index(index: object) -> bool:
    """Whether a subscript is known, and gives a view."""
    known = not any(
        isinstance(x, (Scalar, Tensor, Unknown, Unbound)) for x in leaves(index)
    )
    return known and is_basic(index)
