"""Compiled kernels in this process: calling them, and their object code."""

import ctypes
import struct
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from dycl.kernels.cpu.code import Code, Unit, entry, plain_of
from dycl.kernels.specs import (
    KernelSpec,
    Recipe,
    ScalarSpec,
    TensorSpec,
    preparation_name,
)
from dycl.runtime.loading import load_from_memory
from dycl.support.placement import ALIGNMENT, aligned
from dycl.toolchain import LinkError, shared_object

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_dlclose = ctypes.CDLL(None).dlclose
_dlclose.argtypes = [ctypes.c_void_p]


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
    recipes: tuple[Recipe, ...]
    """What each buffer is made of."""
    kernel: "CpuKernel"
    """It takes the weights, then the buffers."""


class CpuKernel:
    """One kernel of a library; it keeps the library's code alive."""

    def __init__(
        self,
        library: "CpuLibrary",
        spec: KernelSpec,
        prepared: CpuPreparation | None = None,
        inputs_left: tuple[int, ...] | None = None,
        workspace: int = 0,
        memory: str = "",
    ):
        """`inputs_left`: None stands for all inputs."""
        self.library = library
        self.spec = spec
        self.prepared = prepared
        """What has to be made of the weights before the kernel is run; or nothing."""
        self.inputs_left = (
            tuple(range(len(spec.inputs))) if inputs_left is None else inputs_left
        )
        """The inputs of `spec` that are passed, by index; then come the buffers."""
        self.workspace = workspace
        """Bytes of memory that it needs during a call; 0: no such argument."""
        self.memory = memory
        """What it allocates besides: `dycl.ir.host.memory`."""
        buffers = () if prepared is None else prepared.outputs
        self._inputs = (*(spec.inputs[i] for i in self.inputs_left), *buffers)
        self.words = [
            word
            for one in self._inputs
            for word in ([one == ScalarSpec("float")] + [False] * len(_open_dims(one)))
        ] + [False] * (len(spec.outputs) + (workspace > 0))
        """For each C argument, whether it is a double."""

    @cached_property
    def entry(self) -> Callable[[int], None]:
        """The function that takes the address of an array of addresses."""
        return _ENTRY(self.library.entry(self.spec.name))

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
        units: Sequence[Unit],
        codes: Sequence[Code],
        stages: Callable[[], dict[str, str]],
        jit: Callable[[], Callable[[str], int]],
    ):
        """`codes` are those of `units`; `stages` gives what led to them. `jit` compiles
        them in this process: what it gives tells where the entry of a symbol is."""
        self._specs = specs
        self._jit = jit
        self._codes = {unit.name: code for unit, code in zip(units, codes, strict=True)}
        self._stages = stages
        self.plain = tuple(
            item
            for unit, code in zip(units, codes, strict=True)
            for item in plain_of(unit, code)
        )
        """The contractions that run as plain loops, for a report to name."""
        self._kernels = {spec.name: self._kernel(spec) for spec in specs}
        self._linked: bytes | None = None

    def _kernel(self, spec: KernelSpec) -> CpuKernel:
        code = self._codes[spec.name]
        wants = code.prepared
        if wants is None:
            return CpuKernel(self, spec, workspace=code.workspace, memory=code.memory)
        name = preparation_name(spec.name)
        inputs = tuple(spec.inputs[i] for i in wants.weights)
        prepare = KernelSpec(name, inputs, wants.outputs, spec.location)
        prepared = CpuPreparation(
            wants.weights, wants.outputs, wants.recipes, CpuKernel(self, prepare)
        )
        return CpuKernel(
            self, spec, prepared, wants.inputs_left, code.workspace, code.memory
        )

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

    @cached_property
    def symbols(self) -> dict[str, str]:
        """What the objects call each kernel, and each preparation: name -> symbol."""
        result: dict[str, str] = {}
        for name, code in self._codes.items():
            result[name] = code.symbol
            if code.prepared is not None:
                result[preparation_name(name)] = preparation_name(code.symbol)
        return result

    def objects(self) -> dict[str, bytes]:
        """By symbol an ELF object, position-independent, with a kernel and its
        preparation, and those with its parts. Kernels with the same code are one.

        What they need from elsewhere is in libc and libm.
        """
        result: dict[str, bytes] = {}
        for code in self._codes.values():
            result[code.symbol] = code.object
            result |= code.parts
        return result

    def shared_object(self) -> bytes:
        """A library with all kernels, which needs libc and libm.

        LinkError: there is no C compiler, or it fails.
        """
        return shared_object(self.objects())

    def use_linked(self, code: bytes) -> None:
        """Run the kernels of this shared object, which `objects` are linked into."""
        self._linked = code

    def entry(self, name: str) -> int:
        """Where, in this process, the function is that takes the arguments of a kernel,
        or a preparation, as an array of their addresses."""
        return self._entries(self.symbols[name])

    @cached_property
    def _entries(self) -> Callable[[str], int]:
        try:
            return _Loaded(self._linked or self.shared_object()).entry
        except LinkError:
            # LLVM's JIT makes the same code without a linker, but in each process anew.
            return self._jit()

    def stages(self) -> dict[str, str]:
        """The text after each stage: torch, linalg, memref, llvm (lowered anew)."""
        return self._stages()


class _Loaded:
    """A shared object in this process, for as long as this object is there."""

    def __init__(self, code: bytes):
        self._library = load_from_memory(code, "dycl-kernels")
        weakref.finalize(self, _dlclose, self._library._handle)

    def entry(self, symbol: str) -> int:
        """Where the entry of a symbol is."""
        result = ctypes.cast(self._library[entry(symbol)], ctypes.c_void_p).value
        assert result is not None
        return result
