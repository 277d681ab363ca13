"""Networks of which a GPU computes a part: its kernels, those of the processor, and
copies between the memories of both.

Copies are kernels as well: launches of them are counted and timed as others are. One
to the processor waits for the GPU.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Final

from dycl.runtime.buffers import Buffer, adopt
from dycl.runtime.cuda.kernels import CudaKernels, QueuedKernel, QueuedKernels
from dycl.runtime.cuda.memory import DeviceBuffer, Queue
from dycl.runtime.cuda.services import CudaServices
from dycl.runtime.host_services import HostServices
from dycl.runtime.items import Items
from dycl.runtime.kernels import Argument, KernelTable, Launch
from dycl.runtime.lent import DeviceArray


@dataclass(frozen=True)
class Copy:
    """A kernel that copies a tensor to the other memory."""

    name: str
    location: str
    """The user's line that needs it first."""
    to_device: bool
    nbytes: int

    @property
    def what(self) -> str:
        """What it is called in messages."""
        return f"@{self.name}" + (f" ({self.location})" if self.location else "")

    def failed(self, error: RuntimeError) -> RuntimeError:
        """A CudaError of this copy, which says which one it is."""
        return type(error)(f"{self.what}: {error.args[0]}")


def copies_as_json(copies: Sequence[Copy]) -> bytes:
    """Copies as a member of an artifact."""
    return (json.dumps([astuple(copy) for copy in copies]) + "\n").encode()


def copies_from_json(entries: Sequence[Any]) -> list[Copy]:
    """The copies of an artifact. TypeError: there are none."""
    return [Copy(*entry) for entry in entries]


class MixedKernels:
    """The kernels of a network by name, wherever they run; threads share them."""

    lends: Final = True
    """Whether the network takes tensors that are on the device."""

    def __init__(
        self,
        on_gpu: CudaKernels,
        others: KernelTable | Mapping[str, Any],
        copies: Sequence[Copy],
    ):
        """`others`: those of the processor."""
        self.on_gpu, self.others = on_gpu, others
        self.copies = {copy.name: copy for copy in copies}

    def make_services(self, weights: Any, load: Any, preparations: Any) -> HostServices:
        """What a printed host is given. CudaError: there is no GPU for it."""
        return MixedServices(self, weights, load, preparations)

    def queued(self, queue: Queue) -> KernelTable:
        """The kernels for one thread, with its stream."""
        return _Table(self, queue)


class _Table:
    """The kernels of one thread."""

    def __init__(self, kernels: MixedKernels, queue: Queue):
        self._kernels, self._queue = kernels, queue
        self._on_gpu = QueuedKernels(kernels.on_gpu, queue)

    def __getitem__(self, name: str) -> Any:
        """A kernel. KeyError: there is none; CudaError: it cannot be loaded."""
        copy = self._kernels.copies.get(name)
        if copy is not None:
            return _QueuedCopy(copy, self._queue)
        try:
            return self._kernels.others[name]
        except KeyError:
            return self._on_gpu[name]


class _QueuedCopy:
    """A copy in a stream."""

    workspace: Final = 0

    def __init__(self, copy: Copy, queue: Queue):
        self.copy, self._queue = copy, queue

    def bind(self, *arguments: float) -> _BoundCopy:
        """Lay out the addresses, from and to."""
        return _BoundCopy(self.copy, self._queue, arguments)


class _BoundCopy:
    def __init__(self, copy: Copy, queue: Queue, arguments: Sequence[float]):
        self._copy, self._queue = copy, queue
        self._addresses = [int(address) for address in arguments]

    def store(self, index: int, value: float) -> None:
        """Set an address."""
        self._addresses[index] = int(value)

    def __call__(self) -> None:
        """Copy. CudaError: it fails, or something before it has."""
        source, target = self._addresses
        device, stream = self._queue.device, self._queue.stream
        size = self._copy.nbytes
        try:
            if self._copy.to_device:
                device.copy_in(target, source, size, stream)
            else:
                device.copy_out(target, source, size, stream)
                self._queue.launched.clear()
        except RuntimeError as error:
            raise self._copy.failed(error) from error


class MixedServices(CudaServices):
    """One set of buffers in both memories, and a stream, for one thread."""

    def __init__(
        self, kernels: MixedKernels, weights: Any, load: Any, preparations: Any
    ):
        """As `HostServices`. CudaError: the GPU cannot run its part."""
        self._mixed = kernels
        self._downloaded: dict[tuple[object, ...], Buffer] = {}
        """Of this call, what was lent and is read by the processor."""
        super().__init__(kernels.on_gpu, weights, load, preparations)

    def _table(self, queue: Queue) -> KernelTable:
        """The kernels of this thread."""
        return self._mixed.queued(queue)

    def _given(self, index: int, value: Any) -> Any:
        """Arguments stay where they are: the program copies what the GPU reads."""
        return value

    def param(
        self, path: str, dtype: str, shape: tuple[int, ...], memory: str = ""
    ) -> Buffer:
        """The weight `path`, in a memory. As `HostServices.param`."""
        of = CudaServices if memory else HostServices
        return of.param(self, path, dtype, shape)

    def _placed(self, value: Buffer, memory: str) -> Buffer:
        return self._uploaded(value) if memory else value

    def buffer(self, dtype: str, shape: tuple[int, ...], memory: str = "") -> Buffer:
        """Memory for the output of a launch. CudaError: there is none left."""
        of = CudaServices if memory else HostServices
        return of.buffer(self, dtype, shape)

    def launch(self, name: str, inputs: Any, outputs: Any) -> Launch:
        """A launch of kernel `name`, whose arguments are in its memory.

        One that is lent is on the device, wherever the program has it: it is copied
        there, or for the processor.
        """
        launch = HostServices.launch(self, name, inputs, outputs)
        given = (*inputs, *outputs)
        kernel = self._kernels[name]
        if ... not in given or isinstance(kernel, QueuedKernel):
            return launch
        if isinstance(kernel, _QueuedCopy):
            return _copy_of_lent(kernel, launch, given)
        return lambda *values: launch(*map(self._on_host, values))

    def _on_host(self, value: Argument) -> Argument:
        """An argument of the processor; what is lent is copied once in a call."""
        if not isinstance(value, DeviceBuffer):
            return value
        key = value.address, value.dtype.str, value.shape
        if key not in self._downloaded:
            self._downloaded[key] = adopt(value.array)
        return self._downloaded[key]

    def opened(self, arguments: Sequence[Argument]) -> Sequence[Argument]:
        """As `CudaServices.opened`."""
        self._downloaded.clear()
        return super().opened(arguments)

    def result(self, value: Buffer | Items) -> Any:
        """A copy that belongs to the caller: on the device, if anything is lent."""
        if not self.lends or isinstance(value, (Items, DeviceBuffer)):
            return super().result(value)
        return DeviceArray(self._uploaded(value))


def _copy_of_lent(kernel: _QueuedCopy, launch: Launch, given: Sequence[Any]) -> Launch:
    """A launch of a copy that finds what is lent where it has to be."""

    def copy(*values: Argument) -> None:
        left = iter(values)
        source, target = [next(left) if one is ... else one for one in given]
        if isinstance(source, DeviceBuffer) and kernel.copy.to_device:
            assert isinstance(target, DeviceBuffer)
            try:
                target.fill(source)
            except RuntimeError as error:
                raise kernel.copy.failed(error) from error
        else:
            launch(*values)

    return copy
