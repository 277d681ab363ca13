"""Elements at places that tensors say, for a batch.

one row                               many rows
-------                               ---------
%y = torch.aten.index.Tensor %x, [%i]   %f = torch.aten.flatten.using_ints %xb, 0, 1
                                        %j = torch.aten.add.Tensor %ib, %firsts, %one
                                        %y = torch.aten.index.Tensor %f, [%j]

Several indices become one, into a dimension that is all of those which they index. If
tensor and index both differ from row to row, the rows are in this dimension, too. What
is out of range has been found out before, by a check of its own.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from dycl.ir.torch import DYNAMIC, ListConstructOp, ListType, VTensorType
from dycl.passes.rows.batches import Sizes, batch_of, dtype_in, si64, tail_in
from dycl.passes.rows.emission import INT64, Emitter
from dycl.passes.rows.operands import Operands
from dycl.passes.rows.tensor_rules import rule


@rule("index.Tensor")
def indexed(given: Operands) -> list[SSAValue]:
    """`x[i, :, j]`."""
    return [taken_at(given, given.op.operands[0], _indices(given))]


@rule("index_put")
def put(given: Operands) -> list[SSAValue]:
    """A copy with other elements at places: of equal places the last, or all."""
    tensor, _, source, _ = given.op.operands
    places = Places(given, tensor, _indices(given))
    dtype = given.result_dtype()
    if dtype_in(source.type) != dtype or dtype == i1:
        raise given.cannot("its operands have several dtypes, or are truths")
    emit, rest = given.emit, (prod(places.others),)
    index = _in_rows(given, places.flat(), (prod(places.found), 1))
    tail = (prod(places.found), *rest)
    operands = [index, [emit.rows(index), *tail], False]
    index = emit.aten("expand", operands, batch_of(tail, si64))
    batch = emit.seen_as(places.in_front(given.in_front(tensor)), (places.size, *rest))
    values = emit.seen_as(_values(given, places, source), tail)
    name = "scatter_add" if given.constant(3) else "scatter.src"
    made = emit.aten(name, [batch, 1, index, values], batch.type)
    whole = emit.seen_as(made, (*places.indexed, *places.others))
    return [given.settled(_turned(emit, whole, places.back))]


@rule("one_hot")
def one_hot(given: Operands) -> list[SSAValue]:
    """1 at the place of a class, else 0."""
    value, emit = given.op.operands[0], given.emit
    *sizes, count = given.result_sizes()
    classes = emit.seen_as(given.in_front(value), (*sizes, 1))
    one = VTensorType.of((count,), si64)
    numbers = emit.aten("arange", [count, INT64, None, None, None], one)
    kind = batch_of((*sizes, count), i1)
    truths = emit.aten("eq.Tensor", [classes, numbers], kind)
    return [given.settled(emit.as_dtype(truths, si64))]


def taken_at(
    given: Operands, tensor: SSAValue, indices: Mapping[int, SSAValue]
) -> SSAValue:
    """The elements of a tensor at places; `indices`, by dimension, are of ints."""
    places, emit = Places(given, tensor, indices), given.emit
    flat, dtype = places.flat(), dtype_in(tensor.type)
    varies = any(map(given.varies, indices.values()))
    kind = batch_of((*places.found, *places.others), dtype)
    if not varies:
        batch = emit.seen_as(
            places.in_front(given.in_front(tensor)), (places.size, *places.others)
        )
        one = VTensorType.of((prod(places.found),), si64)
        count = len(places.found)
        if count > 1:
            flat = emit.aten("flatten.using_ints", [flat, 0, count - 1], one)
        elif not count:
            flat = emit.aten("unsqueeze", [flat, 0], one)
        several = batch_of((prod(places.found), *places.others), dtype)
        made = emit.aten("index_select", [batch, 1, flat], several)
        made = emit.seen_as(made, (*places.found, *places.others))
    else:
        whole = places.whole(tensor)
        if given.varies(tensor):
            flat = places.of_rows(flat)
        made = emit.aten("index.Tensor", [whole, _list(given, flat)], kind)
    return given.settled(_turned(emit, made, places.order_of_result()))


class Places:
    """Indices of a tensor as one: into all the dimensions that they index."""

    def __init__(
        self, given: Operands, tensor: SSAValue, indices: Mapping[int, SSAValue]
    ):
        self.given, self.indices = given, indices
        self.sizes = sizes = given.one_row(tensor)
        self.dims = sorted(indices)
        rest = [dim for dim in range(len(sizes)) if dim not in indices]
        self.order = [*self.dims, *rest]
        """The dimensions, with those in front that are indexed."""
        self.indexed = tuple(sizes[dim] for dim in self.dims)
        self.others = tuple(sizes[dim] for dim in rest)
        self.size = prod(self.indexed)
        self.found = _broadcast([given.one_row(one) for one in indices.values()])
        """The sizes of what the indices are together."""

    @property
    def back(self) -> list[int]:
        """Where each dimension of the tensor is in `order`."""
        return [self.order.index(dim) for dim in range(len(self.order))]

    def in_front(self, batch: SSAValue) -> SSAValue:
        """A batch with the dimensions in `order`."""
        return _turned(self.given.emit, batch, self.order)

    def whole(self, tensor: SSAValue) -> SSAValue:
        """A tensor whose first dimension is all that are indexed, and of all rows."""
        given, dtype = self.given, dtype_in(tensor.type)
        emit = given.emit
        if given.varies(tensor):
            batch = emit.seen_as(
                self.in_front(given.in_front(tensor)), (self.size, *self.others)
            )
            kind = VTensorType.of((DYNAMIC, *self.others), dtype)
            return emit.aten("flatten.using_ints", [batch, 0, 1], kind)
        one, sizes = given.same(tensor), (*self.indexed, *self.others)
        if self.order != sorted(self.order):
            kind = VTensorType.of(sizes, dtype)
            one = emit.aten("permute", [one, self.order], kind)
        if len(self.dims) == 1:
            return one
        kind = VTensorType.of((self.size, *self.others), dtype)
        return emit.aten("flatten.using_ints", [one, 0, len(self.dims) - 1], kind)

    def flat(self) -> SSAValue:
        """The index, counted from the front; a batch if one of them is."""
        made: SSAValue | None = None
        for dim, size in zip(self.dims, self.indexed, strict=True):
            place = self._from_front(self.indices[dim], size)
            if made is None:
                made = place
                continue
            emit = self.given.emit
            made = emit.aten("mul.Scalar", [made, size], made.type)
            made = emit.aten("add.Tensor", [made, place, 1], _wider(made, place))
        assert made is not None
        return made

    def _from_front(self, index: SSAValue, size: int) -> SSAValue:
        given = self.given
        emit, rank = given.emit, len(self.found)
        if given.varies(index):
            place = given.aligned(index, rank + 1)
        else:
            place = given.same(index)
        kind = cast(VTensorType, place.type)
        truths = VTensorType.of(kind.sizes(), i1)
        below = emit.aten("lt.Scalar", [place, 0], truths)
        from_end = emit.aten("add.Scalar", [place, size, 1], kind)
        return emit.aten("where.self", [below, from_end, place], kind)

    def of_rows(self, flat: SSAValue) -> SSAValue:
        """The index into what is the first dimension of all rows."""
        emit = self.given.emit
        firsts = emit.places(emit.rows(flat))
        firsts = emit.aten("mul.Scalar", [firsts, self.size], firsts.type)
        firsts = emit.seen_as(firsts, (1,) * len(tail_in(flat.type)))
        return emit.aten("add.Tensor", [flat, firsts, 1], flat.type)

    def order_of_result(self) -> list[int]:
        """Where the dimensions of the result are in those found, and the others.

        Indices of dimensions side by side have their result there, others in front.
        """
        found, rest = len(self.found), len(self.others)
        first = self.dims[0]
        side_by_side = self.dims == list(range(first, first + len(self.dims)))
        before = first if side_by_side else 0
        return [
            *range(found, found + before),
            *range(found),
            *range(found + before, found + rest),
        ]


def _indices(given: Operands) -> dict[int, SSAValue]:
    """The indices of an op, by dimension."""
    found = {
        dim: value
        for dim, value in enumerate(given.listed(1))
        if isinstance(value.type, VTensorType)
    }
    if any(dtype_in(value.type) != si64 for value in found.values()):
        raise given.cannot("it has an index that is no tensor of 64-bit ints")
    return found


def _broadcast(shapes: Sequence[Sizes]) -> Sizes:
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(one)) + tuple(one) for one in shapes]
    return tuple(
        next((size for size in sizes if size != 1), 1)
        for sizes in zip(*padded, strict=True)
    )


def _wider(one: SSAValue, other: SSAValue) -> Attribute:
    """The type of what is made of two indices, of which batches are of full rank."""
    kinds = [cast(VTensorType, value.type) for value in (one, other)]
    sizes = _broadcast([cast(Sizes, kind.sizes()) for kind in kinds])
    return VTensorType.of(sizes, si64)


def _in_rows(given: Operands, flat: SSAValue, tail: Sizes) -> SSAValue:
    """An index with a row for each, of these sizes."""
    emit, kind = given.emit, cast(VTensorType, flat.type)
    if DYNAMIC in cast(Sizes, kind.sizes()):
        return emit.seen_as(flat, tail)
    sizes = cast(Sizes, kind.sizes())
    flat = emit.aten("unsqueeze", [flat, 0], VTensorType.of((1, *sizes), si64))
    rows = emit.rows(given.any_batch())
    operands = [flat, [rows, *sizes], False]
    return emit.seen_as(emit.aten("expand", operands, batch_of(sizes, si64)), tail)


def _values(given: Operands, places: Places, source: SSAValue) -> SSAValue:
    """What is put, an element for each place, in the order of the places."""
    emit, dtype = given.emit, dtype_in(source.type)
    order = places.order_of_result()
    sizes = (*places.found, *places.others)
    wanted = tuple(sizes[place] for place in order)
    own = given.one_row(source)
    batch = emit.seen_as(
        given.in_front(source), (*[1] * (len(wanted) - len(own)), *own)
    )
    operands = [batch, [emit.rows(batch), *wanted], False]
    spread = emit.aten("expand", operands, batch_of(wanted, dtype))
    return _turned(emit, spread, [order.index(at) for at in range(len(order))])


def _turned(emit: Emitter, batch: SSAValue, order: Sequence[int]) -> SSAValue:
    """A batch whose dimensions behind the rows come in another order."""
    if list(order) == sorted(order):
        return batch
    tail = tail_in(batch.type)
    kind = batch_of(tuple(tail[dim] for dim in order), dtype_in(batch.type))
    return emit.aten("permute", [batch, [0, *(dim + 1 for dim in order)]], kind)


def _list(given: Operands, index: SSAValue) -> SSAValue:
    """A list of one index."""
    kind = given.op.operands[1].type
    element: Attribute = VTensorType.of(None, None)
    if isinstance(kind, ListType):
        element = kind.element
    made = ListConstructOp([index], element, location=given.op.location)
    return given.emit.value(made)
