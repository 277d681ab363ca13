"""What launches and copies take on a GPU: by its own clock, between two events."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dycl.driver.placement.timing import argument
from dycl.kernels import KernelSpec, TensorSpec
from dycl.runtime.buffers import Buffer, allocate
from dycl.runtime.cuda import device
from dycl.runtime.cuda.kernels import CudaKernels, QueuedKernels
from dycl.runtime.cuda.memory import DeviceBuffer, Queue
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.kernels import Launch, make_launch

_SMALL, _LARGE = 64, 1 << 18
"""Bytes of the copies that are timed."""
_COPIES = 9


class GpuRun:
    """Launches of a kernel on a GPU, on numbers that it keeps."""

    def __init__(self, queue: Queue, launch: Launch, kept: Sequence[object]):
        self._queue, self._launch, self._kept = queue, launch, kept

    def __call__(self) -> None:
        """Launch once, and wait."""
        self._launch()
        self._queue.device.synchronize(self._queue.stream)

    def seconds(self, count: int) -> float:
        """What so many launches take, one after the other."""
        return elapsed(self._queue, self._launch, count)


def gpu_runner(kernels: CudaKernels, spec: KernelSpec) -> GpuRun | None:
    """What launches a kernel; None: sizes are open. CudaError: it cannot be loaded."""
    tensors = [s for s in (*spec.inputs, *spec.outputs) if isinstance(s, TensorSpec)]
    if any(tensor.open_dims for tensor in tensors):
        return None
    kernels.device.activate()
    queue = Queue(kernels.device)
    random = np.random.default_rng(0)

    def on_device(value: Any) -> Any:
        if not isinstance(value, Buffer):
            return value
        array = value.array
        result = DeviceBuffer(queue, array.dtype, array.shape)
        result.put(array)
        return result

    inputs = [on_device(argument(one, random)) for one in spec.inputs]
    outputs = [_buffer(queue, one.dtype, one.shape) for one in spec.outputs]
    kernel = QueuedKernels(kernels, queue)[spec.name]
    own = [_buffer(queue, "uint8", (kernel.workspace,))] if kernel.workspace else []
    launch = make_launch(kernel, [*inputs, *outputs, *own])
    return GpuRun(queue, launch, (inputs, outputs, own))


def _buffer(queue: Queue, dtype: str, shape: tuple[int, ...]) -> DeviceBuffer:
    return DeviceBuffer(queue, numpy_dtype(dtype), shape)


def copy_times() -> tuple[float, float]:
    """Microseconds that a small copy between the memories takes, the mean of both
    ways, and gigabytes a second of a large one beyond that. CudaError: there is no GPU.
    """
    gpu = device()
    gpu.activate()
    queue = Queue(gpu)
    small, large = (_seconds_of_copies(queue, size) for size in (_SMALL, _LARGE))
    beyond = max(large - small, 1e-9)
    return small * 1e6, (_LARGE - _SMALL) / beyond / 1e9


def _seconds_of_copies(queue: Queue, size: int) -> float:
    there, here = _buffer(queue, "uint8", (size,)), allocate("uint8", (size,))
    here.array.fill(0)
    gpu, stream = queue.device, queue.stream

    def both_ways() -> None:
        gpu.copy_in(there.address, here.address, size, stream)
        gpu.copy_out(here.address, there.address, size, stream)

    return min(elapsed(queue, both_ways, 1) for _ in range(_COPIES)) / 2


def elapsed(queue: Queue, run: Callable[[], None], count: int) -> float:
    """Seconds between two events of a stream, with so many runs between them."""
    gpu, stream = queue.device, queue.stream
    with gpu.events(2) as (start, end):
        gpu.record(start, stream)
        for _ in range(count):
            run()
        gpu.record(end, stream)
        gpu.synchronize(stream)
        return gpu.milliseconds(start, end) / 1e3
