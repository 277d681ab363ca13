"""What printed hosts call `rt`, where kernels run on a GPU.

Weights, constants and buffers are on the device. A decision copies the one element that
it reads; what is returned is copied. Lists are on the host, and what a kernel reads of
one is copied to the device for that. Segments of the host are graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Union

from dycl.runtime.buffers import Buffer, Weight
from dycl.runtime.cuda.graph_run import SegmentRun
from dycl.runtime.cuda.graph_runs import GraphRuns
from dycl.runtime.cuda.kernels import CudaKernels, QueuedKernel, QueuedKernels
from dycl.runtime.cuda.memory import DeviceBuffer, Pooled, Queue, borrowed
from dycl.runtime.cuda.open_launch import OpenDeviceBuffer, OpenLaunch
from dycl.runtime.cuda.variants import NoVariant
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.host_services import HostServices, Segment
from dycl.runtime.inputs import InputError
from dycl.runtime.items import Items
from dycl.runtime.kernels import Argument, KernelTable, Launch
from dycl.runtime.lent import DeviceArray, Lent
from dycl.runtime.preparation import Preparations
from dycl.runtime.weight_set import WeightSet

if TYPE_CHECKING:
    from types import EllipsisType

    from dycl.runtime.cuda.tree import Tree

_KERNELS_ALIGN: Final = 16
"""Bytes; PTX loads so many at once."""
_Given = Union[Argument, "EllipsisType"]
"""An argument of a launch; `...`: it is given at each call."""


class CudaServices(HostServices):
    """One set of buffers on the device, and a stream, for one thread."""

    def __init__(
        self,
        kernels: CudaKernels,
        weights: WeightSet,
        load: Callable[[HostServices], Callable[..., Any]],
        preparations: Preparations,
        segments: Mapping[int, Tree] | None = None,
    ):
        """As `HostServices`; `segments`: parts of the host that are run as graphs, by
        number. CudaError: the GPU cannot run it."""
        self._segments = segments or {}
        self.device = kernels.device
        self.device.activate()
        self.queue = Queue(self.device)
        self.all_kernels = kernels
        self._own: dict[int, DeviceBuffer] = {}
        self._copied: list[DeviceBuffer] = []
        self._misfit: InputError | None = None
        """Why the last launch was none, as long as nobody has said so."""
        self.lends = False
        """Whether the caller has lent tensors of the device, and gets such."""
        super().__init__(self._table(self.queue), weights, load, preparations)
        self._forward = self.forward
        self.forward = self._run

    def _table(self, queue: Queue) -> KernelTable:
        """The kernels of this thread."""
        return QueuedKernels(self.all_kernels, queue)

    def close(self) -> None:
        """Let go of what refers to this."""
        super().close()
        self._forward = self.forward

    def start(self) -> None:
        """Forget the path of the last call."""
        super().start()
        self._misfit = None
        self.device.activate()

    def finish(self) -> None:
        """Wait until all that was launched is done. CudaError: something failed."""
        self.device.synchronize(self.queue.stream)

    def _run(self, *arguments: Argument) -> Any:
        """The host on arguments of the CPU."""
        given = [self._given(i, v) for i, v in enumerate(self.opened(arguments))]
        try:
            returned = self._forward(*given)
            self._raise_misfit()
            self.end_lending()
            return returned
        except RuntimeError as error:
            self.queue.name_launched(error)
            raise
        finally:
            self._copied.clear()

    # ---- what is on the device already

    def opened(self, arguments: Sequence[Argument]) -> Sequence[Argument]:
        """The arguments, each that is lent as memory of the device. InputError: one is
        not what the network takes.

        From now on results stay on the device, if any is lent.
        """
        self.lends = any(isinstance(value, Lent) for value in arguments)
        if not self.lends:
            return arguments
        return [
            self._lent(value) if isinstance(value, Lent) else value
            for value in arguments
        ]

    def _lent(self, value: Lent) -> DeviceBuffer:
        lent = borrowed(self.queue, value)
        if not lent.address % _KERNELS_ALIGN:
            return lent
        own = DeviceBuffer(self.queue, lent.dtype, lent.shape)
        own.fill(lent)
        self._copied.append(lent)
        return own

    def end_lending(self) -> None:
        """Wait until what is lent is read, and what is returned is there."""
        if self.lends:
            self.finish()
            self._copied.clear()

    def owned(self, buffer: DeviceBuffer) -> Any:
        """A copy for the caller: an array, or what stays on the device."""
        if not self.lends:
            return buffer.array
        copy = DeviceBuffer(self.queue, buffer.dtype, buffer.shape)
        copy.fill(buffer)
        return DeviceArray(copy)

    def _given(self, index: int, value: Argument) -> Argument:
        """An argument on the device, in memory that every call uses."""
        if not isinstance(value, Buffer) or isinstance(value, DeviceBuffer):
            return value
        known = self._own.get(index)
        array = value.array
        if known is None or (known.shape, known.dtype) != (array.shape, array.dtype):
            known = self._own[index] = self._uploaded(value)
        else:
            known.put(array)
        return known

    def _uploaded(self, value: Buffer) -> DeviceBuffer:
        array = value.array
        result = DeviceBuffer(self.queue, array.dtype, array.shape)
        result.put(array)
        return result

    def param(
        self, path: str, dtype: str, shape: tuple[int, ...], memory: str = ""
    ) -> Buffer:
        """The weight `path`, which all threads share. As `HostServices.param`."""
        weight = super().param(path, dtype, shape)
        assert isinstance(weight, Weight)

        def upload() -> DeviceBuffer:
            result = self._uploaded(weight)
            self.device.synchronize(self.queue.stream)  # Others do not wait for it.
            return result

        return self.all_kernels.weight(self.weights, path, upload)

    def constant(
        self,
        dtype: str,
        shape: tuple[int, ...],
        values: Sequence[Any],
        memory: str = "",
    ) -> Buffer:
        """A constant tensor; see `HostServices.constant`."""
        return self._placed(super().constant(dtype, shape, values), memory)

    def packed(
        self, dtype: str, shape: tuple[int, ...], text: str, memory: str = ""
    ) -> Buffer:
        """A constant tensor; see `HostServices.packed`."""
        return self._placed(super().packed(dtype, shape, text), memory)

    def _placed(self, value: Buffer, memory: str) -> Buffer:
        """A constant in the memory from which it is read."""
        return self._uploaded(value)

    def buffer(self, dtype: str, shape: tuple[int, ...], memory: str = "") -> Buffer:
        """Memory for the output of a launch. CudaError: there is none left."""
        if -1 in shape:
            return OpenDeviceBuffer(self.queue, numpy_dtype(dtype), len(shape))
        return DeviceBuffer(self.queue, numpy_dtype(dtype), shape)

    def keeper(self, dtype: str, shape: tuple[int, ...], memory: str = "") -> Any:
        """Keeps what one iteration of a loop hands to the next."""
        if -1 in shape:
            return self._kept_copy
        return super().keeper(dtype, shape, memory)

    def _kept_copy(self, source: Buffer) -> Buffer:
        if not isinstance(source, DeviceBuffer):
            return Buffer(source.array.copy())
        memory = Pooled(self.queue, source.nbytes)
        copy = DeviceBuffer(self.queue, source.dtype, source.shape, memory)
        copy.fill(source)
        return copy

    def launch(
        self, name: str, inputs: Sequence[_Given], outputs: Sequence[_Given]
    ) -> Launch:
        """A launch of kernel `name`; see `HostServices.launch`."""
        kernel = self._kernels[name]
        if isinstance(kernel, QueuedKernel) and kernel.kernel.code.open:
            return self._open_launch(kernel, inputs, outputs)
        launch = super().launch(name, inputs, outputs)
        if ... not in (*inputs, *outputs):
            return launch
        return lambda *values: launch(*map(self._on_device, values))

    def _open_launch(
        self, kernel: QueuedKernel, inputs: Sequence[_Given], outputs: Sequence[_Given]
    ) -> Launch:
        """A launch of a kernel whose sizes a call decides."""
        given = [a if a is ... else self._on_device(a) for a in (*inputs, *outputs)]
        self._kept.append([*given, *self._copied])
        run = OpenLaunch(kernel.kernel, self.queue, given, len(outputs))

        def launch(*values: Argument) -> None:
            self._raise_misfit()
            self._misfit = run(*map(self._on_device, values))

        return launch

    def _raise_misfit(self) -> None:
        """InputError: sizes of a launch did not go together."""
        if self._misfit is not None:
            error, self._misfit = self._misfit, None
            raise error

    def checked(self, value: Any, condition: bool, message: str) -> Any:
        """The value; see `HostServices.checked`, whose error comes first."""
        if not condition:
            self._misfit = None
        super().checked(value, condition, message)
        self._raise_misfit()
        return value

    def segment(self, number: int) -> Segment:
        """A part of the host as one graph, if it is to be one here."""
        tree = self._segments.get(number)
        if tree is None:
            return super().segment(number)
        try:
            return SegmentRun(GraphRuns(tree, self), self)
        except NoVariant as error:
            self.all_kernels.is_no_graph(tree.name, error)
            return super().segment(number)

    def _on_device(self, value: Argument) -> Argument:
        """An argument of a launch; what is of the host is copied until the run ends."""
        if not isinstance(value, Buffer) or isinstance(value, DeviceBuffer):
            return value
        self._copied.append(self._uploaded(value))
        return self._copied[-1]

    def result(self, value: Buffer | Items) -> Any:
        """A copy that belongs to the caller; of a list, a list of copies."""
        self._raise_misfit()
        if isinstance(value, DeviceBuffer):
            return self.owned(value)
        return super().result(value)
