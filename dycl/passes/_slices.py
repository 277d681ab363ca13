"""Slices whose bounds, or whose whole, depend on the data."""

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from dycl.analysis.abstract import Dim, Tensor
from dycl.analysis.graph import Input, Node
from dycl.analysis.slices import Bound, Step, shape_after
from dycl.ir import BinaryOp, CompareOp, ConstantOp, SelectOp
from dycl.ir.torch import BoolT, IntT
from dycl.ir.values import to_attr
from dycl.passes._emit import Emitter
from dycl.passes._sizes import emit_dim

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
                assert isinstance(step.start, int)
                kinds = ("Tensor", "int", "int")
                operands: tuple[object, ...] = (Input(0), step.dim, step.start)
                node = Node("torch.aten.select.int", operands, kinds, (result,))
                numbers = [value]
            case "unsqueeze":
                operands, kinds = (Input(0), step.dim), ("Tensor", "int")
                node = Node("torch.aten.unsqueeze", operands, kinds, (result,))
                numbers = [value]
            case _ if step == Step("slice", step.dim):
                continue
            case _:
                whole = _whole(size, value, step.dim, op)
                start = _clamped(step.start, 0, whole, op, bound)
                stop = _clamped(step.stop, None, whole, op, bound)
                stop = _chosen("gt", stop, start, op)
                operands = (Input(0), step.dim, Input(1), Input(2), step.step)
                node = Node("torch.aten.slice.Tensor", operands, _SLICE, (result,))
                numbers = [value, start, stop]
        value = emitter.node(node, op, _among(numbers))[0]
    return value


def _among(values: list[SSAValue]) -> Callable[[object], object]:
    return lambda leaf: values[leaf.leaf] if isinstance(leaf, Input) else leaf


def _whole(size: int | Dim, value: SSAValue, dim: int, op: Operation) -> SSAValue:
    if isinstance(size, int):
        return _constant(size, op)
    return emit_dim(value, dim, op)


def _clamped(
    given: Bound,
    missing: int | None,
    whole: SSAValue,
    op: Operation,
    bound: Callable[[int], SSAValue],
) -> SSAValue:
    """A bound as Python reads it: from the end if below zero, and inside."""
    if given is None:
        return whole if missing is None else _constant(missing, op)
    if isinstance(given, int):
        number = _constant(given, op)
        if given >= 0:
            return _chosen("lt", number, whole, op)
        number = _insert(BinaryOp("add", whole, number, IntT), op)
        return _chosen("gt", number, _constant(0, op), op)
    number, zero = bound(given.leaf), _constant(0, op)
    shifted = _insert(BinaryOp("add", whole, number, IntT), op)
    negative = _insert(CompareOp("lt", number, zero, BoolT), op)
    number = _insert(SelectOp(negative, shifted, number), op)
    return _chosen("gt", _chosen("lt", number, whole, op), zero, op)


def _chosen(kind: str, one: SSAValue, other: SSAValue, op: Operation) -> SSAValue:
    """The smaller (`lt`) or the larger (`gt`) of two ints."""
    test = _insert(CompareOp(kind, one, other, BoolT), op)
    return _insert(SelectOp(test, one, other), op)


def _constant(value: int, op: Operation) -> SSAValue:
    return _insert(ConstantOp(to_attr(value), IntT), op)


def _insert(new: Operation, anchor: Operation) -> SSAValue:
    new.location = anchor.location
    block = anchor.parent
    assert block is not None
    block.insert_op_before(new, anchor)
    return new.results[0]
