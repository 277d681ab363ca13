"""What only the host level has: buffers, as torch tensors, and launches into them."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation

from dycl.ir import host
from dycl.ir.host.types import dtype_of, is_static
from dycl.ir.interpreter.objects import LiveEnvironment
from dycl.ir.interpreter.signals import InterpreterError

Launch = Callable[[str, Sequence[object]], Sequence[object]]


class Memory:
    """The memory of one run: as on a real host, one piece for each op that asks."""

    def __init__(self) -> None:
        self._pieces: dict[Operation, object] = {}
        self._kept: dict[Operation, tuple[Any, Any]] = {}

    def buffer(self, op: host.AllocOp) -> object:
        """The piece of an op: what is in it is lost when it is filled again."""
        if op not in self._pieces:
            self._pieces[op] = _allocate(op.result.type)
        return self._pieces[op]

    def keep(self, op: host.KeepOp, source: Any) -> object:
        """A copy, in the one of two pieces that was not filled last."""
        if op not in self._kept:
            self._kept[op] = (_allocate(op.result.type), _allocate(op.result.type))
        if not is_static(op.result.type):
            return source.clone()
        last, following = self._kept[op]
        self._kept[op] = following, last
        following.copy_(source)
        return following


def evaluate_host(
    op: Operation,
    operands: Sequence[Any],
    environment: LiveEnvironment,
    launch: Launch,
    memory: Memory,
) -> list[object]:
    """The results of a host op; a launch fills the buffers that it is given.

    Raises InterpreterError for an op that is not of the host level.
    """
    match op:
        case host.ParamOp():
            return [environment.param(op.path.data)]
        case host.AllocOp():
            return [memory.buffer(op)]
        case host.ViewOp():
            shape = op.result.type.get_shape()
            return [operands[0].reshape(shape)]
        case host.KeepOp():
            return [memory.keep(op, operands[0])]
        case host.ReadOp():
            return [operands[0].item()]
        case host.CastOp():
            return [operands[0]]
        case host.LaunchOp():
            count = len(op.inputs)
            results = launch(op.kernel_name, operands[:count])
            types = [value.type for value in op.outputs]
            for buffer, result, passed in zip(
                operands[count:], results, types, strict=True
            ):
                _fill(buffer, result, passed)
            return []
        case _:
            raise InterpreterError(f"{op.name} cannot be run")


def own_items(op: Operation, operands: Sequence[Any]) -> list[object]:
    """What goes into a list: copies of buffers, which a launch may fill anew."""
    return [
        passed.clone() if isinstance(value.type, MemRefType) else passed
        for value, passed in zip(op.operands, operands, strict=True)
    ]


def _allocate(buffer: Attribute) -> object:
    import torch

    memref = cast("MemRefType[Attribute]", buffer)
    shape = [max(size, 0) for size in memref.get_shape()]
    return torch.empty(shape, dtype=getattr(torch, dtype_of(memref)))


def _fill(buffer: Any, result: Any, buffer_type: Attribute) -> None:
    if not is_static(buffer_type) and buffer.dtype == result.dtype:
        # New memory, as on a real host; that of a tensor which NumPy has seen is fixed.
        buffer.set_(result.clone().contiguous())
        return
    if buffer.shape != result.shape or buffer.dtype != result.dtype:
        raise InterpreterError(
            f"a kernel gave {result.dtype} {list(result.shape)} for a buffer of "
            f"{buffer.dtype} {list(buffer.shape)}"
        )
    buffer.copy_(result)
