"""What a GPU computes of a network whose host is native code.

The host asks for it as for the kernels of engines: see device.h and, for what the host
says of itself, `dycl.host.native.on_device`. It knows buffers of the GPU by addresses
in its arena: that part of the arena has its like on the GPU, where each buffer is at
the same place. Weights and constants are copied there when they are first asked for.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from dycl.runtime.buffers import Buffer, adopt
from dycl.runtime.cuda.driver import CudaError
from dycl.runtime.cuda.kernels import QueuedKernel, QueuedKernels
from dycl.runtime.cuda.memory import Allocation, DeviceBuffer, Queue, borrowed
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.engines.calls import KnownCalls
from dycl.runtime.lent import DeviceArray, Lent
from dycl.runtime.locks import Lock
from dycl.runtime.values import ARENA, ARGUMENTS, Reader, Values, words_at

if TYPE_CHECKING:
    from dycl.runtime.cuda.mixed import Copy, MixedKernels
    from dycl.runtime.kernels import Argument

_COPY_WITHIN, _FETCH, _FIRST = -1, -2, -3
"""Sessions, as in device.h."""
_READS: dict[str, Callable[[int], Any]] = {
    "int": lambda address: ctypes.c_int64.from_address(address).value,
    "float": lambda address: ctypes.c_double.from_address(address).value,
    "bool": lambda address: ctypes.c_bool.from_address(address).value,
}
"""The number at an address, by its kind."""


class Uploads:
    """Weights and constants on the GPU, for all handles with the same weights."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[tuple[int, int], Allocation] = {}

    def at(self, address: int, size: int, queue: Queue) -> int:
        """Where a copy is of what never changes. CudaError: there is no memory."""
        with self._lock.lock:
            known = self._known.get((address, size))
            if known is None:
                known = Allocation(queue.device, size)
                queue.device.copy_in(known.address, address, size, queue.stream)
                queue.device.synchronize(queue.stream)  # Others do not wait for it.
                self._known[address, size] = known
            return known.address


class GpuPart:
    """The part of a GPU in the runs of one handle."""

    def __init__(
        self,
        kernels: MixedKernels,
        said: Mapping[str, Any],
        uploads: Uploads,
        values: Values,
    ):
        """`said`: what "on_gpu" of host.json is. The GPU is asked for when a run needs
        it. LookupError: a kernel is not there."""
        self._kernels, self._uploads, self._values = kernels, uploads, values
        self._listed: Sequence[tuple[str, Sequence[int | str]]] = said["kernels"]
        self._read: Sequence[int] = said["read"]
        first, end = said["memory"]
        self._arena, self._size = values.words[ARENA] + first, end - first
        self._started: _Started | None = None
        self._calls: dict[int, KnownCalls] = {}
        self._inputs: dict[int, Buffer] = {}
        """Memory of the processor that stands for what is lent, by the input."""
        self._lent: dict[int, DeviceBuffer] = {}
        """Of this call, what is lent, by the address of what stands for it."""
        self._fetched: set[int] = set()
        """Of this call, what is returned from memory of the GPU, if results stay."""
        self._lends = False
        """Whether results stay on the device."""
        self.waits = False
        """Whether a launch ends when the GPU has done it, as a profile wants it."""
        self._words: tuple[int, Any] = (0, None)
        """The arguments of the last copy, and where they were."""
        self._thread = 0
        """The thread whose device the GPU is, since a run has begun."""

    def begin(self) -> None:
        """A run begins, before which the thread may have had another device."""
        self._thread = 0

    def begins(self, run: Callable[[Any], int]) -> Callable[[Any], int]:
        """The same run, which says that it begins."""

        def begun(arguments: Any) -> int:
            self._thread = 0
            return run(arguments)

        return begun

    # ---- what native code asks for

    def run(self, session: int) -> None:
        """Do what a session stands for. CudaError: it fails."""
        address: int = self._values.words[ARGUMENTS]
        try:
            gpu = self._activated(session)
            if session > _FIRST:
                if address != self._words[0]:
                    self._words = address, words_at(address, 3)
                self._copy(gpu, session, *self._words[1])
            else:
                calls = self._calls.get(session)
                if calls is None:
                    calls = self._calls[session] = self._known(gpu, session)
                calls.at(address)()
            if self.waits:
                self._wait(gpu, session)
        except RuntimeError as error:
            if self._started is not None:
                self._started.queue.name_launched(error)
            raise

    def _wait(self, gpu: _Started, session: int) -> None:
        try:
            gpu.queue.device.synchronize(gpu.queue.stream)
        except CudaError as error:
            raise type(error)(f"{self._what(session)}: {error.args[0]}") from error

    def _copy(
        self, gpu: _Started, session: int, source: int, target: int, size: int
    ) -> None:
        device, stream = gpu.queue.device, gpu.queue.stream
        if session == _COPY_WITHIN:
            given, kept = self._address(source, size), self._address(target, size)
            device.copy(kept, given, size, stream)
        elif self._lends:
            self._fetched.add(source)
        elif self._is_there(source):
            device.copy_out(target, self._address(source, size), size, stream)
            gpu.queue.launched.clear()

    def _activated(self, session: int) -> _Started:
        """What there is on the GPU, for the calling thread. CudaError: no GPU."""
        if self._started is None:
            try:
                self._started = _Started(self._kernels, self._size)
            except CudaError as error:
                what = self._what(session)
                raise type(error)(f"{what} is for a GPU: {error.args[0]}") from error
        thread = get_ident()
        if thread != self._thread:
            self._started.queue.device.activate()
            self._thread = thread
        return self._started

    def _what(self, session: int) -> str:
        name = self._listed[max(0, _FIRST - session)][0]
        copy = self._kernels.copies.get(name)
        return f"kernel @{name}" if copy is None else copy.what

    def _known(self, gpu: _Started, session: int) -> KnownCalls:
        name, kinds = self._listed[_FIRST - session]
        copy = self._kernels.copies.get(name)
        if copy is not None:
            return KnownCalls(lambda: _CopyCall(self, gpu.queue, copy), len(kinds))
        kernel = gpu.kernels[name]
        return KnownCalls(lambda: _KernelCall(self, gpu, kernel, kinds), len(kinds))

    # ---- memory

    def _is_there(self, address: int) -> bool:
        """Whether an address of the host stands for memory of the GPU."""
        return 0 <= address - self._arena < self._size

    def _address(self, address: int, size: int) -> int:
        """Where on the GPU is what the host calls so, which has so many bytes."""
        gpu = self._started
        assert gpu is not None
        if self._is_there(address):
            return gpu.memory.address + address - self._arena
        return self._uploads.at(address, size, gpu.queue)

    def on_gpu(self, address: int, size: int) -> int:
        """As `_address`, for calls."""
        return self._address(address, size)

    def lent_at(self, address: int) -> DeviceBuffer | None:
        """What is lent, and known by this address; None: nothing."""
        return self._lent.get(address)

    # ---- what is on the device already

    @staticmethod
    def is_lent(arguments: Sequence[Argument]) -> bool:
        """Whether the caller lends tensors of the device, and gets such."""
        return any(isinstance(value, Lent) for value in arguments)

    @contextmanager
    def lending(self, arguments: Sequence[Argument]) -> Generator[Sequence[Argument]]:
        """The arguments of a call of which some are lent: memory of the processor,
        which is filled if that reads it. InputError: one is not what the network takes.
        CudaError.

        Results stay on the device, for readers by `leaf`; all is done when it ends.
        """
        self._lends = True
        try:
            queue = self._activated(_FIRST).queue
            yield [
                self._stand_in(place, value, queue)
                if isinstance(value, Lent)
                else value
                for place, value in enumerate(arguments)
            ]
            queue.device.synchronize(queue.stream)
        finally:
            self._lends = False
            self._lent.clear()
            self._fetched.clear()

    def _stand_in(self, place: int, value: Lent, queue: Queue) -> Buffer:
        lent = borrowed(queue, value)
        known = self._inputs.get(place)
        if known is None:
            known = self._inputs[place] = adopt(np.empty(lent.shape, lent.dtype))
        if place in self._read:
            queue.download(known.array, lent.address)
        self._lent[known.address] = lent
        return known

    def leaf(self, place: int, kind: Any) -> Reader:
        """What reads a place of the outputs, and leaves it on the device."""
        plain, outputs = self._values.reader(place, kind), self._values.outputs
        if not isinstance(kind, list):
            return plain
        listed: list[Any] = kind
        dtype, shape = numpy_dtype(listed[0]), tuple(listed[1])

        def read() -> DeviceArray:
            assert self._started is not None
            queue, address = self._started.queue, outputs[place]
            lent = self._lent.get(address)
            array = plain() if lent is None and address not in self._fetched else None
            sizes = shape if array is None else array.shape
            copy = DeviceBuffer(queue, dtype, sizes)
            if array is not None:
                copy.put(array)
            elif lent is not None:
                copy.fill(lent)
            else:
                found = self._address(address, copy.nbytes)
                queue.device.copy(copy.address, found, copy.nbytes, queue.stream)
            return DeviceArray(copy)

        return read


def part_of(
    kernels: MixedKernels | None, values: Values, uploads: Uploads | None
) -> GpuPart | None:
    """What a GPU computes in the runs of a handle; None: nothing."""
    if kernels is None or uploads is None:
        return None
    return GpuPart(kernels, values.tables["on_gpu"], uploads, values)


class _Started:
    """What a handle has on the GPU: a stream, memory, and kernels in that stream."""

    def __init__(self, kernels: MixedKernels, size: int):
        """CudaError: there is no GPU, or no memory left."""
        device = kernels.on_gpu.device
        device.activate()
        self.queue = Queue(device)
        self.memory = Allocation(device, size)
        self.kernels = QueuedKernels(kernels.on_gpu, self.queue)
        self._workspaces: list[tuple[int, Allocation]] = []

    def workspace(self, size: int) -> int:
        """Memory for one launch at a time; where there is enough, the same for all."""
        for known, memory in self._workspaces:
            if known >= size:
                return memory.address
        own = Allocation(self.queue.device, size)
        self._workspaces.append((size, own))
        return own.address


class _KernelCall:
    """A kernel on the arguments that it was told last."""

    def __init__(
        self,
        part: GpuPart,
        gpu: _Started,
        kernel: QueuedKernel,
        kinds: Sequence[int | str],
    ):
        size = kernel.workspace
        workspace = [gpu.workspace(size)] if size else []
        self._part, self._kinds = part, kinds
        self._bound = kernel.bind(*[0] * len(kinds), *workspace)
        self._numbers: dict[int, tuple[Callable[[int], Any], int]] = {}

    def store(self, index: int, address: int) -> None:
        """Where the host has argument `index`. CudaError: no memory for a weight."""
        kind = self._kinds[index]
        if isinstance(kind, str):
            self._numbers[index] = _READS[kind], address
        else:
            self._bound.store(index, self._part.on_gpu(address, kind))

    def __call__(self) -> None:
        """Queue it. CudaError."""
        for index, (read, address) in self._numbers.items():
            self._bound.store(index, read(address))
        self._bound()


class _CopyCall:
    """A copy to the GPU, or from there."""

    def __init__(self, part: GpuPart, queue: Queue, copy: Copy):
        self._part, self._queue, self._copy = part, queue, copy
        self._addresses = [0, 0]

    def store(self, index: int, address: int) -> None:
        """Where the host has what is copied, and where it wants it."""
        self._addresses[index] = address

    def __call__(self) -> None:
        """Copy. CudaError: it fails, or something before it has."""
        (source, target), size = self._addresses, self._copy.nbytes
        device, stream = self._queue.device, self._queue.stream
        try:
            if not self._copy.to_device:
                device.copy_out(target, self._part.on_gpu(source, size), size, stream)
                self._queue.launched.clear()
                return
            there = self._part.on_gpu(target, size)
            lent = self._part.lent_at(source)
            if lent is None:
                device.copy_in(there, source, size, stream)
            else:
                device.copy(there, lent.address, size, stream)
        except RuntimeError as error:
            raise self._copy.failed(error) from error
