"""IREE as an engine: its runtime; what compiles kernels for it is `dycl.kernels.iree`.

It flushes numbers below 1.2e-38 to 0: `dycl.kernels.iree.claims` knows of that.
Memory is lent to it where it lies. Its code takes for granted that memory begins at a
multiple of 64 bytes, so what begins elsewhere is copied to such a place and back.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import numpy as np

from dycl.runtime.buffers import ALIGNMENT, Array, address_of, allocate
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.engines.models import IreeModel
from dycl.runtime.engines.sessions import EngineMissing, Place, check_version

OLDEST = (3, 9)
"""The first release that is known to do: of the compiler as well."""
PACKAGE = "iree-base-runtime"

_ELEMENTS = {
    "float32": "FLOAT_32",
    "float64": "FLOAT_64",
    "int64": "SINT_64",
    "int32": "SINT_32",
    "bool": "BOOL_8",
}
"""dtype -> IREE's name of it."""


class Iree:
    """IREE's runtime for processors, with a number of threads."""

    name = "iree"
    title = "IREE"

    def __init__(self, threads: int):
        """EngineMissing: it is not installed, or too old."""
        try:
            import iree.runtime  # pyright: ignore[reportMissingImports]

            version = metadata.version(PACKAGE)
        except ImportError as error:
            raise EngineMissing(self.title, self.name, str(error)) from error
        check_version(self.title, self.name, version, OLDEST)
        self._module: Any = iree.runtime
        self._driver = "local-sync" if threads == 1 else "local-task"
        if threads > 1:  # It has no other way to say it than flags of the process.
            self._module.flags.parse_flags(f"--task_topology_group_count={threads}")
        self._instance: Any = self._module.VmInstance()
        self.key = f"{self.name} {version} {threads}"

    def session(
        self, model: IreeModel, inputs: Sequence[Place], outputs: Sequence[Place]
    ) -> _Session:
        """Load a model. Any exception: IREE's own."""
        api = self._module
        device = api.get_driver(self._driver).create_default_device()
        modules = [api.create_hal_module(self._instance, device)]
        if model.weights:
            index = api.ParameterIndex()
            for name, array in model.weights.items():
                # It reads them once, or as often as it runs: they are its own.
                index.add_buffer(name, _copied(array))
            provider = index.create_provider()
            modules.append(api.create_io_parameters_module(self._instance, provider))
        code = api.VmModule.copy_buffer(self._instance, model.code)
        context = api.VmContext(self._instance, [*modules, code])
        function = code.lookup_function("kernel")
        return _Session(
            api, device, context, function, [*inputs, *outputs], len(inputs)
        )


class _Session:
    def __init__(
        self,
        api: Any,
        device: Any,
        context: Any,
        function: Any,
        places: list[Place],
        count: int,
    ):
        self.api, self.places, self.count = api, places, count
        self._device, self._context, self._function = device, context, function
        self._lock = threading.Lock()
        """A context is for one thread at a time."""

    def call(self) -> _Call:
        """A call for one thread."""
        return _Call(self)

    def lent(self, address: int, place: Place) -> Any:
        """The tensor at an address, as IREE takes it."""
        api = self.api
        memory = (ctypes.c_char * _size(place)).from_address(address)
        buffer = self._device.allocator.import_host_allocation(
            memory,
            memory_type=api.MemoryType.HOST_LOCAL | api.MemoryType.DEVICE_VISIBLE,
            allowed_usage=api.BufferUsage.DEFAULT | api.BufferUsage.MAPPING,
        )
        kind = getattr(api.HalElementType, _ELEMENTS[place.dtype])
        return api.HalBufferView(buffer, list(place.shape), kind)

    def run(self, arguments: Any, results: Any) -> None:
        """Run the kernel. Any exception: IREE's own."""
        with self._lock:
            self._context.invoke(self._function, arguments, results)


class _Call:
    def __init__(self, session: _Session):
        self._session = session
        self._lent: list[Any] = [None] * len(session.places)
        self._copied: dict[int, tuple[int, Array]] = {}
        """Index -> address of what has to be copied, and the copy."""
        self._arguments: Any = None

    def store(self, index: int, address: int) -> None:
        """Where argument `index` lies: inputs first, then outputs."""
        place = self._session.places[index]
        self._copied.pop(index, None)
        if address % ALIGNMENT:
            copy = allocate("uint8", (_size(place),)).array
            self._copied[index] = address, copy
            address = address_of(copy)
        self._lent[index] = self._session.lent(address, place)
        self._arguments = None

    def __call__(self) -> None:
        """Run. Any exception: IREE's own."""
        session = self._session
        if self._arguments is None:
            self._arguments = session.api.VmVariantList(len(self._lent))
            for tensor in self._lent:
                self._arguments.push_ref(tensor)
        for index, (address, copy) in self._copied.items():
            if index < session.count:
                ctypes.memmove(address_of(copy), address, copy.nbytes)
        results = session.api.VmVariantList(len(self._lent) - session.count)
        session.run(self._arguments, results)
        for index, (address, copy) in self._copied.items():
            if index >= session.count:
                ctypes.memmove(address, address_of(copy), copy.nbytes)


def _size(place: Place) -> int:
    count = int(np.prod(place.shape, dtype=np.int64))
    return count * numpy_dtype(place.dtype).itemsize


def _copied(array: Array) -> Array:
    """The bytes of an array, at a multiple of 64."""
    copy = allocate("uint8", (array.nbytes,)).array
    ctypes.memmove(address_of(copy), address_of(array), array.nbytes)
    return copy
