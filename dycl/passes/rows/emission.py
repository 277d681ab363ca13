"""New ops at the end of a block: torch's, with constants as Python has them.

one row                    many rows
-------                    ---------
%y = dycl.select %c, %a, %b  %y = torch.aten.where.self %c, %a, %b
"""

from collections.abc import Iterable, Sequence
from math import prod
from typing import cast

from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CompareOp,
    ConstantOp,
    DimOp,
    ItemOp,
    SelectOp,
    rewriting,
)
from dycl.ir.torch import (
    DYNAMIC,
    BoolT,
    FloatT,
    IntT,
    ListConstructOp,
    PythonScalar,
    VTensorType,
    constant,
    plain_op,
)
from dycl.ir.values import to_attr
from dycl.passes.rows.batches import (
    Sizes,
    batch_of,
    dtype_in,
    si64,
    tail_in,
)

Operand = SSAValue | PythonScalar | Sequence[SSAValue | int]

INT64 = 4
"""torch's number of the dtype."""


class Emitter:
    """Puts new ops at the end of a block; they stand for `source`."""

    def __init__(self, block: Block, source: Operation):
        self.source = source
        self.block = block

    def arguments(self, block: Block, types: Iterable[Attribute]) -> None:
        """Give a block arguments of these types."""
        for kind in types:
            rewriting.append_argument(block, kind, source=self.source)

    def put(self, op: Operation) -> Operation:
        """Put a new op."""
        rewriting.append(self.block, op, source=self.source)
        return op

    def value(self, op: Operation) -> SSAValue:
        """Put a new op; its first result."""
        return self.put(op).results[0]

    # ---- on the host

    def number(self, value: int) -> SSAValue:
        """An int of the host."""
        return self.value(ConstantOp(to_attr(value), IntT))

    def zero(self, kind: Attribute) -> SSAValue | None:
        """A number of the host, or a tensor, of zeros; None: it is of another kind."""
        numbers: dict[Attribute, PythonScalar] = {IntT: 0, FloatT: 0.0, BoolT: False}
        if kind in numbers:
            return self.value(ConstantOp(to_attr(numbers[kind]), kind))
        sizes = kind.sizes() if isinstance(kind, VTensorType) else None
        if not isinstance(kind, VTensorType) or sizes is None or DYNAMIC in sizes:
            return None
        dtype = NUMBERS_OF_DTYPES.get(str(kind.element_type()))
        if dtype is None:
            return None
        return self.aten("zeros", [list(sizes), dtype, None, None, None], kind)

    def compare(self, kind: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A comparison of two ints of the host."""
        return self.value(CompareOp(kind, lhs, rhs, BoolT))

    def minus(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """The difference of two ints of the host."""
        return self.value(BinaryOp("sub", lhs, rhs, IntT))

    def count(self, batch: SSAValue) -> SSAValue:
        """How many rows a batch has, on the host."""
        return self.value(DimOp(batch, 0, IntT))

    def item(self, tensor: SSAValue, kind: Attribute) -> SSAValue:
        """A tensor's one element, on the host."""
        return self.value(ItemOp(tensor, kind))

    # ---- in kernels

    def aten(
        self, name: str, operands: Sequence[Operand], *types: Attribute
    ) -> SSAValue:
        """The first result of `torch.aten.<name>`."""
        return self.op(f"torch.aten.{name}", operands, types).results[0]

    def as_dtype(self, tensor: SSAValue, dtype: Attribute) -> SSAValue:
        """The elements of a tensor as those of another dtype."""
        sizes = cast(VTensorType, tensor.type).sizes()
        operands = [tensor, NUMBERS_OF_DTYPES[str(dtype)], False, False, None]
        return self.aten("to.dtype", operands, VTensorType.of(sizes, dtype))

    def op(
        self, name: str, operands: Sequence[Operand], types: Sequence[Attribute]
    ) -> Operation:
        """An operation of torch's; ints in a list, and numbers, may be Python's."""
        given = [self.operand(operand) for operand in operands]
        made = plain_op(name)(given, list(types), location=self.source.location)
        return self.put(made)

    def operand(self, operand: Operand) -> SSAValue:
        """The value of an operand."""
        if isinstance(operand, SSAValue):
            return operand
        if operand is None or isinstance(operand, (bool, int, float, str)):
            return self.value(constant(operand, location=self.source.location))
        items = [self.operand(item) for item in operand]
        types = {item.type for item in items}
        kind = items[0].type if items else IntT
        if len(types) > 1:
            kind = VTensorType.of(None, None)
        return self.value(ListConstructOp(items, kind, location=self.source.location))

    def rows(self, batch: SSAValue) -> SSAValue:
        """How many rows a batch has, in a kernel."""
        return self.aten("size.int", [batch, 0], IntT)

    def taken(self, batch: SSAValue, index: SSAValue) -> SSAValue:
        """The rows of a batch at these places."""
        return self.aten("index_select", [batch, 0, index], batch.type)

    def seen_as(self, batch: SSAValue, tail: Sizes) -> SSAValue:
        """A batch with other sizes behind its rows, of as many elements."""
        now, dtype = tail_in(batch.type), dtype_in(batch.type)
        same = _begin_alike(now, tail)
        behind = _begin_alike(now[same:][::-1], tail[same:][::-1])
        before, after = now[same : len(now) - behind], tail[same : len(tail) - behind]
        front, back = now[:same], now[len(now) - behind :]
        dim = 1 + same
        if len(before) > 1:
            before = (prod(before),)
            kind = batch_of((*front, *before, *back), dtype)
            operands = [batch, dim, len(now) - behind]
            batch = self.aten("flatten.using_ints", operands, kind)
        if before == after:
            return batch
        if not before:
            kind = batch_of((*front, 1, *back), dtype)
            batch = self.aten("unsqueeze", [batch, dim], kind)
        if not after:
            kind = batch_of((*front, *back), dtype)
            return self.aten("squeeze.dim", [batch, dim], kind)
        if after == (1,):
            return batch
        kind = batch_of(tail, dtype)
        return self.aten("unflatten.int", [batch, dim, after], kind)

    def joined(self, batches: Sequence[SSAValue]) -> SSAValue:
        """The rows of all batches, one after the other."""
        return self.aten("cat", [list(batches), 0], batches[0].type)

    def places(self, rows: SSAValue) -> SSAValue:
        """0, 1, ... as a tensor of so many ints."""
        operands = [rows, None, None, None, None]
        return self.aten("arange", operands, batch_of((), si64))

    def filled(self, like: SSAValue, value: SSAValue, kind: VTensorType) -> SSAValue:
        """A batch with a number of the host in each of `like`'s rows."""
        if value.type == BoolT:
            # What `full` fills with is no truth for torch-mlir.
            one, zero = self.number(1), self.number(0)
            value = self.value(SelectOp(value, one, zero))
            ones = self.filled(like, value, batch_of((), si64))
            return self.aten("ne.Scalar", [ones, 0], kind)
        dtypes = {"si64": INT64, "f64": 7}
        number = dtypes[str(kind.element_type())]
        operands = [[self.rows(like)], value, number, None, None, None]
        return self.aten("full", operands, kind)

    def empty(self, zero: SSAValue, kind: VTensorType) -> SSAValue:
        """A batch without rows; `zero` is a 0 that the compiler does not know."""
        sizes = [zero, *tail_in(kind)]
        dtype = NUMBERS_OF_DTYPES[str(kind.element_type())]
        return self.aten("zeros", [sizes, dtype, None, None, None], kind)


NUMBERS_OF_DTYPES: dict[str, int] = {
    "ui8": 0,
    "si8": 1,
    "si16": 2,
    "si32": 3,
    "si64": 4,
    "f16": 5,
    "f32": 6,
    "f64": 7,
    "i1": 11,
    "bf16": 15,
}
"""What torch calls dtypes in the operands of its operations."""


def _begin_alike(one: Sizes, other: Sizes) -> int:
    """How many sizes are the same from the front on."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def take_place(new: BlockArgument, old: BlockArgument) -> None:
    """Let an argument have the location and the name of another one."""
    rewriting.relocate(new, old)
    new.name_hint = old.name_hint
