"""Memory that two elements share.

`y[i] = y[j]` may read what it writes: torch refuses that, or leaves it open. In what
`expand` or `unfold` gives, several elements are one: a write to one of them changes
the others, and torch refuses most writes to it.
"""

import math
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from dycl.analysis.dynamic_sizes.slices import is_ellipsis
from dycl.analysis.tensors.abstract import Scalar, Tensor, Unbound, Unknown, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import CallOp, InvokeOp, SubscriptOp, UpdateSubscriptOp
from dycl.ir.constant_values import constant_name
from dycl.ir.updates import is_basic

_LIMIT = 1 << 22
"""Tensors of more elements are not tried."""

_REPEATING = ("expand", "expand_as", "broadcast_to", "unfold", "as_strided")


def overlaps_itself(tensor: object) -> bool:
    """Whether two elements of a tensor may share memory, as after `expand`."""
    if not isinstance(tensor, Tensor) or 0 in tensor.shape:
        return False
    sizes = [size for size in tensor.shape if isinstance(size, int)]
    reach = 0
    for step, size in sorted(zip(tensor.strides, sizes, strict=False)):
        if size > 1:
            if step <= reach:
                return True
            reach += step * (size - 1)
    return False


def is_expanded(value: SSAValue, tensor: object) -> bool:
    """Whether a tensor of sizes that a run decides is made by an op that repeats
    elements: of such a tensor the strides are not known."""
    if not isinstance(tensor, Tensor) or tensor.strides or not tensor.shape:
        return False
    match value.owner:
        case InvokeOp() as op:
            name = op.method.data
        case CallOp() as op:
            name = constant_name(op.callee).rpartition(".")[2]
        case _:
            return False
    return name in _REPEATING


def is_apart(op: UpdateSubscriptOp, inference: Inference) -> bool:
    """Whether the item written and the item stored, of the same tensor, are disjoint.

    Found by numbering the elements. Of subscripts that the input decides, those of two
    rows, `y[i] = y[j]`, are apart, or one row, which stays as it is.
    """
    read = _subscripts(op.value, op.operand, inference)
    written = [inference.of(index) for index in op.path]
    if read is not None and all(map(_is_one_row, (read, written))):
        return True
    return read is not None and _are_apart(inference.of(op.operand), read, written)


def _is_one_row(subscripts: Sequence[object]) -> bool:
    """Whether subscripts are one number: a known one, the run's, or in a tensor."""
    if len(subscripts) != 1:
        return False
    match subscripts[0]:
        case bool():
            return False
        case int() | Scalar("int"):
            return True
        case Tensor(shape=()) as index:
            return isinstance(index.dtype, IntegerType) and index.dtype.width.data > 8
        case _:
            return False


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
    if not all(map(is_basic_index, (*read, *written))):
        return False
    # What is one element wide stands for any number of them: what of it is in an item
    # is then all of it, so items that have nothing in common there never have.
    shape = [size if isinstance(size, int) else 1 for size in tensor.shape]
    is_open = shape != list(tensor.shape)
    numbers = math.prod(shape)
    if numbers > _LIMIT:
        return False
    places = torch.arange(numbers).reshape(shape)
    source, target = places, places
    try:
        for index in read:
            source = source[cast(int, _plain(index))]
        for index in written:
            target = target[cast(int, _plain(index))]
    except IndexError:
        return False
    if is_open and not (source.numel() and target.numel()):
        return False  # such as `y[1:]`, of which there may be more
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
    return known and is_basic(_plain(index))


def _plain(index: object) -> object:
    """A subscript with Python's own `...` in it."""
    if isinstance(index, tuple):
        return tuple(map(_plain, cast("tuple[object, ...]", index)))
    return ... if is_ellipsis(index) else index
