"""Stores at numbers of the data's become a choice: `y[k] = v` is `where(i == k, v, y)`.

Before                           After
------                           -----
%y = dycl.invoke %x "exp"()      %y = dycl.invoke %x "exp"()
dycl.store_subscript %y[%k], %v  %0 = dycl.slice(%none, %none, %none)
dycl.return %y                   %1 = dycl.tuple(%0)
                                 %2 = dycl.subscript %y[%1]
                                 %3 = dycl.call %arange(%three)
                                 %4 = dycl.position %k in 3 : i64 else ".."
                                 %5 = dycl.compare eq %3, %4
                                 %6 = dycl.invoke %5 "view"(%three, %one)
                                 %7 = dycl.call %where(%6, %v, %2)
                                 %y_1 = dycl.update_subscript %y[%1], %7
                                 dycl.return %y_1

The known part of the subscript is cut out first and stored back as a whole, so
`y[0, k, 1:] = v` chooses in `y[0, :, 1:]` only. The host says whether an index is in
range, as for `y[k]`, and clamps the bounds of slices.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from xdsl.ir import Operation, SSAValue

from dycl.analysis.dynamic_sizes.dynamic_stores import Place, Plan, plan
from dycl.analysis.tensors.abstract import Scalar, Tensor, children, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Structures
from dycl.ir import (
    BinaryOp,
    CallOp,
    CheckedOp,
    CompareOp,
    ConstantOp,
    InplaceOp,
    InvokeOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UpdateSubscriptOp,
)
from dycl.ir.dtypes import dtype_name
from dycl.ir.rewriting import insert_value, replace
from dycl.ir.torch import BoolT, IntT
from dycl.ir.values import GlobalRef, to_attr
from dycl.passes.expansion.number_as_tensor import EXACT, tensor_of_number
from dycl.passes.expansion.slices import clamped, in_range


def expand_dynamic_stores(
    ops: Iterable[Operation], inference: Inference, structures: Structures
) -> bool:
    """Expand the stores among `ops` that are at numbers of the data's; any done?"""
    done = False
    for op in list(ops):
        if not isinstance(op, UpdateSubscriptOp):
            continue
        operands = [inference.of(v) for v in op.operands]
        found = plan(operands, op.kind_name)
        if isinstance(found, Plan):
            names = [leaf for v in op.operands for leaf in structures.leaves(v)]
            _Store(op, found, operands, names).expand()
            done = True
        elif found is None and _store_tensor(op, operands[0], operands[-1]):
            done = True
    return done


_KINDS = (None, "add", "sub", "mul", "truediv")


def _store_tensor(op: UpdateSubscriptOp, tensor: object, value: object) -> bool:
    """Store an open number at a known place as a tensor of rank 0."""
    if not isinstance(tensor, Tensor) or not isinstance(value, Scalar):
        return False
    if value.kind not in ("int", "float") or op.kind_name not in _KINDS:
        return False
    put = partial(insert_value, op)
    dtype = f"torch.{dtype_name(tensor.dtype)}"
    if op.kind_name is not None:
        dtype = EXACT[value.kind]
    given = tensor_of_number(op.value, value.kind, dtype, (), put)
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

    def expand(self) -> None:
        op = self.op
        index = self.subscript()
        part = self.put(SubscriptOp(op.operand, index))
        mask: SSAValue | None = None
        given = op.value
        assert isinstance(self.tensor, Tensor)
        dtype = GlobalRef(f"torch.{dtype_name(self.tensor.dtype)}")
        if isinstance(self.value, Tensor):
            if self.value.shape:
                given = self.method(given, "reshape", list(self.plan.aligned or ()))
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
            given = tensor_of_number(given, self.value.kind, name, (1,), self.put)
        elif not isinstance(self.value, Tensor):
            arguments = [self.constant((1,)), given, self.constant(dtype)]
            full = self.constant(GlobalRef("torch.full"))
            given = self.put(CallOp(full, arguments, ["dtype"]))
        where = self.constant(GlobalRef("torch.where"))
        new = self.put(CallOp(where, [mask, given, part]))
        store = UpdateSubscriptOp(op.operand, [index], new, None, op.result.type)
        self.put(store)
        replace(op, [store.result])

    def along(self, place: Place, given: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Which places of one dimension are meant; and what is stored, laid there."""
        arange = self.constant(GlobalRef("torch.arange"))
        places = self.put(CallOp(arange, [self.constant(place.whole)]))
        if place.index is not None:
            mask = self.put(CompareOp("eq", places, self.position(place)))
            return self.laid(mask, place), given
        whole = self.put(ConstantOp(to_attr(place.whole), IntT))
        start = clamped(place.start, 0, whole, self.op, self.number)
        stop = clamped(place.stop, None, whole, self.op, self.number)
        after = self.put(CompareOp("ge", places, start))
        before = self.put(CompareOp("lt", places, stop))
        count = (self.plan.aligned or (1,) * len(self.plan.shape))[place.dim]
        if count != 1:
            size = self.put(BinaryOp("sub", stop, start, IntT))
            wanted = self.put(ConstantOp(to_attr(count), IntT))
            fits = self.put(CompareOp("eq", size, wanted, BoolT))
            error = "The expanded size of the tensor must match the existing size "
            error += f"({count}) at non-singleton dimension {place.source}"
            start = self.put(CheckedOp(start, fits, error))
            steps = self.put(BinaryOp("sub", places, start))
            steps = self.method(steps, "clamp", [0, count - 1])
            dim = self.constant(place.dim)
            given = self.put(InvokeOp(given, "index_select", [dim, steps]))
        return self.laid(self.put(BinaryOp("and", after, before)), place), given

    def laid(self, mask: SSAValue, place: Place) -> SSAValue:
        """A mask of one dimension beside the part."""
        shape = [1] * len(self.plan.shape)
        shape[place.dim] = place.whole
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

    def position(self, place: Place) -> SSAValue:
        """An index, counted from the front; it raises if it is out of range."""
        assert place.index is not None
        error = "IndexError: index {} is out of bounds for dimension "
        error += f"{place.source} with size {place.whole}"
        number = self.number(place.index.leaf)
        return in_range(number, place.whole, number, error, self.op)

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
