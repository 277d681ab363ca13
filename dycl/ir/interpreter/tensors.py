"""The torch dialect, run by torch: every `torch.aten.*` is an overload of torch.ops."""

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation

from dycl.ir.custom_kernels import CUSTOM_KERNEL, CUSTOM_KERNEL_ARGUMENTS
from dycl.ir.dialect import TensorOp
from dycl.ir.interpreter.signals import InterpreterError
from dycl.ir.library import tensor_of
from dycl.ir.torch import (
    ConstantOp,
    DerefineOp,
    ListConstructOp,
    OperatorOp,
    TensorStaticInfoCastOp,
    TensorType,
    TorchOp,
    TupleConstructOp,
    VTensorLiteralOp,
)
from dycl.ir.torch.own_operators import NAMESPACE, define_operators
from dycl.ir.values import TensorConstant, from_attr


def evaluate_torch(op: TorchOp, operands: Sequence[Any]) -> list[object]:
    """The results of a torch op, given its operands' values.

    Tensors are torch.Tensor, `!torch.int` and its like Python scalars; dtypes, layouts
    and memory formats are the ints that torch-mlir uses. Raises InterpreterError for
    an op that torch has no function for, and what torch raises.
    """
    match op:
        case ConstantOp():
            return [op.python_value()]
        case VTensorLiteralOp():
            return [literal(op)]
        case ListConstructOp():
            return [list(operands)]
        case TupleConstructOp():
            return [tuple(operands)]
        case DerefineOp() | TensorStaticInfoCastOp():
            return list(operands)
        case OperatorOp():
            return _operator(op, operands)
        case _:
            special = _SPECIAL.get(op.name)
            if special is not None:
                return special(op, operands)
            return _call(overload(op.name), op, operands)


def literal(op: VTensorLiteralOp) -> object:
    """The tensor of a `torch.vtensor.literal`."""
    value = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise InterpreterError("the data of a dense_resource is not at hand")
    return tensor_of(cast(TensorConstant, from_attr(value)))


def overload(name: str) -> Any:
    """The torch.ops overload of an op: `torch.aten.add.Tensor`, `torch.aten.relu`.

    Raises InterpreterError when torch has none.
    """
    import torch

    _, namespace, function, kind = [*name.split("."), "", ""][:4]
    if namespace == NAMESPACE:
        define_operators()
    packet = getattr(getattr(torch.ops, namespace, None), function or "-", None)
    result = getattr(packet, kind or "default", None)
    if result is None:
        raise InterpreterError(f"torch has no function for {name}")
    return result


def _operator(op: OperatorOp, operands: Sequence[Any]) -> list[object]:
    """An operator by its name: one of `torch.library`, or an op on tensors of ours."""
    name = op.operator_name.data
    if name.startswith("torch."):
        return _call(overload(name), op, operands)
    of_kernel = (CUSTOM_KERNEL, CUSTOM_KERNEL_ARGUMENTS)
    given = {k: v for k, v in op.attributes.items() if k not in of_kernel}
    result: Any = tensor_op(name).create(properties=given).evaluate(*operands)
    return [result] if len(op.results) == 1 else list(result)


def tensor_op(name: str) -> type[TensorOp]:
    """The class of an op on tensors, by the op's name. InterpreterError: none."""
    known = list(TensorOp.__subclasses__())
    for item in known:
        if item.name == name:
            return item
        known += item.__subclasses__()
    raise InterpreterError(f"there is no op {name} on tensors")


def _call(function: Any, op: Operation, operands: Sequence[Any]) -> list[object]:
    schema = function._schema.arguments
    if len(operands) > len(schema):
        raise InterpreterError(
            f"{op.name} takes {len(schema)} operands, got {len(operands)}"
        )
    pairs = list(zip(schema, operands, strict=False))
    args = [value for argument, value in pairs if not argument.kwarg_only]
    kwargs = {a.name: value for a, value in pairs if a.kwarg_only}
    result = function(*args, **kwargs)
    if len(op.results) == 1:
        return [result]
    return list(result) if op.results else []


def _constant_attribute(op: Operation, operands: Sequence[Any]) -> list[object]:
    return [from_attr(op.properties["value"])]


def _constant_device(op: Operation, operands: Sequence[Any]) -> list[object]:
    import torch

    return [torch.device(str(from_attr(op.properties["value"])))]


def _tensor_from_number(op: Operation, operands: Sequence[Any]) -> list[object]:
    import torch

    from dycl.ir.dtypes import torch_dtype

    result = op.results[0].type
    element = result.element_type() if isinstance(result, TensorType) else None
    dtype = None if element is None else torch_dtype(element)
    return [torch.tensor(operands[0], dtype=dtype)]


def _assert(op: Operation, operands: Sequence[Any]) -> list[object]:
    if not operands[0]:
        raise AssertionError(from_attr(op.properties["message"]))
    return []


def _raise(op: Operation, operands: Sequence[Any]) -> list[object]:
    raise RuntimeError(operands[0])


def _view(op: Operation, operands: Sequence[Any]) -> list[object]:
    """A tensor of the IR has no strides, so one that torch has transposed has views."""
    return [operands[0].reshape(operands[1])]


def _sort(op: Operation, operands: Sequence[Any]) -> list[object]:
    """A sort of the IR keeps equal elements in order, as kernels do."""
    x, dim, descending = operands
    return list(x.sort(dim=dim, descending=descending, stable=True))


def _tolist(op: Operation, operands: Sequence[Any]) -> list[object]:
    return [operands[0].tolist()]


def _one(function: Callable[..., object]) -> Callable[..., list[object]]:
    def evaluate(op: Operation, operands: Sequence[Any]) -> list[object]:
        return [function(*operands)]

    return evaluate


def _all(op: Operation, operands: Sequence[Any]) -> list[object]:
    return list(operands[0])


# What torch.ops lacks, or would not take from Python.
_SPECIAL: dict[str, Callable[..., list[object]]] = {
    "torch.aten.sort": _sort,
    "torch.aten.view": _view,
    "torch.constant.device": _constant_device,
    "torch.constant.number": _constant_attribute,
    "torch.prim.ListUnpack": _all,
    "torch.prim.NumToTensor.Scalar": _tensor_from_number,
    "torch.prim.RaiseException": _raise,
    "torch.prim.TupleIndex": _one(operator.getitem),
    "torch.prim.TupleUnpack": _all,
    "torch.prim.abs.Scalar": _one(abs),
    "torch.prim.tolist": _tolist,
    "torch.prim.unchecked_cast": _one(lambda value: value),
    "torch.runtime.assert": _assert,
}
