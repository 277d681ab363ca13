"""What chooses elements as a list of ints does: `x[range(n), 0]`, `x[~torch.eye(4)]`.

A range between brackets is the list of its ints. A mask that is known is the places of
its truths, one list for each of its dims, so that the size of the result is known.
Bounds of slices that are tensors of an int are read, for `y[:k] += v` once.
"""

from collections.abc import Sequence
from itertools import product

from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import Tensor, from_type
from dycl.ir import (
    CallOp,
    ConstantOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.torch import VTensorType
from dycl.ir.values import TensorConstant
from dycl.passes.builtins.items import Site
from dycl.passes.builtins.sizes import as_int


def index(site: Site, op: SubscriptOp | StoreSubscriptOp) -> bool:
    """Lists in place of ranges and known masks by which a tensor is read or written."""
    if not isinstance(op.operands[0].type, VTensorType):
        return False
    if isinstance(op, StoreSubscriptOp) and (same := _read_before(op)) is not None:
        op.operands[1] = same
    index = op.operands[1] = _with_bounds(site, op.operands[1])
    if isinstance(index.owner, TupleOp):
        given = list(index.owner.items)
        items = [new for item in given for new in _listed(site, item)]
        if items == given:
            return False
        op.operands[1] = site.add(TupleOp(items))
        return True
    items = _listed(site, index)
    if items == [index]:
        return False
    op.operands[1] = items[0] if len(items) == 1 else site.add(TupleOp(items))
    return True


def _with_bounds(site: Site, index: SSAValue) -> SSAValue:
    """The index with ints for tensors of one int as bounds of slices."""
    match index.owner:
        case TupleOp(items=given):
            items = [_with_bounds(site, item) for item in given]
            return index if items == list(given) else site.add(TupleOp(items))
        case SliceOp() as part:
            bounds = [as_int(site, bound) for bound in part.operands]
            return index if bounds == list(part.operands) else site.add(SliceOp(bounds))
        case _:
            return index


def _read_before(op: StoreSubscriptOp) -> SSAValue | None:
    """The slice by which `y[:k] += v` has read, with its bounds as ints; or None.

    Python asks a bound for its int again when it stores. It is the same where nothing
    but the addition is between the two, and that writes to floats, which are no int.
    """
    change = op.value.owner
    read = change.lhs.owner if isinstance(change, InplaceOp) else None
    if not isinstance(read, SubscriptOp) or read.operand is not op.operands[0]:
        return None
    part, asked = op.operands[1].owner, read.index.owner
    if not isinstance(part, SliceOp) or not isinstance(asked, SliceOp):
        return None
    tensor = from_type(op.operands[0].type)
    bounds = zip(part.operands, asked.operands, strict=True)
    is_same = all(one is two or _reads(two, one) for one, two in bounds)
    between = read.next_op
    while between is not None and (
        isinstance(between, ConstantOp | SliceOp) or between is change
    ):
        between = between.next_op
    is_float = isinstance(tensor, Tensor) and "float" in dtype_name(tensor.dtype)
    return read.index if is_same and is_float and between is op else None


def _reads(number: SSAValue, tensor: SSAValue) -> bool:
    """Whether a number is the one that is in a tensor."""
    owner = number.owner
    if not isinstance(owner, InvokeOp) or owner.method.data != "item":
        return False
    return owner.receiver is tensor


def masked_select(site: Site, op: InvokeOp) -> bool:
    """`x.masked_select(m)` by a known mask of the shape of `x` is `x[m]`."""
    receiver, mask = op.receiver.type, constant_value(op.arguments[0])
    if not isinstance(receiver, VTensorType) or not isinstance(mask, TensorConstant):
        return False
    if not _is_mask(mask) or tuple(receiver.sizes() or ()) != mask.shape:
        return False
    return site.done(site.add(SubscriptOp(op.receiver, op.arguments[0])))


def _listed(site: Site, value: SSAValue) -> Sequence[SSAValue]:
    """The lists that a value stands for as an index; else the value itself."""
    owner, mask = value.owner, constant_value(value)
    if isinstance(mask, TensorConstant) and _is_mask(mask):
        coordinates = product(*map(range, mask.shape))
        true = [p for p, taken in zip(coordinates, mask.data, strict=True) if taken]
        return [
            site.add(ListOp([site.constant(index[dim]) for index in true]))
            for dim in range(len(mask.shape))
        ]
    if isinstance(owner, CallOp) and constant_name(owner.callee) == "builtins.range":
        items = site.items(value)
        if items is not None:
            return [site.add(ListOp(site.values(items)))]
    return [value]


def _is_mask(value: TensorConstant) -> bool:
    return bool(value.shape) and dtype_name(value.dtype) == "bool"
