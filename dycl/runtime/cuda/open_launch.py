"""Launches of kernels whose sizes a call decides.

Before each launch the host computes the shapes of results, makes memory for them and
for temporaries, and says how many blocks each function has.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from dycl.runtime.buffers import Buffer
from dycl.runtime.cuda.driver import waits
from dycl.runtime.cuda.memory import DeviceBuffer, Pooled, Queue
from dycl.runtime.cuda.sizes import misfit, shapes_of, values_of
from dycl.runtime.inputs import InputError
from dycl.runtime.kernels import Argument
from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from types import EllipsisType

    from dycl.runtime.cuda.kernels import CudaKernel

_Given = Union[Argument, "EllipsisType"]


class OpenDeviceBuffer(DeviceBuffer):
    """A tensor whose sizes each launch decides, which makes its memory."""

    __slots__ = ()

    def __init__(self, queue: Queue, dtype: np.dtype, rank: int):
        """Of no elements, as long as nothing was launched."""
        super().__init__(queue, dtype, (0,) * rank, Pooled(queue, 0))

    def renew(self, shape: tuple[int, ...]) -> Pooled:
        """Have other memory, of this shape. What it had before, which may be read until
        the launch is queued. CudaError: there is none left."""
        before, self.shape = self._allocation, shape
        self._allocation = Pooled(self._queue, self.nbytes)
        self.address = self._allocation.address
        assert isinstance(before, Pooled)
        return before


class OpenLaunch:
    """The launches of a kernel with these arguments; what is `...` comes with a call.

    Sizes that do not go together are an InputError, which `failed` keeps for whoever
    asks first: the program may have an error of its own for them, behind the launch.
    """

    def __init__(
        self,
        kernel: CudaKernel,
        queue: Queue,
        arguments: Sequence[_Given],
        results: int,
    ):
        """`results`: how many of the arguments are; they stand last."""
        assert kernel.code.open is not None
        self._open = kernel.code.open
        self._kernel, self._queue, self._results = kernel, queue, results
        self._arguments = list(arguments)
        self._places = [i for i, a in enumerate(arguments) if a is ...]
        words, parts = kernel.words, len(self._open.temporaries)
        last = words + parts + len(self._open.numbers)  # always 0: no scratch memory
        self._slots = (ctypes.c_int64 * (last + 1))()
        first = ctypes.addressof(self._slots)
        self._functions: list[tuple[int, int, int, Any]] = []
        for handle, function in zip_equal(kernel.handles, kernel.code.functions):
            count = function.parameter_count
            used = [*function.parameters, *[last] * count][:count]
            pointers = (ctypes.c_void_p * count)(*(first + 8 * i for i in used))
            code = (handle, 32 * function.warps, function.shared, pointers)
            self._functions.append(code)
        self._waits = waits()

    def __call__(self, *values: Argument) -> InputError | None:
        """Queue the kernel; why sizes do not fit, and nothing runs. CudaError."""
        arguments: list[Any] = list(self._arguments)
        for place, value in zip_equal(self._places, values):
            arguments[place] = value
        sizes = values_of(self._open.steps, arguments)
        why = misfit(self._open, sizes)
        shapes = shapes_of(self._open, sizes)
        if why:
            shapes = [(0,) * len(shape) for shape in shapes]
        before = self._renewed(arguments[len(arguments) - self._results :], shapes)
        code = self._kernel.code
        if why:
            return InputError(f"sizes do not fit in {code.what}: {why}")
        kept = [Pooled(self._queue, sizes[i]) for i in self._open.temporaries]
        given = [
            *(self._word(i, value) for i, value in enumerate(arguments)),
            *(one.address for one in kept),
            *(sizes[i] for i in self._open.numbers),
        ]
        self._slots[: len(given)] = given
        self._queue.launched.append(code.what)
        self._launch_all(sizes)
        del before, kept  # from here on what is queued next may use it
        return None

    def _renewed(
        self, results: Sequence[Any], shapes: Sequence[tuple[int, ...]]
    ) -> list[Pooled]:
        pairs = zip_equal(results, shapes)
        return [r.renew(s) for r, s in pairs if isinstance(r, OpenDeviceBuffer)]

    def _word(self, index: int, value: Any) -> int:
        if isinstance(value, Buffer):
            return value.address
        if self._kernel.code.floats[index]:
            (value,) = struct.unpack("q", struct.pack("d", value))
        return int(value)

    def _launch_all(self, sizes: Sequence[int]) -> None:
        device, stream, what = (
            self._kernel.device,
            self._queue.stream,
            self._kernel.code.what,
        )
        for step, one in zip_equal(self._open.blocks, self._functions):
            handle, threads, shared, pointers = one
            if not sizes[step]:
                continue
            grid = (sizes[step], 1, 1, threads, 1, 1)
            status = device.launch(handle, *grid, shared, stream, pointers, None)
            if status:
                device.check(status, what)
        if self._waits:
            try:
                device.synchronize(stream)
            except RuntimeError as error:
                raise type(error)(f"{what}: {error.args[0]}") from error
