"""Compiled kernels in this process: calling them, and their object code."""

import ctypes
import struct
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dycl.kernels.cpu.plain import PlainContraction
from dycl.kernels.specs import (
    KernelSpec,
    PreparationSpec,
    ScalarSpec,
    TensorSpec,
    preparation_name,
)
from dycl.placement import ALIGNMENT, aligned

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _open_dims(spec: TensorSpec | ScalarSpec) -> tuple[int, ...]:
    return spec.open_dims if isinstance(spec, TensorSpec) else ()


class CpuBoundKernel:
    """A kernel's arguments in an array of 8-byte slots, and the entry that reads it.

    The entry takes an array of addresses, one for each slot; both arrays are made
    once, so that a call costs one write for each argument that has changed.
    """

    __slots__ = (
        "_address",
        "_call",
        "_floats",
        "_pointers",
        "_workspace",
        "kernel",
        "slots",
    )

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
        self._workspace: object = None

    def own_workspace(self) -> None:
        """Make a workspace for this one alone, if the kernel takes any."""
        if self.kernel.workspace:
            memory = (ctypes.c_char * (self.kernel.workspace + ALIGNMENT))()
            self._workspace = memory
            self.slots[-1] = aligned(ctypes.addressof(memory))

    def store(self, index: int, value: float) -> None:
        """Set argument `index`: an address, or a scalar's value."""
        if index in self._floats:
            (value,) = struct.unpack("q", struct.pack("d", value))
        self.slots[index] = int(value)

    def __call__(self) -> None:
        """Run the kernel on the arguments last stored."""
        self._call(self._address)


@dataclass(frozen=True)
class CpuPreparation:
    """The function that makes of a kernel's weights what the kernel takes."""

    weights: tuple[int, ...]
    """The inputs of the kernel that it takes, by index, in order."""
    outputs: tuple[TensorSpec, ...]
    """The buffers that it fills; each begins at a multiple of 64 bytes."""
    kernel: "CpuKernel"
    """It takes the weights, then the buffers."""


class CpuKernel:
    """One kernel of a library; it keeps the library's code alive."""

    def __init__(
        self,
        library: "CpuLibrary",
        spec: KernelSpec,
        entry: int,
        prepared: CpuPreparation | None = None,
        inputs_left: tuple[int, ...] | None = None,
        workspace: int = 0,
    ):
        """`entry` is the address of a function that takes an array of addresses.

        `inputs_left`: None stands for all inputs.
        """
        self.library = library
        self.spec = spec
        self.entry = _ENTRY(entry)
        self.prepared = prepared
        """What has to be made of the weights before the kernel is run; or nothing."""
        self.inputs_left = (
            tuple(range(len(spec.inputs))) if inputs_left is None else inputs_left
        )
        """The inputs of `spec` that are passed, by index; then come the buffers."""
        self.workspace = workspace
        """Bytes of memory that it needs during a call; 0: no such argument."""
        buffers = () if prepared is None else prepared.outputs
        self._inputs = (*(spec.inputs[i] for i in self.inputs_left), *buffers)
        self.words = [
            word
            for one in self._inputs
            for word in ([one == ScalarSpec("float")] + [False] * len(_open_dims(one)))
        ] + [False] * (len(spec.outputs) + (workspace > 0))
        """For each C argument, whether it is a double."""

    @property
    def open_dims(self) -> tuple[tuple[int, ...], ...]:
        """For each argument the dimensions whose size follows; (-1,): a result's."""
        outputs = [(-1,) if spec.open_dims else () for spec in self.spec.outputs]
        own = [()] if self.workspace else []
        return (*map(_open_dims, self._inputs), *outputs, *own)

    def bind(self, *arguments: float) -> CpuBoundKernel:
        """Lay out arguments; the ones left out at the end are stored later.

        A workspace that is left out is made here.

        Raises IndexError if there are too many.
        """
        bound = CpuBoundKernel(self)
        if len(arguments) < len(self.words):
            bound.own_workspace()
        for index, value in enumerate(arguments):
            bound.store(index, value)
        return bound

    def launch(self, *arguments: float) -> None:
        """Run once, in a workspace made for it.

        Raises ValueError if the number of arguments is wrong.
        """
        count = len(self.words) - (self.workspace > 0)
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
        preparations: Mapping[str, PreparationSpec] = MappingProxyType({}),
        plain: tuple[PlainContraction, ...] = (),
        workspaces: Mapping[str, int] = MappingProxyType({}),
    ):
        """`engine` holds the code of every kernel; `stages` gives what led to it.

        `preparations`: of the kernels that want their weights in another form;
        `workspaces`: bytes, of the kernels that take such an argument.
        """
        self._workspaces = workspaces
        self._specs = specs
        self._engine = engine
        self._stages = stages
        self.plain = plain
        """The contractions that run as plain loops, for a report to name."""
        self._kernels = {
            spec.name: self._kernel(spec, preparations.get(spec.name)) for spec in specs
        }

    def _kernel(self, spec: KernelSpec, wants: PreparationSpec | None) -> CpuKernel:
        entry = self._engine.raw_lookup(spec.name)
        workspace = self._workspaces.get(spec.name, 0)
        if wants is None:
            return CpuKernel(self, spec, entry, workspace=workspace)
        name = preparation_name(spec.name)
        inputs = tuple(spec.inputs[i] for i in wants.weights)
        prepare = KernelSpec(name, inputs, wants.outputs, spec.place)
        prepared = CpuPreparation(
            wants.weights,
            wants.outputs,
            CpuKernel(self, prepare, self._engine.raw_lookup(name)),
        )
        return CpuKernel(self, spec, entry, prepared, wants.inputs_left, workspace)

    @property
    def specs(self) -> tuple[KernelSpec, ...]:
        """The specs of all kernels, in the order of the module."""
        return self._specs

    @property
    def kernels(self) -> Mapping[str, CpuKernel]:
        """The kernels by name, in the order of the module."""
        return MappingProxyType(self._kernels)

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
