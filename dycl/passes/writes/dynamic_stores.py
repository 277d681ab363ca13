"""Stores where the data decides become a choice: `y[k] = v` is `where(i == k, v, y)`.

Before                           After
------                           -----
%y = dycl.invoke %x "exp"()      %y = dycl.invoke %x "exp"()
dycl.store_subscript %y[%k], %v  %0 = dycl.call %arange(%three)
dycl.return %y                   %1 = dycl.position %k in 3 : i64 else ".."
                                 %2 = dycl.compare eq %0, %1
                                 %3 = dycl.invoke %2 "view"(%three, %one)
                                 %y_1 = dycl.call %where(%3, %v, %y)
                                 dycl.return %y_1

Where a part of the subscript is known, it is cut out first and stored back as a whole,
so `y[0, k, 1:] = v` chooses in `y[0, :, 1:]` only. The host says whether an index is in
range, as for `y[k]`, clamps the bounds of slices, and says whether what is stored has
as many elements where only a run knows how many there are.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from xdsl.ir import Operation, SSAValue

from dycl.analysis.dynamic_sizes.dynamic_stores import Place, Plan, Size, plan
from dycl.analysis.tensors.abstract import (
    Dim,
    Scalar,
    Tensor,
    children,
    is_container,
    leaves,
)
from dycl.analysis.tensors.number_ranges import AS_STORED
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Structures
from dycl.analysis.tracing.graph import Input
from dycl.ir import (
    BinaryOp,
    CallOp,
    CheckedOp,
    CompareOp,
    ConstantOp,
    InplaceOp,
    InvokeOp,
    SelectOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UpdateSubscriptOp,
)
from dycl.ir.dtypes import dtype_name
from dycl.ir.rewriting import insert_value, replace
from dycl.ir.torch import BoolT, IntT
from dycl.ir.values import GlobalRef, is_torch_size, to_attr
from dycl.passes.expansion.number_as_tensor import EXACT, tensor_of_number
from dycl.passes.expansion.sizes import emit_dim
from dycl.passes.expansion.slices import chosen, clamped, in_range


def expand_dynamic_stores(
    ops: Iterable[Operation], inference: Inference, structures: Structures
) -> bool:
    """Expand the stores among `ops` that are at numbers of the data's; any done?"""
    done = False
    for op in list(ops):
        if not isinstance(op, UpdateSubscriptOp):
            continue
        operands = [inference.of(v) for v in op.operands]
        steps = plan(operands, op.kind_name)
        if isinstance(steps, Plan):
            names = [leaf for v in op.operands for leaf in _names(v, structures)]
            _Store(op, steps, operands, names).expand()
            done = True
        elif steps is None and _store_tensor(op, operands[0], operands[-1]):
            done = True
    return done


def _names(value: SSAValue, structures: Structures) -> list[object]:
    """What each leaf of an operand is called: a part that was taken out, by its own."""
    given = structures.inference.of(value)
    if not is_container(given) and not is_torch_size(given):
        return [value]
    if isinstance(value.owner, (TupleOp, SliceOp)):
        return [leaf for v in value.owner.operands for leaf in _names(v, structures)]
    return list(structures.leaves(value))


_KINDS = (None, "add", "sub", "mul", "truediv")


def _store_tensor(op: UpdateSubscriptOp, tensor: object, value: object) -> bool:
    """Store an open number at a known place as a tensor of rank 0."""
    if not isinstance(tensor, Tensor) or not isinstance(value, Scalar):
        return False
    if value.kind not in ("int", "float") or op.kind_name not in _KINDS:
        return False
    put = partial(insert_value, op)
    dtype, how = f"torch.{dtype_name(tensor.dtype)}", AS_STORED
    if op.kind_name is not None:
        dtype, how = EXACT[value.kind], None
    given = tensor_of_number(op.value, value.kind, dtype, (), put, how)
    op.operands[len(op.operands) - 1] = given
    return True


class _Store:
    """One store, and what is put in front of it."""

    def __init__(
        self,
        op: UpdateSubscriptOp,
        found: Plan,
        operands: Sequence[object],
        names: Sequence[object],
    ):
        self.op = op
        self.plan = found
        self.leaves = [leaf for tree in operands for leaf in leaves(tree)]
        self.names = names
        self.tensor = operands[0]
        self.value = operands[-1]
        self.laid_out: list[Size] = list(found.aligned or ())
        """The shape of what is stored, laid along the part dimension by dimension."""

    def expand(self) -> None:
        op = self.op
        index = None if self.plan.is_whole else self.subscript()
        part = op.operand if index is None else self.put(SubscriptOp(op.operand, index))
        mask: SSAValue | None = None
        given = op.value
        assert isinstance(self.tensor, Tensor)
        dtype = GlobalRef(f"torch.{dtype_name(self.tensor.dtype)}")
        if isinstance(self.value, Tensor):
            given = self.beside(given, self.value)
            if self.value.dtype != self.tensor.dtype and op.kind_name is None:
                given = self.method(given, "to", [dtype])
        for place in self.plan.places:
            here, given = self.along(place, given)
            mask = here if mask is None else self.put(BinaryOp("and", mask, here))
        assert mask is not None
        if op.kind_name is not None:
            copy = self.method(part, "clone", [])
            given = self.put(InplaceOp(op.kind_name, copy, given))
        elif isinstance(self.value, Scalar) and self.value.kind in ("int", "float"):
            name = f"torch.{dtype_name(self.tensor.dtype)}"
            given = tensor_of_number(
                given, self.value.kind, name, (1,), self.put, AS_STORED
            )
        elif not isinstance(self.value, Tensor):
            arguments = [self.constant((1,)), given, self.constant(dtype)]
            full = self.constant(GlobalRef("torch.full"))
            given = self.put(CallOp(full, arguments, ["dtype"]))
        where = self.constant(GlobalRef("torch.where"))
        new = self.put(CallOp(where, [mask, given, part]))
        if index is not None:
            store = UpdateSubscriptOp(op.operand, [index], new, None, op.result.type)
            new = self.put(store)
        replace(op, [new])

    def beside(self, given: SSAValue, value: Tensor) -> SSAValue:
        """What is stored, with a dimension for each of the part."""
        if not value.shape:
            return given
        sizes: list[SSAValue] = []
        opened = [dim for dim, size in enumerate(value.shape) if isinstance(size, Dim)]
        for size in self.plan.aligned or ():
            if isinstance(size, Dim):
                sizes.append(emit_dim(given, opened.pop(0), self.op))
            else:
                sizes.append(self.constant(size))
        return self.put(InvokeOp(given, "reshape", sizes))

    def along(self, place: Place, given: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Which places of one dimension are meant; and what is stored, laid there."""
        if isinstance(place.whole, int):
            whole = self.put(ConstantOp(to_attr(place.whole), IntT))
        else:
            whole = emit_dim(self.op.operand, place.source, self.op)
        arange = self.constant(GlobalRef("torch.arange"))
        places = self.put(CallOp(arange, [whole]))
        if place.index is not None:
            position = self.position(place, whole)
            mask = self.put(CompareOp("eq", places, position))
            return self.laid(mask, place), given
        start = clamped(place.start, 0, whole, self.op, self.number)
        stop = clamped(place.stop, None, whole, self.op, self.number)
        after = self.put(CompareOp("ge", places, start))
        before = self.put(CompareOp("lt", places, stop))
        count = (self.plan.aligned or (1,) * len(self.plan.shape))[place.dim]
        if count != 1:
            start = self.fitting(place, count, given, start, stop)
            steps = self.put(BinaryOp("sub", places, start))
            if isinstance(count, Dim) or count == 0:
                # An element more, for where nothing is stored.
                one, zero = (self.put(ConstantOp(to_attr(n), IntT)) for n in (1, 0))
                known = emit_dim(given, place.dim, self.op)
                last = self.put(BinaryOp("sub", known, one, IntT))
                last = chosen("gt", last, zero, self.op)
                given = self.lengthened(given, place.dim)
                steps = self.put(InvokeOp(steps, "clamp", [zero, last]))
            else:
                steps = self.method(steps, "clamp", [0, count - 1])
            dim = self.constant(place.dim)
            given = self.put(InvokeOp(given, "index_select", [dim, steps]))
            self.laid_out[place.dim] = place.whole
        return self.laid(self.put(BinaryOp("and", after, before)), place), given

    def laid(self, mask: SSAValue, place: Place) -> SSAValue:
        """A mask of one dimension beside the part."""
        shape = [1] * len(self.plan.shape)
        shape[place.dim] = -1 if isinstance(place.whole, Dim) else place.whole
        return self.method(mask, "view", shape)

    def subscript(self) -> SSAValue:
        """What cuts the known part out of the whole."""
        items: list[SSAValue] = []
        for item in self.plan.part:
            if isinstance(item, slice):
                bounds = [self.constant(bound) for bound in children(item)]
                items.append(self.put(SliceOp(bounds)))
            else:
                items.append(self.constant(item))
        return self.put(TupleOp(items))

    def fitting(
        self,
        place: Place,
        count: Size,
        given: SSAValue,
        start: SSAValue,
        stop: SSAValue,
    ) -> SSAValue:
        """Where a slice starts; it raises if `count` elements do not fit into it."""
        stop = chosen("gt", stop, start, self.op)
        size = self.put(BinaryOp("sub", stop, start, IntT))
        error = "The expanded size of the tensor must match the existing size "
        if isinstance(count, Dim):
            wanted = emit_dim(given, place.dim, self.op)
            one = self.put(ConstantOp(to_attr(1), IntT))
            is_one = self.put(CompareOp("eq", wanted, one, BoolT))
            fits = self.put(CompareOp("eq", size, wanted, BoolT))
            fits = self.put(SelectOp(is_one, is_one, fits))
        else:
            wanted = self.put(ConstantOp(to_attr(count), IntT))
            fits = self.put(CompareOp("eq", size, wanted, BoolT))
            error += f"({count}) "
        error += f"at non-singleton dimension {place.source}"
        return self.put(CheckedOp(start, fits, error))

    def lengthened(self, given: SSAValue, dim: int) -> SSAValue:
        """What is stored, with one more element along a dimension: zeros."""
        sizes: list[SSAValue] = []
        for i, size in enumerate(self.laid_out):
            is_open = isinstance(size, Dim) and i != dim
            number = 1 if i == dim else size
            sizes.append(
                emit_dim(given, i, self.op) if is_open else self.constant(number)
            )
        row = self.put(InvokeOp(given, "new_zeros", [self.put(TupleOp(sizes))]))
        parts = self.put(TupleOp([given, row]))
        cat = self.constant(GlobalRef("torch.cat"))
        return self.put(CallOp(cat, [parts, self.constant(dim)]))

    def position(self, place: Place, whole: SSAValue) -> SSAValue:
        """An index, counted from the front; it raises if it is out of range."""
        error = "IndexError: index {} is out of bounds for dimension "
        error += f"{place.source} with size {place.whole}"
        if isinstance(place.index, Input):
            number = self.number(place.index.leaf)
        else:
            number = self.put(ConstantOp(to_attr(place.index), IntT))
        return in_range(number, place.whole, whole, error, self.op)

    def number(self, leaf: int) -> SSAValue:
        """An int that the data decides; the host reads it, if it is in a tensor."""
        value = self.names[leaf]
        assert isinstance(value, SSAValue)
        if isinstance(self.leaves[leaf], Tensor):
            return self.method(value, "item", [])
        return value

    def method(self, value: SSAValue, name: str, given: Sequence[object]) -> SSAValue:
        arguments = [self.constant(item) for item in given]
        return self.put(InvokeOp(value, name, arguments))

    def constant(self, value: object) -> SSAValue:
        return self.put(ConstantOp(to_attr(value)))

    def put(self, new: Operation) -> SSAValue:
        """Insert an op in front of the store, at its place in the source."""
        return insert_value(self.op, new)
