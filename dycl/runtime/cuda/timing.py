"""How long functions take on a device, by a clock of the processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dycl.runtime.cuda.driver import Device
from dycl.runtime.cuda.kernels import CudaKernel, FunctionCode, KernelCode, QueuedKernel
from dycl.runtime.cuda.memory import DeviceBuffer, Queue

Clock = Callable[[], float]
"""Seconds, from any time on."""


def microseconds(
    device: Device,
    functions: Sequence[FunctionCode],
    sizes: Sequence[int],
    clock: Clock,
    launches: int,
    rounds: int,
) -> float:
    """Of functions that run one after the other, the fastest of `rounds` graphs of
    `launches`; `sizes`: bytes of what their parameters are, which is all 0 for them.
    CudaError: the device cannot run them."""
    queue = Queue(device)
    code = KernelCode("timed", "", (False,) * len(sizes), (), tuple(functions))
    held = [DeviceBuffer(queue, np.dtype("u1"), (size,)) for size in sizes]
    for buffer in held:
        buffer.put(np.zeros(buffer.shape, buffer.dtype))
    kernel = QueuedKernel(CudaKernel(device, code), queue)
    bound = kernel.bind(*(buffer.address for buffer in held))

    def queue_all() -> None:
        for _ in range(launches):
            bound.queue_each()

    graph = device.capture(queue.stream, queue_all)
    try:
        times: list[float] = []
        for _ in range(rounds + 1):  # the first one is slower, and does not count
            begun = clock()
            device.check(device.launch_graph(graph, queue.stream), "a timed kernel")
            device.synchronize(queue.stream)
            times.append(clock() - begun)
    finally:
        device.destroy_graph(graph)
    return 1e6 * min(times[1:]) / launches
