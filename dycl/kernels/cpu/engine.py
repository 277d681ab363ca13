"""Compiled kernels in this process: calling them, and their object code."""

import ctypes
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dycl.kernels.specs import KernelSpec, ScalarSpec, TensorSpec

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _open_dims(spec: TensorSpec | ScalarSpec) -> tuple[int, ...]:
    return spec.open_dims if isinstance(spec, TensorSpec) else ()


class CpuBoundKernel:
    """A kernel's arguments in an array of 8-byte slots, and the entry that reads it.

    The entry takes an array of addresses, one for each slot; both arrays are made
    once, so that a call costs one write for each argument that has changed.
    """

    __slots__ = ("_address", "_call", "_floats", "_pointers", "kernel", "slots")

    def __init__(self, kernel: "CpuKernel"):
        """All arguments are zero until they are stored."""
        words = kernel.words
        count = len(words)
        self.kernel = kernel
        self.slots = (ctypes.c_int64 * count)()
        """Addresses and integers; may be written directly, where every cycle counts."""
        start = ctypes.addressof(self.slots)
        pointers = (start + 8 * i for i in range(count))
        self._pointers = (ctypes.c_void_p * count)(*pointers)
        self._address = ctypes.addressof(self._pointers)
        self._call = kernel.entry
        self._floats = frozenset(i for i, is_float in enumerate(words) if is_float)

    def store(self, index: int, value: float) -> None:
        """Set argument `index`: an address, or a scalar's value."""
        if index in self._floats:
            (value,) = struct.unpack("q", struct.pack("d", value))
        self.slots[index] = int(value)

    def __call__(self) -> None:
        """Run the kernel on the arguments last stored."""
        self._call(self._address)


class CpuKernel:
    """One kernel of a library; it keeps the library's code alive."""

    def __init__(self, library: "CpuLibrary", spec: KernelSpec, entry: int):
        """`entry` is the address of a function that takes an array of addresses."""
        self.library = library
        self.spec = spec
        self.entry = _ENTRY(entry)
        self.words = [
            word
            for one in spec.inputs
            for word in ([one == ScalarSpec("float")] + [False] * len(_open_dims(one)))
        ] + [False] * len(spec.outputs)
        """For each C argument, whether it is a double."""

    @property
    def open_dims(self) -> tuple[tuple[int, ...], ...]:
        """For each argument the dimensions whose size follows; (-1,): a result's."""
        outputs = [(-1,) if spec.open_dims else () for spec in self.spec.outputs]
        return (*map(_open_dims, self.spec.inputs), *outputs)

    def bind(self, *arguments: float) -> CpuBoundKernel:
        """Lay out arguments; the ones left out at the end are stored later.

        Raises IndexError if there are too many.
        """
        bound = CpuBoundKernel(self)
        for index, value in enumerate(arguments):
            bound.store(index, value)
        return bound

    def launch(self, *arguments: float) -> None:
        """Run once. Raises ValueError if the number of arguments is wrong."""
        count = len(self.words)
        if len(arguments) != count:
            given = len(arguments)
            raise ValueError(f"@{self.spec.name} takes {count} arguments, not {given}")
        self.bind(*arguments)()


class CpuLibrary:
    """The kernels of a model, compiled in this process."""

    def __init__(
        self,
        specs: tuple[KernelSpec, ...],
        engine: Any,
        stages: Callable[[], dict[str, str]],
    ):
        """`engine` holds the code of every kernel; `stages` gives what led to it."""
        self._specs = specs
        self._engine = engine
        self._stages = stages
        self._kernels = {
            spec.name: CpuKernel(self, spec, engine.raw_lookup(spec.name))
            for spec in specs
        }

    @property
    def specs(self) -> tuple[KernelSpec, ...]:
        """The specs of all kernels, in the order of the module."""
        return self._specs

    def __getitem__(self, name: str) -> CpuKernel:
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    def object_code(self) -> bytes:
        """An ELF object, position-independent: one global symbol per kernel.

        What it needs from elsewhere is in libc and libm.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.o"
            self._engine.dump_to_object_file(str(path))
            return path.read_bytes()

    def stages(self) -> dict[str, str]:
        """The text after each stage: torch, linalg, memref, llvm (lowered anew)."""
        return self._stages()
