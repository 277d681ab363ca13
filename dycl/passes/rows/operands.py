"""The operands of a torch operation of one row, as its batch takes them.

one row                                  many rows
-------                                  ---------
%y = torch.aten.add.Tensor %x, %s, %one  %u = torch.aten.unsqueeze %sb, %one
                                         %y = torch.aten.add.Tensor %xb, %u, %one
"""

from collections.abc import Callable, Container, Sequence
from typing import cast

from xdsl.ir import Attribute, Operation, SSAValue

from dycl.ir.torch import (
    DYNAMIC,
    ConstantOp,
    ListConstructOp,
    PythonScalar,
    VTensorType,
)
from dycl.passes.rows.batches import (
    CannotRegroup,
    Sizes,
    batch_of,
    batched,
    dtype_in,
    tail_in,
    tail_of,
)
from dycl.passes.rows.bounds import bits_of
from dycl.passes.rows.emission import Emitter


class Operands:
    """The operands of one op.

    Two forms of a batch occur. *In place*: a tensor `[1,8]` of a row has its batch in
    the dimension of size 1, `[?,8]`. *In front*: `[3,8]` and `[1,8]` get a dimension
    before all others, `[?,3,8]` and `[?,1,8]`.
    """

    def __init__(
        self,
        op: Operation,
        emit: Emitter,
        find: Callable[[SSAValue], SSAValue | None],
        uniform: Callable[[SSAValue], SSAValue],
        varying: Container[SSAValue],
    ):
        """`find` gives the batch of a value, None if it is the same for all rows;
        `uniform` gives such a value, and `varying` are all others."""
        self.op = op
        self.emit = emit
        self._find = find
        self._uniform = uniform
        self._varying = varying

    def cannot(self, why: str) -> CannotRegroup:
        """What to raise where rows cannot be computed together."""
        return CannotRegroup(self.op, why)

    # ---- what the op is given

    def varies(self, value: SSAValue) -> bool:
        """Whether a value differs from row to row."""
        return self._find(value) is not None

    def bits(self, value: SSAValue) -> int:
        """How large an int can be (`dycl.passes.rows.bounds`)."""
        return bits_of(value, self._varying)

    def one_row(self, value: SSAValue) -> Sizes:
        """The sizes of a tensor of one row."""
        kind = value.type
        sizes = kind.sizes() if isinstance(kind, VTensorType) else None
        if sizes is None or DYNAMIC in sizes:
            raise self.cannot("the shape of a row is not known")
        return sizes

    def constant(self, index: int) -> PythonScalar:
        """A number that the compiler knows."""
        owner = self.op.operands[index].owner
        if not isinstance(owner, ConstantOp):
            raise self.cannot("an operand is a number that the compiler does not know")
        return owner.python_value()

    def constants(self, index: int) -> list[int] | None:
        """A list of ints that the compiler knows; None is None."""
        owner = self.op.operands[index].owner
        if isinstance(owner, ListConstructOp):
            items = [item.owner for item in owner.operands]
            if all(isinstance(item, ConstantOp) for item in items):
                return [
                    cast(int, cast(ConstantOp, item).python_value()) for item in items
                ]
        elif self.constant(index) is None:
            return None
        raise self.cannot("an operand is a list that the compiler does not know")

    def listed(self, index: int) -> Sequence[SSAValue]:
        """The items of a list of tensors."""
        owner = self.op.operands[index].owner
        if not isinstance(owner, ListConstructOp):
            raise self.cannot("a list of tensors comes from elsewhere")
        return list(owner.operands)

    # ---- what its batch is given

    def batch(self, value: SSAValue) -> SSAValue:
        """The batch of a value that differs from row to row."""
        found = self._find(value)
        assert found is not None
        return found

    def same(self, value: SSAValue) -> SSAValue:
        """A value that is the same for all rows. Raises if it is not."""
        owner = value.owner
        items = owner.operands if isinstance(owner, ListConstructOp) else [value]
        if any(self.varies(item) for item in items):
            raise self.cannot("an operand that has to be one for all rows is not")
        return self._uniform(value)

    def in_front(self, value: SSAValue) -> SSAValue:
        """A tensor with a dimension of rows before those that it has in a row."""
        sizes = self.one_row(value)
        if self.varies(value):
            return self.emit.seen_as(self.batch(value), sizes)
        return self._expanded(self._uniform(value), sizes, sizes)

    def in_place(self, value: SSAValue) -> SSAValue:
        """A tensor whose first size is 1 in a row, and the number of rows now."""
        sizes = self.one_row(value)
        if self.varies(value):
            return self.batch(value)
        return self._expanded(self._uniform(value), sizes, sizes[1:])

    def _expanded(self, tensor: SSAValue, sizes: Sizes, tail: Sizes) -> SSAValue:
        """One tensor for all rows, once for each."""
        dtype = dtype_in(tensor.type)
        if len(tail) == len(sizes):
            kind = VTensorType.of((1, *sizes), dtype)
            tensor = self.emit.aten("unsqueeze", [tensor, 0], kind)
        sizes_now = [self.emit.rows(self.any_batch()), *tail]
        return self.emit.aten(
            "expand", [tensor, sizes_now, False], batch_of(tail, dtype)
        )

    def any_batch(self) -> SSAValue:
        """A batch among the operands: it has the number of rows."""
        for operand in self.op.operands:
            owner = operand.owner
            items = owner.operands if isinstance(owner, ListConstructOp) else [operand]
            for item in items:
                if (found := self._find(item)) is not None:
                    return found
        raise self.cannot("no operand differs from row to row")

    def aligned(self, value: SSAValue, rank: int) -> SSAValue:
        """A tensor that broadcasts row by row to a batch of this rank."""
        if not self.varies(value):
            return self._uniform(value)
        found = self.batch(value)
        tail = tail_in(found.type)
        if len(tail) >= rank:
            raise self.cannot("its operands broadcast in another way")
        return self.emit.seen_as(found, (*[1] * (rank - 1 - len(tail)), *tail))

    # ---- what it gives

    def result_type(self, number: int = 0) -> VTensorType:
        """The type that the batch of a result has."""
        kind = batched(self.op.results[number].type)
        if kind is None:
            raise self.cannot("the shape of its result is not known")
        return kind

    def result_sizes(self, number: int = 0) -> Sizes:
        """The sizes of a result of one row."""
        return self.one_row(self.op.results[number])

    def result_dtype(self, number: int = 0) -> Attribute:
        """The element type of a result."""
        return dtype_in(self.op.results[number].type)

    def settled(self, batch: SSAValue, number: int = 0) -> SSAValue:
        """A result in the form that batches of its type have."""
        return self.emit.seen_as(batch, tail_of(self.result_sizes(number)))
