"""Buffers on a device."""

from __future__ import annotations

import math
import weakref

import numpy as np

from dycl.runtime.buffers import Array, Buffer
from dycl.runtime.cuda.driver import Device
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import refused
from dycl.runtime.lent import Lent, Opened, Unfit


class Queue:
    """A device, and the stream in which one instance of a network does its work."""

    def __init__(self, device: Device):
        """CudaError: there is no memory for a stream."""
        self.device = device
        self.stream = device.make_stream()
        self.free: dict[int, list[Allocation]] = {}
        """By bytes, memory that nobody uses; all that did is queued."""
        self.launched: list[str] = []
        """The kernels since the last time that it was waited for."""
        weakref.finalize(self, device.destroy_stream, self.stream)

    def download(self, target: Array, address: int) -> None:
        """Fill an array. CudaError: a kernel before has failed."""
        self.device.download(target, address, self.stream)
        self.launched.clear()

    def name_launched(self, error: RuntimeError) -> None:
        """Say which kernels ran when something failed that is told later."""
        launched, self.launched = self.launched, []
        has_notes = hasattr(error, "add_note")  # as from Python 3.11 on
        if getattr(error, "code", None) == "DY505" and launched and has_notes:
            error.add_note(f"queued before it, the last one last: {launched[-5:]}")


class Allocation:
    """Memory of a device, which goes back with this object."""

    def __init__(self, device: Device, size: int):
        """CudaError: there is none left."""
        self.address = device.allocate(size)
        weakref.finalize(self, device.free, self.address)


class Pooled(Allocation):
    """Memory that, with this object, goes back to a stream, for what is queued next."""

    def __init__(self, queue: Queue, size: int):
        """CudaError: there is none left."""
        size = max(256, 1 << max(0, size - 1).bit_length())
        free = queue.free.setdefault(size, [])
        own = free.pop() if free else Allocation(queue.device, size)
        self.address = own.address
        weakref.finalize(self, free.append, own)


class Borrowed(Allocation):
    """Memory of someone else's, who knows that it is in use."""

    def __init__(self, opened: Opened):
        """Keeps what is lent."""
        self._opened = opened
        self.address = opened.address


class DeviceBuffer(Buffer):
    """A contiguous tensor on a device. `array` is a copy of what it holds."""

    __slots__ = ("_allocation", "_queue", "dtype", "shape")

    def __init__(
        self,
        queue: Queue,
        dtype: np.dtype,
        shape: tuple[int, ...],
        allocation: Allocation | None = None,
    ):
        """Memory of its own, uninitialised, or that of `allocation`. CudaError."""
        # `array` is not set, so that `__getattr__` is asked for it.
        self.dtype, self.shape, self._queue = dtype, shape, queue
        self._allocation = allocation or Allocation(queue.device, self.nbytes)
        self.address = self._allocation.address

    @property
    def nbytes(self) -> int:
        """Its size."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __getattr__(self, name: str) -> Array:
        """`array`: a copy of the elements, behind all that is queued. CudaError."""
        if name != "array":
            raise AttributeError(name)
        result = np.empty(self.shape, self.dtype)
        self._queue.download(result, self.address)
        return result

    def put(self, array: Array) -> None:
        """Copy an array of this dtype and shape there."""
        device = self._queue.device
        device.upload(self.address, np.ascontiguousarray(array), self._queue.stream)

    def fill(self, source: Buffer) -> None:
        """Queue a copy of the elements of another buffer, of the host or the device."""
        if not isinstance(source, DeviceBuffer):
            self.put(source.array)
            return
        self._queue.device.copy(
            self.address, source.address, self.nbytes, self._queue.stream
        )

    def dim(self, dimension: int) -> int:
        """The size of a dimension."""
        return self.shape[dimension]

    def view(self, shape: tuple[int, ...]) -> DeviceBuffer:
        """The same memory in another shape. ValueError: the sizes do not fit."""
        # A view of nothing: NumPy's rules, its -1 and its errors.
        like = np.broadcast_to(np.empty((), self.dtype), self.shape)
        if -1 in shape or math.prod(shape) != math.prod(self.shape):
            shape = like.reshape(shape).shape
        return DeviceBuffer(self._queue, self.dtype, shape, self._allocation)

    def __repr__(self) -> str:
        """Where it is; what it holds would have to be copied."""
        return f"DeviceBuffer({self.dtype}{list(self.shape)} at {self.address:#x})"


def borrowed(queue: Queue, value: Lent) -> DeviceBuffer:
    """What a caller lends, ready for what is queued. InputError: it is not what the
    network takes."""
    spec = value.spec
    dtype = numpy_dtype(spec.dtype)
    try:
        opened = Opened(value.value, queue.stream, dtype, spec.sizes)
    except Unfit as error:
        raise refused(spec, error.args[0]) from error
    return DeviceBuffer(queue, dtype, spec.sizes, Borrowed(opened))
