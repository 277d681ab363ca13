"""The host storey: scalars as Python means them, buffers as torch tensors."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation

from dycl.ir import host
from dycl.ir.host.types import dtype_of
from dycl.ir.interpreter.objects import LiveWorld
from dycl.ir.interpreter.signals import InterpreterError
from dycl.ir.semantics import BINARY, UNARY, compare

Launch = Callable[[str, Sequence[object]], Sequence[object]]


def evaluate_host(
    op: Operation, operands: Sequence[Any], world: LiveWorld, launch: Launch
) -> list[object]:
    """The results of a host op; a launch fills the buffers that it is given.

    Raises InterpreterError for an op that is not of the host storey.
    """
    match op:
        case host.ConstantOp():
            return [world.constant(op.value)]
        case host.ParamOp():
            return [world.param(op.path.data)]
        case host.AllocOp():
            return [_allocate(op.result.type)]
        case host.ViewOp():
            shape = op.result.type.get_shape()
            return [operands[0].reshape(shape)]
        case host.KeepOp():
            return [operands[0].clone()]
        case host.ReadOp():
            return [operands[0].item()]
        case host.LaunchOp():
            count = len(op.inputs)
            results = launch(op.kernel_name, operands[:count])
            for buffer, result in zip(operands[count:], results, strict=True):
                _fill(buffer, result)
            return []
        case _:
            return [_scalar(op, operands, world)]


def _scalar(op: Operation, operands: Sequence[Any], world: LiveWorld) -> object:
    match op:
        case host.UnaryOp():
            kind = op.kind.data
            return not operands[0] if kind == "not" else UNARY[kind](operands[0])
        case host.BinaryOp():
            return BINARY[op.kind.data](operands[0], operands[1])
        case host.CompareOp():
            return compare(op.kind.data, operands[0], operands[1], world)
        case host.TruthOp():
            return bool(operands[0])
        case _:
            raise InterpreterError(f"{op.name} cannot be run")


def _allocate(buffer: Attribute) -> object:
    import torch

    memref = cast("MemRefType[Attribute]", buffer)
    return torch.empty(memref.get_shape(), dtype=getattr(torch, dtype_of(memref)))


def _fill(buffer: Any, result: Any) -> None:
    if buffer.shape != result.shape or buffer.dtype != result.dtype:
        raise InterpreterError(
            f"a kernel gave {result.dtype} {list(result.shape)} for a buffer of "
            f"{buffer.dtype} {list(buffer.shape)}"
        )
    buffer.copy_(result)
