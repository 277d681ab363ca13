"""From kernels in the torch dialect to something that can be called.

`KernelBackend` is all that the rest of the compiler knows of a backend. The calling
convention that every backend keeps is at the head of `dycl.kernels.specs`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Protocol

from dycl.diag import CodedError, CompileError, SourceLoc
from dycl.kernels.specs import (
    ITEM_SIZES,
    KernelSpec,
    PreparationSpec,
    Recipe,
    ScalarSpec,
    TensorSpec,
    preparation_name,
    specs_of,
)

DEATH = "the kernel compiler dies"
"""How an error begins that tells of a compiler's process; the user's goes on."""

LATE = "the kernel compiler takes too long"
"""How an error begins that tells of a kernel that was given up: see `kernel_timeout`
of `dycl.options`."""

TEMPLATE = "template for CUDA"
"""What an error names that tells of an op that the CPU may have, and CUDA has not."""

CUSTOM = "has a kernel that"
"""How the message on an operator begins whose own code is wrong."""

Progress = Callable[[int, int, str, bool], None]
"""Told of each kernel when it is done: how many are, of how many, the name of this one,
and whether it was in a cache."""


class NoObjectCode(CompileError):
    """The kernels of a backend are no object code: no C host, no artifact."""

    def __init__(self, backend: str):
        """Complain about a backend, by its name."""
        super().__init__(
            "DY503",
            f"kernels of the backend '{backend}' are not compiled to code",
            hint="compile for another backend to save the network",
        )


class BoundKernel(Protocol):
    """A kernel with its arguments laid out in memory: the cheap way to call it."""

    def store(self, index: int, value: float) -> None:
        """Set argument `index`: an address, or a scalar's value.

        Raises IndexError if the kernel has no such argument.
        """
        ...

    def __call__(self) -> None:
        """Run the kernel on the arguments last stored."""
        ...


class Preparation(Protocol):
    """The function that brings a kernel's weights into the form that it wants."""

    @property
    def weights(self) -> tuple[int, ...]:
        """The inputs of the kernel that it takes, by index, in order."""
        ...

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """The buffers that it fills, which the kernel then takes: 64-byte aligned."""
        ...

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """What each of them is made of: kernels share those that are alike."""
        ...

    @property
    def kernel(self) -> "Kernel":
        """It takes the weights, then the buffers; to be run once."""
        ...


class Kernel(Protocol):
    """One callable kernel. It keeps its code alive.

    Its arguments are `inputs_left` of its inputs, the buffers of `prepared`, if any,
    its outputs, and its workspace, if it takes one.
    """

    @property
    def spec(self) -> KernelSpec:
        """What it takes and gives, by the user's program."""
        ...

    @property
    def prepared(self) -> Preparation | None:
        """What has to be made of its weights first; None: nothing."""
        ...

    @property
    def inputs_left(self) -> tuple[int, ...]:
        """The inputs of `spec` that are passed, by index: those not replaced."""
        ...

    @property
    def workspace(self) -> int:
        """Bytes of memory that it needs during a call, the last argument; 0: none."""
        ...

    def bind(self, *arguments: float) -> BoundKernel:
        """Lay out arguments; the ones left out at the end are stored later."""
        ...

    def launch(self, *arguments: float) -> None:
        """Run once: an address per tensor, a value per scalar, outputs at the end.

        A workspace is made for it.

        Raises ValueError if their number is wrong.
        """
        ...


class PlainLoops(Protocol):
    """A convolution, a pool or a matrix product that runs far below what it could."""

    @property
    def kernel(self) -> str:
        """The kernel that it is in."""
        ...

    @property
    def what(self) -> str:
        """The op, as the backend calls it."""
        ...

    @property
    def place(self) -> SourceLoc | None:
        """Where the user wrote it."""
        ...


class KernelLibrary(Protocol):
    """The kernels of one model, compiled."""

    @property
    def specs(self) -> tuple[KernelSpec, ...]:
        """The specs of all kernels, in the order of the module."""
        ...

    @property
    def plain(self) -> Sequence[PlainLoops]:
        """What no fast code was generated for, for a report to name."""
        ...

    def __getitem__(self, name: str) -> Kernel:
        """The kernel called `name`. Raises KeyError if there is none."""
        ...

    @property
    def symbols(self) -> Mapping[str, str]:
        """What object code calls each kernel, and each preparation: name -> symbol."""
        ...

    def objects(self) -> Mapping[str, bytes]:
        """By symbol a relocatable, position-independent object file.

        NoObjectCode: the kernels are run otherwise.
        """
        ...

    def shared_object(self) -> bytes:
        """A library with all kernels that a process can load.

        dycl.toolchain.LinkError: there is no C compiler, or it fails. NoObjectCode.
        """
        ...

    def use_linked(self, code: bytes) -> None:
        """Run the kernels of this shared object, which `objects` are linked into.

        It spares the library linking them once more; one that has done so goes on.
        """
        ...

    def stages(self) -> dict[str, str]:
        """The module's text at each stage of lowering, in order, by name of stage."""
        ...


class KernelBackend(Protocol):
    """Turns a module of kernels into a library."""

    OPTIONAL_STEPS: ClassVar[tuple[str, ...]]
    """The steps that may be left out, by name, as passes may; a class may lack it.

    It may also have `WITHOUT`, passes that do not run for it; `cannot_take(op)`,
    `PATTERNS` and `key`, by which it takes some ops only (`dycl.ir.claims`); and a
    method `cannot(kernel)`, which gives None, or an op of a kernel that it leaves to
    the default backend as a whole, and why.
    """

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> KernelLibrary:
        """Compile every function of a `builtin.module` of torch-dialect kernels.

        `specs`, if given, are the kernels that the caller expects to find.
        Raises CompileError (DY502) naming the kernels that cannot be built, and
        ValueError if the module's signatures are not those of `specs`.
        """
        ...

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """Lower modules of kernels, each alone, and drop the results.

        CompileError (DY502) names the kernels of a module that cannot be built.
        """
        ...


__all__ = [
    "CUSTOM",
    "DEATH",
    "ITEM_SIZES",
    "LATE",
    "TEMPLATE",
    "BoundKernel",
    "Kernel",
    "KernelBackend",
    "KernelLibrary",
    "KernelSpec",
    "NoObjectCode",
    "Preparation",
    "PreparationSpec",
    "Progress",
    "Recipe",
    "ScalarSpec",
    "TensorSpec",
    "preparation_name",
    "specs_of",
]
