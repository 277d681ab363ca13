"""How the values of many rows lie in one: the types of batches, and who has none.

A value of one row        the same of ? rows
------------------        ------------------
!torch.vtensor<[1,8],f32> !torch.vtensor<[?,8],f32>
!torch.vtensor<[3,8],f32> !torch.vtensor<[?,3,8],f32>
!torch.vtensor<[],i1>     !torch.vtensor<[?],i1>
!torch.int                !torch.vtensor<[?],si64>

The elements of a row lie together, in the order that they have in eager. So a batch
`[?,8]` can be seen as `[?,1,8]` without a copy.
"""

from typing import cast

from xdsl.dialects.builtin import IntegerType, Signedness, f64, i1
from xdsl.ir import Attribute, Operation

from dycl.ir.torch import DYNAMIC, BoolT, FloatT, IntT, VTensorType

si64 = IntegerType(64, Signedness.SIGNED)
Sizes = tuple[int, ...]

_NUMBERS: dict[Attribute, Attribute] = {BoolT: i1, IntT: si64, FloatT: f64}


class CannotRegroup(Exception):
    """Rows cannot be computed together at an op, and `why`."""

    def __init__(self, op: Operation, why: str):
        super().__init__(why)
        self.op = op
        self.why = why


def tail_of(sizes: Sizes) -> Sizes:
    """The sizes behind the rows, in the batch of a tensor that has `sizes` in a row."""
    return sizes[1:] if sizes[:1] == (1,) else sizes


def batch_of(tail: Sizes, dtype: Attribute) -> VTensorType:
    """The type of a batch with these sizes behind the rows."""
    return VTensorType.of((DYNAMIC, *tail), dtype)


def batched(one: Attribute) -> VTensorType | None:
    """The type that a value of one row has for many; None: there is none."""
    if one in _NUMBERS:
        return batch_of((), _NUMBERS[one])
    if not isinstance(one, VTensorType) or not one.is_fully_typed():
        return None
    sizes = cast(Sizes, one.sizes())
    if DYNAMIC in sizes:
        return None
    return batch_of(tail_of(sizes), cast(Attribute, one.element_type()))


def tail_in(batch: Attribute) -> Sizes:
    """The sizes behind the rows of a batch."""
    assert isinstance(batch, VTensorType)
    return cast(Sizes, batch.sizes())[1:]


def dtype_in(tensor: Attribute) -> Attribute:
    """The element type of a tensor that is fully typed."""
    assert isinstance(tensor, VTensorType)
    return cast(Attribute, tensor.element_type())
