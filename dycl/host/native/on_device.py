"""What a GPU computes of a network, as lines of C: see device.h.

The runtime (`dycl.runtime.cuda.beside_native`) is told by "on_gpu" of host.json:

    kernels  for each kernel of the GPU, and each copy, its name and arguments: how many
             bytes a tensor has, `"int"`, `"float"` or `"bool"` for a number. Number i
             is session -3 - i
    memory   the first byte of the arena that stands for memory of the GPU, and the
             first one behind it
    read     the inputs, by their places, that the processor may read: the others are
             copied to the GPU only
"""

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.host.native.engine_calls import device_call
from dycl.host.native.types import CannotPrint
from dycl.ir import host
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.host.memories import HOST, memory_of
from dycl.ir.host.types import NUMBERS, arena_size, byte_size
from dycl.ir.walking import walk

_FIRST = -3
"""The session of the first kernel; those above it are in device.h."""


class OnDevice:
    """The kernels of a GPU, and copies to its memory and back."""

    def __init__(self, func: host.FuncOp, kernels: Mapping[str, host.LaunchOp]):
        """`kernels`: each with a launch of it. CannotPrint: memory of the GPU is within
        a function that calls itself."""
        self._func = func
        self._numbers = {name: _FIRST - i for i, name in enumerate(kernels)}
        self._kernels = kernels
        for op in walk(func.body):
            if is_there(op) and function_around(op) is not None:
                raise CannotPrint("memory of a GPU in a recursion")

    def __contains__(self, kernel: str) -> bool:
        """Whether a GPU computes this kernel, or it is a copy."""
        return kernel in self._numbers

    def __bool__(self) -> bool:
        """Whether there is any such kernel."""
        return bool(self._numbers)

    def function(self, kernel: str, short: str, kinds: Sequence[str]) -> list[str]:
        """The function of a kernel, `short` in C, that takes arguments of these C
        types."""
        return device_call(short, kinds, self._numbers[kernel])

    def fetched(
        self, values: Sequence[SSAValue], texts: Mapping[SSAValue, str]
    ) -> list[str]:
        """The lines that bring what is returned to where the caller looks for it."""
        lines: list[str] = []
        for value in dict.fromkeys(values):
            if memory_of(value.type) != HOST:
                assert isinstance(value.type, MemRefType)
                text, size = texts[value], byte_size(value.type)
                call = f"dycl_on_device(h, DYCL_FETCH, {text}, {text}, {size})"
                lines += [f"if ({call})", "    STOP;"]
        return lines

    def tables(self, offsets: Mapping[Operation, tuple[int, ...]]) -> dict[str, Any]:
        """What host.json says of them; nothing, if there are none."""
        if not self:
            return {}
        spans: list[tuple[int, int]] = []
        for op, starts in offsets.items():
            if is_there(op):
                buffer = op.results[0].type
                assert isinstance(buffer, MemRefType)
                spans.append((min(starts), max(starts) + arena_size(buffer)))
        return {
            "on_gpu": {
                "kernels": [[n, _arguments(op)] for n, op in self._kernels.items()],
                "memory": [
                    min((first for first, _ in spans), default=0),
                    max((end for _, end in spans), default=0),
                ],
                "read": self._read(),
            }
        }

    def _read(self) -> list[int]:
        return [
            place
            for place, value in enumerate(self._func.body.block.args)
            if not all(self._is_elsewhere(use.operation) for use in value.uses)
        ]

    def _is_elsewhere(self, op: Operation) -> bool:
        """Whether an op that has an input reads it on the GPU, or hands it out."""
        if isinstance(op, host.LaunchOp):
            return op.kernel_name in self
        return isinstance(op, d.ReturnOp)


def is_there(op: Operation) -> bool:
    """Whether an op makes a buffer in memory of a GPU."""
    is_made = isinstance(op, host.AllocOp | host.KeepOp)
    return is_made and memory_of(op.results[0].type) != HOST


def _arguments(op: host.LaunchOp) -> list[int | str]:
    return [_argument(value) for value in (*op.inputs, *op.outputs)]


def _argument(value: SSAValue) -> int | str:
    if isinstance(value.type, MemRefType):
        return byte_size(value.type)
    return NUMBERS[value.type]
