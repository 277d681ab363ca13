"""What `cuda-core` asks of the driver beside what running networks takes.

It numbers devices, loads libraries whose kernels belong to no context, wants to know
what their parameters are, and launches with a struct in place of eleven arguments.
"""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint64
from ctypes import c_void_p as pointer
from typing import ClassVar

from ptx_machine.memory import GLOBAL

from fake_driver import INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, FakeDriver

NOT_FOUND = 500
_MEMORY_POOLS = 115
_POOL = 0x8000
_DEFAULT_STREAMS = {1, 2}
"""The legacy one, and that of a thread."""
_RELEASE_THRESHOLD = 4
_MEMORY_TYPE, _IS_MANAGED, _ORDINAL = 2, 8, 9
"""Attributes of a pointer."""
_TYPES = {
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxGetCurrent": (POINTER(pointer),),
    "cuCtxGetDevice": (POINTER(c_int),),
    "cuCtxGetStreamPriorityRange": (POINTER(c_int), POINTER(c_int)),
    "cuStreamCreateWithPriority": (POINTER(pointer), c_uint, c_int),
    "cuStreamGetCtx": (pointer, POINTER(pointer)),
    "cuStreamIsCapturing": (pointer, POINTER(c_int)),
    "cuLibraryLoadData": (
        *(POINTER(pointer), c_char_p, POINTER(c_int), POINTER(pointer), c_uint),
        *(POINTER(c_int), POINTER(pointer), c_uint),
    ),
    "cuLibraryUnload": (pointer,),
    "cuLibraryGetKernel": (POINTER(pointer), pointer, c_char_p),
    "cuKernelGetParamInfo": (pointer, c_size_t, POINTER(c_size_t), POINTER(c_size_t)),
    "cuDeviceGetMemPool": (POINTER(pointer), c_int),
    "cuMemPoolGetAttribute": (pointer, c_int, pointer),
    "cuMemPoolSetAttribute": (pointer, c_int, pointer),
    "cuMemAllocFromPoolAsync": (POINTER(c_uint64), c_size_t, pointer, pointer),
    "cuMemFreeAsync": (c_uint64, pointer),
    "cuMemAllocHost_v2": (POINTER(pointer), c_size_t),
    "cuMemFreeHost": (pointer,),
    "cuMemcpyAsync": (c_uint64, c_uint64, c_size_t, pointer),
    "cuPointerGetAttributes": (c_uint, POINTER(c_int), POINTER(pointer), c_uint64),
    "cuLaunchKernelEx": (pointer, pointer, POINTER(pointer), POINTER(pointer)),
}


class CoreDriver(FakeDriver):
    """One GPU, for `cuda-core`."""

    types = FakeDriver.types | _TYPES
    handle = 0
    """It takes the number of a device for its handle."""
    attributes: ClassVar = {_MEMORY_POOLS: 1}

    def __init__(self, library, size=1 << 19):
        super().__init__(library, size)
        self.version = 13010  # Of an older one the bindings of CUDA 13 complain.
        self.threshold, self.pinned = 0, {}
        self.streams |= _DEFAULT_STREAMS

    def cuDeviceGetCount(self, count):
        count[0] = 1

    def cuGetErrorString(self, status, text):
        return self.cuGetErrorName(status, text)

    def cuDevicePrimaryCtxRelease_v2(self, device):
        return 0 if device == self.handle else INVALID_VALUE

    def cuCtxGetCurrent(self, context):
        context[0] = self.context

    def cuCtxGetDevice(self, device):
        if self.context is None:
            return INVALID_CONTEXT
        device[0] = self.handle
        return 0

    def cuCtxGetStreamPriorityRange(self, least, greatest):
        least[0], greatest[0] = 0, -5

    def cuStreamCreateWithPriority(self, stream, flags, priority):
        if flags not in (0, 1) or not -5 <= priority <= 0:
            return INVALID_VALUE
        return self.cuStreamCreate(stream, flags)

    def cuStreamGetCtx(self, stream, context):
        context[0] = self.context
        return 0 if stream in self.streams else INVALID_HANDLE

    def cuStreamIsCapturing(self, stream, status):
        status[0] = stream in self.captured
        return 0 if stream in self.streams else INVALID_HANDLE

    def cuLibraryLoadData(
        self, library, code, options, values, count, of_library, its_values, its_count
    ):
        if count or its_count:
            return INVALID_VALUE
        return self.cuModuleLoadDataEx(library, code, 0, None, None)

    def cuLibraryUnload(self, library):
        return 0 if self.modules.pop(library, None) else INVALID_HANDLE

    def cuLibraryGetKernel(self, kernel, library, name):
        status = self.cuModuleGetFunction(kernel, library, name)
        return NOT_FOUND if status else 0

    def cuKernelGetParamInfo(self, kernel, index, offset, size):
        parameters = list(self.functions[kernel][0].parameters.values())
        if index >= len(parameters):
            return INVALID_VALUE
        offset[0], size[0] = parameters[index]
        return 0

    def cuLaunchKernelEx(self, config, function, parameters, extra):
        *sizes, stream, attributes, count = self.layout.launch(config)
        if attributes or count or extra or function not in self.functions:
            return INVALID_VALUE
        return self.cuLaunchKernel(function, *sizes, stream, parameters, None)

    def cuDeviceGetMemPool(self, pool, device):
        pool[0] = _POOL
        return 0 if device == self.handle else INVALID_VALUE

    def cuMemAllocFromPoolAsync(self, address, size, pool, stream):
        if pool != _POOL or stream not in self.streams:
            return INVALID_VALUE
        return self.cuMemAlloc_v2(address, size)

    def cuMemFreeAsync(self, address, stream):
        return self.cuMemFree_v2(address) if stream in self.streams else INVALID_VALUE

    def cuMemPoolGetAttribute(self, pool, which, value):
        if (pool, which) != (_POOL, _RELEASE_THRESHOLD):
            return INVALID_VALUE
        c_uint64.from_address(value).value = self.threshold
        return 0

    def cuMemPoolSetAttribute(self, pool, which, value):
        if (pool, which) != (_POOL, _RELEASE_THRESHOLD):
            return INVALID_VALUE
        self.threshold = c_uint64.from_address(value).value
        return 0

    def cuMemAllocHost_v2(self, address, size):
        made = (ctypes.c_uint8 * size)()
        address[0] = ctypes.addressof(made)
        self.pinned[address[0]] = made

    def cuMemFreeHost(self, address):
        return 0 if self.pinned.pop(address, None) else INVALID_VALUE

    def cuMemcpyAsync(self, target, source, size, stream):
        copies = {
            (True, True): self.cuMemcpyDtoDAsync_v2,
            (True, False): self.cuMemcpyHtoDAsync_v2,
            (False, True): self.cuMemcpyDtoHAsync_v2,
        }
        copy = copies.get((self._is_here(target), self._is_here(source)))
        return copy(target, source, size, stream) if copy else INVALID_VALUE

    def _is_here(self, address):
        """Whether it is one of the device."""
        return 0 <= address - GLOBAL < len(self.memory.bytes)

    def cuPointerGetAttributes(self, count, which, values, address):
        is_here = self._is_here(address)
        known = {_MEMORY_TYPE: (c_uint, 2 if is_here else 1 if self.pinned else 0)}
        known |= {_IS_MANAGED: (c_uint, 0), _ORDINAL: (c_int, self.handle)}
        for i in range(count):
            kind, value = known[which[i]]
            kind.from_address(values[i]).value = value
