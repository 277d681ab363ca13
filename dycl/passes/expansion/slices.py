"""Slices and indices whose bounds, or whose whole, depend on the data.

Before                      After
------                      -----
%y = dycl.subscript %x[%k]  %i = dycl.position %k in 3 : i64 else ".."
dycl.return %y              %y = torch.aten.select.int %x, %int0, %i
                            dycl.return %y
"""

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from dycl.analysis.dynamic_sizes.slices import Bound, Step, shape_after
from dycl.analysis.tensors.abstract import Dim, Tensor
from dycl.analysis.tracing.graph import Input, Node
from dycl.ir import (
    BinaryOp,
    CheckedOp,
    CompareOp,
    ItemOp,
    PositionOp,
    SelectOp,
)
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.ir.torch import BoolT, IntT, VTensorType
from dycl.ir.values import to_attr
from dycl.passes.expansion.emission import Emitter
from dycl.passes.expansion.sizes import emit_dim

_SLICE = ("Tensor", "int", "Optional[int]", "Optional[int]", "int")


def emit_slices(
    op: Operation,
    tensor: Tensor,
    value: SSAValue,
    steps: list[Step],
    bound: Callable[[int], SSAValue],
    emitter: Emitter,
) -> SSAValue:
    """`value[..]` by these steps, before `op`; `bound` gives the leaves of `op`."""
    shape = tensor.shape
    for step in steps:
        size = shape[step.dim] if step.dim < len(shape) else 1
        shape = shape_after(shape, step, lambda _: Dim("_"))
        result = Tensor.contiguous(shape, tensor.dtype)
        match step.kind:
            case "select":
                kinds = ("Tensor", "int", "int")
                numbers = [value]
                start: object = step.start
                if isinstance(step.start, Input) or isinstance(size, Dim):
                    number = _index(step.start, op, bound)
                    error = "IndexError: index {} is out of bounds for dimension "
                    error += f"{step.source} with size {size}"
                    whole = _full_slice(size, value, step.dim, op)
                    numbers.append(in_range(number, size, whole, error, op))
                    start = Input(1)
                operands: tuple[object, ...] = (Input(0), step.dim, start)
                node = Node("torch.aten.select.int", operands, kinds, (result,))
            case "unsqueeze":
                operands, kinds = (Input(0), step.dim), ("Tensor", "int")
                node = Node("torch.aten.unsqueeze", operands, kinds, (result,))
                numbers = [value]
            case _ if step == Step("slice", step.dim):
                continue
            case _:
                whole = _full_slice(size, value, step.dim, op)
                start = clamped(step.start, 0, whole, op, bound)
                stop = clamped(step.stop, None, whole, op, bound)
                stop = chosen("gt", stop, start, op)
                operands = (Input(0), step.dim, Input(1), Input(2), step.step)
                node = Node("torch.aten.slice.Tensor", operands, _SLICE, (result,))
                numbers = [value, start, stop]
        value = emitter.node(node, op, _among(numbers))[0]
    return value


def in_range(
    number: SSAValue, size: int | Dim, whole: SSAValue, error: str, op: Operation
) -> SSAValue:
    """An index counted from the front. `error` is raised if it is out of range.

    `whole` is the size of what is indexed.
    """
    if isinstance(size, int):
        position_op = PositionOp(number, to_attr(size), error)
        position = PositionOp.create(
            operands=[number], properties=position_op.properties, result_types=[IntT]
        )
        position_op.erase()
        return insert_value(op, position)
    wrapped = from_front(number, whole, op)
    fits = fits_in(wrapped, insert_constant(op, 1, IntT), whole, op)
    return insert_value(op, CheckedOp(wrapped, fits, _general(error)))


def _general(error: str) -> str:
    """The error without the numbers, which are known in a run only."""
    return error.format("").replace("  ", " ").removesuffix(f" with size {Dim('')}")


def from_front(number: SSAValue, whole: SSAValue, op: Operation) -> SSAValue:
    """An index that may count from the end, as one from the front."""
    shifted = insert_value(op, BinaryOp("add", whole, number, IntT))
    negative = insert_value(
        op, CompareOp("lt", number, insert_constant(op, 0, IntT), BoolT)
    )
    return insert_value(op, SelectOp(negative, shifted, number))


def fits_in(
    start: SSAValue, length: SSAValue, whole: SSAValue, op: Operation
) -> SSAValue:
    """Whether `length` elements from `start` on are all there."""
    end = insert_value(op, BinaryOp("add", start, length, IntT))
    below = insert_value(op, CompareOp("le", end, whole, BoolT))
    from_zero = insert_value(
        op, CompareOp("ge", start, insert_constant(op, 0, IntT), BoolT)
    )
    return insert_value(op, SelectOp(from_zero, below, from_zero))


def narrowed(start: SSAValue, length: int, size: int, op: Operation) -> SSAValue:
    """Where `narrow` starts, counted from the front. It raises if it goes too far."""
    constant = insert_constant(op, size, IntT)
    wrapped = from_front(start, constant, op)
    fits = fits_in(wrapped, insert_constant(op, length, IntT), constant, op)
    error = f"start + length ({length}) exceeds dimension size ({size})."
    return insert_value(op, CheckedOp(wrapped, fits, error))


def _index(given: Bound, op: Operation, bound: Callable[[int], SSAValue]) -> SSAValue:
    """An index as an int; that in a tensor of rank 0 is read by the host."""
    if not isinstance(given, Input):
        return insert_constant(op, given, IntT)
    value = bound(given.leaf)
    if isinstance(value.type, VTensorType):
        return insert_value(op, ItemOp(value, IntT))
    return value


def _among(values: list[SSAValue]) -> Callable[[object], object]:
    return lambda leaf: values[leaf.leaf] if isinstance(leaf, Input) else leaf


def _full_slice(size: int | Dim, value: SSAValue, dim: int, op: Operation) -> SSAValue:
    if isinstance(size, int):
        return insert_constant(op, size, IntT)
    return emit_dim(value, dim, op)


def clamped(
    given: Bound,
    missing: int | None,
    whole: SSAValue,
    op: Operation,
    bound: Callable[[int], SSAValue],
) -> SSAValue:
    """A bound as Python reads it: from the end if below zero, and inside."""
    if given is None:
        return whole if missing is None else insert_constant(op, missing, IntT)
    if isinstance(given, int):
        number = insert_constant(op, given, IntT)
        if given >= 0:
            return chosen("lt", number, whole, op)
        number = insert_value(op, BinaryOp("add", whole, number, IntT))
        return chosen("gt", number, insert_constant(op, 0, IntT), op)
    number, zero = _index(given, op, bound), insert_constant(op, 0, IntT)
    shifted = insert_value(op, BinaryOp("add", whole, number, IntT))
    negative = insert_value(op, CompareOp("lt", number, zero, BoolT))
    number = insert_value(op, SelectOp(negative, shifted, number))
    return chosen("gt", chosen("lt", number, whole, op), zero, op)


def chosen(kind: str, one: SSAValue, other: SSAValue, op: Operation) -> SSAValue:
    """The smaller (`lt`) or the larger (`gt`) of two ints."""
    test = insert_value(op, CompareOp(kind, one, other, BoolT))
    return insert_value(op, SelectOp(test, one, other))
