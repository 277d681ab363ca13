"""NVIDIA's driver by ctypes: the few functions that running kernels takes.

Everything is of the driver interface of CUDA 12.0 (`cuda.h`). Work is queued in streams
and runs later: an error of a kernel is told by a later call.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_float,
    c_int,
    c_size_t,
    c_uint,
    c_uint64,
    c_void_p,
)
from functools import cache
from typing import Any

from dycl.runtime.buffers import Array, address_of
from dycl.runtime.kernels import NoRoom

LIBRARY = "libcuda.so.1"
OLDEST_DRIVER = 12000
"""CUDA 12.0, as `cuDriverGetVersion` says it; it takes PTX of ISA 8.0."""
OLDEST_DEVICE = 80
"""Compute capability 8.0."""

_FIRST: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
}
"""What drivers of any version have."""
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuCtxSetCurrent": (c_void_p,),
    "cuMemAlloc_v2": (POINTER(c_uint64), c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, c_size_t, c_void_p),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, c_size_t, c_void_p),
    "cuMemcpyDtoDAsync_v2": (c_uint64, c_uint64, c_size_t, c_void_p),
    "cuStreamCreate": (POINTER(c_void_p), c_uint),
    "cuStreamDestroy_v2": (c_void_p,),
    "cuStreamSynchronize": (c_void_p,),
    "cuModuleLoadDataEx": (
        *(POINTER(c_void_p), c_char_p, c_uint),
        *(POINTER(c_int), POINTER(c_void_p)),
    ),
    "cuModuleGetFunction": (POINTER(c_void_p), c_void_p, c_char_p),
    "cuEventCreate": (POINTER(c_void_p), c_uint),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventElapsedTime": (POINTER(c_float), c_void_p, c_void_p),
    "cuEventDestroy_v2": (c_void_p,),
    "cuFuncSetAttribute": (c_void_p, c_int, c_int),
    "cuStreamBeginCapture_v2": (c_void_p, c_int),
    "cuStreamEndCapture": (c_void_p, POINTER(c_void_p)),
    "cuGraphInstantiateWithFlags": (POINTER(c_void_p), c_void_p, c_uint64),
    "cuGraphDestroy": (c_void_p,),
    "cuGraphExecDestroy": (c_void_p,),
    "cuGraphLaunch": (c_void_p, c_void_p),
    "cuLaunchKernel": (
        *(c_void_p, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint),
        *(c_void_p, POINTER(c_void_p), POINTER(c_void_p)),
    ),
}
_MAJOR, _MINOR = 75, 76
"""Attributes of a device: its compute capability."""
_DYNAMIC_SHARED = 8
"""Attribute of a function: bytes of shared memory that a launch may ask for."""
_SHARED = 48 * 1024
"""Bytes of shared memory that need no asking."""
_NON_BLOCKING = 1
_RELAXED = 2
"""A capture that is not disturbed by other calls, such as giving back the memory of a
network that Python collects meanwhile."""
_ERROR_LOG, _ERROR_LOG_SIZE = 5, 6
"""Options of the compiler of PTX."""

_NO_GPU = (
    "there is no GPU that this process may use: look at CUDA_VISIBLE_DEVICES, or "
    "compile the network with backend='cpu', which runs on this machine"
)
_HINTS = {
    2: "the GPU has no memory left: free some of it, or run the network on the CPU",
    3: "a forked process cannot use its parent's GPU: start it anew instead",
    34: "this is the toolkit's stub of a driver: have the directory of the driver's "
    "own libcuda.so.1 first in LD_LIBRARY_PATH",
    46: "another process has the GPU for itself: wait for that one to end",
    100: _NO_GPU,
    101: _NO_GPU,
    209: "the driver has no code for this GPU: install a newer driver",
    218: "the driver takes the PTX for wrong: compile the network again",
    221: "a part of the driver, libnvidia-ptxjitcompiler.so.1, is not found: install "
    "the whole driver, or let the container have it (NVIDIA_DRIVER_CAPABILITIES)",
    222: "the driver is too old for this PTX: install one of CUDA 12.0 or newer",
    223: "the driver may not compile PTX: unset CUDA_DISABLE_PTX_JIT",
    802: "the GPU is not ready yet: start NVIDIA's fabric manager, or wait for it",
    803: "the driver's library is not that of its kernel module: restart the machine",
    804: "the driver is too old for this libcuda.so.1: install a newer one",
}
_FULL = 2
STICKY = frozenset(
    [226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911],
)
"""Errors after which, as `cuda.h` has it, the process cannot use the GPU any more."""


class CudaError(RuntimeError):
    """A GPU cannot run a network, or has failed to; the text says what to do."""

    code = "DY505"

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


class FullError(CudaError, NoRoom):
    """A GPU has no memory left, for now."""


class Device:
    """One GPU, and its primary context, which torch uses too."""

    def __init__(self, number: int = 0):
        """CudaError: there is no driver, no such device, or one is too old."""
        try:
            self._library: Any = ctypes.CDLL(LIBRARY)
        except OSError as error:
            raise CudaError(
                f"there is no NVIDIA driver here ({error}): compiled with "
                "backend='cpu', the network runs on this machine"
            ) from error
        for name, types in _FIRST.items():
            self.declare(name, types)
        self.call("cuInit", 0)
        self.driver = self._int("cuDriverGetVersion")
        """The version of CUDA that the driver is of: 12080 is 12.8."""
        if self.driver < OLDEST_DRIVER:
            raise CudaError(
                f"the driver is of CUDA {_version(self.driver)}, and the network needs "
                f"one of {_version(OLDEST_DRIVER)}: install a newer driver"
            )
        for name, types in _SIGNATURES.items():
            self.declare(name, types)
        self.launch: Any = self._library.cuLaunchKernel
        self.launch_graph: Any = self._library.cuGraphLaunch
        """The driver's own functions; `check` says what their results mean."""
        self._device = self._int("cuDeviceGet", number)
        self.name = self._name()
        major, minor = (self._attribute(which) for which in (_MAJOR, _MINOR))
        self.capability = 10 * major + minor
        """Its compute capability: 90 is 9.0."""
        if self.capability < OLDEST_DEVICE:
            raise CudaError(
                f"{self.name} has compute capability {major}.{minor}, and the network "
                "needs 8.0: compiled with backend='cpu' it runs on this machine"
            )
        self.lost = ""
        """Why this process cannot use it any more; "": it can."""
        self.context = c_void_p()
        """The primary one."""
        self.call("cuDevicePrimaryCtxRetain", byref(self.context), self._device)
        self.activate()

    def __str__(self) -> str:
        """What it is called, and what it can run."""
        major, minor = divmod(self.capability, 10)
        version = _version(self.driver)
        return f"{self.name}, compute capability {major}.{minor}, CUDA {version}"

    def declare(self, name: str, types: tuple[Any, ...]) -> None:
        """Say what a function takes. CudaError: the driver has none of this name."""
        try:
            getattr(self._library, name).argtypes = types
        except AttributeError as error:
            raise CudaError(
                f"{LIBRARY} has no {name}, so it is not NVIDIA's driver of CUDA 12.0 "
                "or newer: install that"
            ) from error

    def activate(self) -> None:
        """Make this the device of the calling thread."""
        self.call("cuCtxSetCurrent", self.context)

    def allocate(self, size: int) -> int:
        """The address of so many bytes. CudaError: there is no memory."""
        address = c_uint64()
        status = self._library.cuMemAlloc_v2(byref(address), max(size, 1))
        if status:
            self.check(status, f"cuMemAlloc_v2 of {size} bytes")
        return address.value

    def free(self, address: int) -> None:
        """Give memory back; what fails is not told: nobody could do anything."""
        self._library.cuCtxSetCurrent(self.context)
        self._library.cuMemFree_v2(address)

    def upload(self, address: int, source: Array, stream: int) -> None:
        """Copy a contiguous array to the device; it may change when this returns."""
        self.copy_in(address, address_of(source), source.nbytes, stream)

    def download(self, target: Array, address: int, stream: int) -> None:
        """Fill a contiguous array, behind all that is queued."""
        self.copy_out(address_of(target), address, target.nbytes, stream)

    def copy_in(self, target: int, source: int, size: int, stream: int) -> None:
        """Queue a copy from memory of the processor, which may change when this
        returns."""
        if size:
            self.call("cuMemcpyHtoDAsync_v2", target, source, size, stream)

    def copy_out(self, target: int, source: int, size: int, stream: int) -> None:
        """Copy to memory of the processor, behind all that is queued."""
        if size:
            self.call("cuMemcpyDtoHAsync_v2", target, source, size, stream)
        self.synchronize(stream)

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        """Queue a copy within the device."""
        if size:
            self.call("cuMemcpyDtoDAsync_v2", target, source, size, stream)

    def make_stream(self) -> int:
        """A queue of its own, which waits for no other one."""
        stream = c_void_p()
        self.call("cuStreamCreate", byref(stream), _NON_BLOCKING)
        return stream.value or 0

    def destroy_stream(self, stream: int) -> None:
        """Give a queue back, once all in it has run."""
        self._library.cuCtxSetCurrent(self.context)
        self._library.cuStreamDestroy_v2(stream)

    def synchronize(self, stream: int) -> None:
        """Wait for all that is queued. CudaError: something of it has failed."""
        self.call("cuStreamSynchronize", stream)

    @contextmanager
    def events(self, count: int) -> Generator[list[int]]:
        """So many events, which record when a stream gets to them."""
        made = list[int]()
        try:
            for _ in range(count):
                event = c_void_p()
                self.call("cuEventCreate", byref(event), 0)
                made.append(event.value or 0)
            yield made
        finally:
            for one in made:
                self._library.cuEventDestroy_v2(one)

    def record(self, event: int, stream: int) -> None:
        """Queue an event."""
        self.call("cuEventRecord", event, stream)

    def milliseconds(self, start: int, end: int) -> float:
        """The time between two events that streams have got to."""
        value = c_float()
        self.call("cuEventElapsedTime", byref(value), start, end)
        return value.value

    def capture(self, stream: int, queue: Callable[[], None]) -> int:
        """What `queue` queues in a stream, as a graph that `launch_graph` runs."""
        graph = c_void_p()
        self.call("cuStreamBeginCapture_v2", stream, _RELAXED)
        try:
            queue()
        except BaseException:
            # What this says is less than what has gone wrong.
            self._library.cuStreamEndCapture(stream, byref(graph))
            self._library.cuGraphDestroy(graph)
            raise
        self.call("cuStreamEndCapture", stream, byref(graph))
        try:
            return self.instantiate(graph)
        finally:
            self.call("cuGraphDestroy", graph)

    def instantiate(self, graph: Any) -> int:
        """A graph as one that `launch_graph` runs. CudaError: it cannot be one."""
        executable = c_void_p()
        self.call("cuGraphInstantiateWithFlags", byref(executable), graph, 0)
        return executable.value or 0

    def destroy_graph(self, graph: int) -> None:
        """Give back what `capture` has made."""
        self._library.cuCtxSetCurrent(self.context)
        self._library.cuGraphExecDestroy(graph)

    def load(self, ptx: str, entry: str, shared: int) -> int:
        """A function, compiled by the driver. CudaError: it does not take it."""
        module, function = c_void_p(), c_void_p()
        log = ctypes.create_string_buffer(4096)
        keys = (c_int * 2)(_ERROR_LOG, _ERROR_LOG_SIZE)
        values = (c_void_p * 2)(ctypes.cast(log, c_void_p), len(log))
        status = self._library.cuModuleLoadDataEx(
            byref(module), ptx.encode(), 2, keys, values
        )
        if status:
            said = log.value.decode(errors="replace").strip()
            self.check(status, f"loading @{entry}" + (f": {said}" if said else ""))
        self.call("cuModuleGetFunction", byref(function), module, entry.encode())
        if shared > _SHARED:
            self.call("cuFuncSetAttribute", function, _DYNAMIC_SHARED, shared)
        return function.value or 0

    def check(self, status: int, what: str) -> None:
        """CudaError, if a status is one of an error."""
        if not status:
            return
        said = c_char_p()
        self._library.cuGetErrorName(status, byref(said))
        name = (said.value or b"an unknown error").decode()
        hint = _HINTS.get(status, "the network can run on the CPU instead")
        if status in STICKY:
            hint = (
                "this process cannot use the GPU any more, and can go on with the CPU"
            )
            self.lost = f"{name} of an earlier call; {hint}"
            if not waits():
                hint += "; with DYCL_CUDA_SYNC=1 the error names the kernel"
        kind = FullError if status == _FULL else CudaError
        raise kind(f"{what}: {name}; {hint}")

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the driver. CudaError: it fails."""
        status = getattr(self._library, name)(*arguments)
        if status:
            self.check(status, name)

    def _int(self, name: str, *arguments: Any) -> int:
        value = c_int()
        self.call(name, byref(value), *arguments)
        return value.value

    def _attribute(self, which: int) -> int:
        return self._int("cuDeviceGetAttribute", which, self._device)

    def _name(self) -> str:
        text = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", text, len(text), self._device)
        return text.value.decode(errors="replace")


def waits() -> bool:
    """Whether each kernel is waited for, as the environment may ask, so that an error
    of one is told of that one."""
    return bool(os.environ.get("DYCL_CUDA_SYNC"))


@cache
def device() -> Device:
    """The first GPU that this process may use. CudaError: there is none."""
    return Device()


def why_no_gpu() -> str:
    """Why no GPU of this machine can run a network, as a sentence, or "". One that is
    full can, once there is room; one on which a kernel has failed can not."""
    try:
        return device().lost
    except FullError:
        return ""
    except CudaError as error:
        return str(error.args[0])


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"
