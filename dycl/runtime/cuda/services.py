"""What printed hosts call `rt`, where kernels run on a GPU.

Weights, constants and buffers are on the device. A decision copies the one element that
it reads; what is returned is copied. Lists are on the host, and what a kernel reads of
one is copied to the device for that.
"""

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any

from dycl.runtime.buffers import Buffer, Weight
from dycl.runtime.cuda.kernels import CudaKernels
from dycl.runtime.cuda.memory import Allocation, DeviceBuffer, DeviceKeeper, Queue
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.host_services import HostServices
from dycl.runtime.items import Items
from dycl.runtime.kernels import Argument, Launch
from dycl.runtime.preparation import Preparations
from dycl.runtime.weight_set import WeightSet


class CudaServices(HostServices):
    """One set of buffers on the device, and a stream, for one thread."""

    def __init__(
        self,
        kernels: CudaKernels,
        weights: WeightSet,
        load: Callable[[HostServices], Callable[..., Any]],
        preparations: Preparations,
    ):
        """As `HostServices`. CudaError: the GPU cannot run it."""
        self.device = kernels.device
        self.device.activate()
        self._queue = Queue(self.device)
        self._on_device = kernels
        self._own: dict[int, DeviceBuffer] = {}
        self._copied: list[DeviceBuffer] = []
        self._spare: Allocation | None = None
        self._spare_size = 0
        table: Any = kernels  # Its kernels are bound by `launch` below alone.
        super().__init__(table, weights, load, preparations)
        self._forward = self.forward
        self.forward = self._run

    def start(self) -> None:
        """Forget the path of the last call."""
        super().start()
        self.device.activate()

    def _run(self, *arguments: Argument) -> Any:
        """The host on arguments of the CPU."""
        given = [self._given(i, value) for i, value in enumerate(arguments)]
        try:
            return self._forward(*given)
        except RuntimeError as error:
            self._name_kernels(error)
            raise
        finally:
            self._copied.clear()

    def _name_kernels(self, error: RuntimeError) -> None:
        """Say which kernels ran when something failed that is told later."""
        launched, self._queue.launched = self._queue.launched, []
        if getattr(error, "code", None) == "DY505" and launched:
            error.add_note(f"queued before it, the last one last: {launched[-5:]}")

    def _given(self, index: int, value: Argument) -> Argument:
        """An argument on the device, in memory that every call uses."""
        if not isinstance(value, Buffer):
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
        result = DeviceBuffer(self._queue, array.dtype, array.shape)
        result.put(array)
        return result

    def param(self, path: str, dtype: str, shape: tuple[int, ...]) -> Buffer:
        """The weight `path`, which all threads share. As `HostServices.param`."""
        weight = super().param(path, dtype, shape)
        assert isinstance(weight, Weight)

        def upload() -> DeviceBuffer:
            result = self._uploaded(weight)
            self.device.synchronize(self._queue.stream)  # Others do not wait for it.
            return result

        return self._on_device.weight(self.weights, path, upload)

    def constant(
        self, dtype: str, shape: tuple[int, ...], values: Sequence[Any]
    ) -> Buffer:
        """A constant tensor; see `HostServices.constant`."""
        return self._uploaded(super().constant(dtype, shape, values))

    def packed(self, dtype: str, shape: tuple[int, ...], text: str) -> Buffer:
        """A constant tensor; see `HostServices.packed`."""
        return self._uploaded(super().packed(dtype, shape, text))

    def buffer(self, dtype: str, shape: tuple[int, ...]) -> Buffer:
        """Memory for the output of a launch. CudaError: there is none left."""
        return DeviceBuffer(self._queue, numpy_dtype(dtype), shape)

    def keeper(self, dtype: str, shape: tuple[int, ...]) -> Any:
        """Keeps what one iteration of a loop hands to the next."""
        return DeviceKeeper(self._queue, numpy_dtype(dtype), shape)

    def launch(
        self,
        name: str,
        inputs: Sequence[Argument | EllipsisType],
        outputs: Sequence[Argument | EllipsisType],
    ) -> Launch:
        """A launch of kernel `name`; see `HostServices.launch`."""
        kernel = self._on_device[name]
        bound = kernel.on(self._queue, self._temporaries(kernel.workspace))
        open_slots: list[int] = []
        arguments = (*inputs, *outputs)
        for index, value in enumerate(arguments):
            if isinstance(value, EllipsisType):
                open_slots.append(index)
            else:
                bound.store(index, self._word(value))
        self._kept.append(arguments)
        if not open_slots:
            return bound

        def launch(*values: Argument) -> None:
            for index, value in zip(open_slots, values, strict=True):
                bound.store(index, self._word(value))
            bound()

        return launch

    def _word(self, value: Argument) -> float:
        """An address on the device, or a number."""
        if not isinstance(value, Buffer):
            return value
        if not isinstance(value, DeviceBuffer):
            value = self._uploaded(value)
            self._copied.append(value)  # until the run has ended
        return value.address

    def _temporaries(self, size: int) -> Allocation | None:
        """Memory for one kernel at a time; where there is enough, the same for all."""
        if size > self._spare_size:
            self._spare, self._spare_size = Allocation(self.device, size), size
            self._kept.append(self._spare)
        return self._spare

    def result(self, value: Buffer | Items) -> Any:
        """A copy that belongs to the caller; of a list, a list of copies."""
        if isinstance(value, DeviceBuffer):
            return value.array
        return super().result(value)
