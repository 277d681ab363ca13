"""Copies between the memories of a processor and a GPU, as kernels of a library.

`dycl-place-copies` writes them: each gives what it is given, in another memory.
"""

import ctypes
import math
from collections.abc import Mapping, Sequence

from xdsl.dialects.func import FuncOp

from dycl.ir.host.memories import HOST, given_memory
from dycl.kernels import (
    ITEM_SIZES,
    KernelSpec,
    NoObjectCode,
    PlainLoops,
    Progress,
    TensorSpec,
    specs_of,
)
from dycl.kernels.texts import kernels_in, parse_kernels
from dycl.runtime.cuda.mixed import Copy


class CopyBackend:
    """What makes the kernels of the backend "copy"."""

    def compile(
        self, module_text: str, progress: Progress | None = None
    ) -> "CopyLibrary":
        """All copies of a module."""
        module = parse_kernels(module_text)
        functions = kernels_in(module)
        library = CopyLibrary(
            {spec.name: _copy(spec, functions[spec.name]) for spec in specs_of(module)},
            specs_of(module),
            str(module),
        )
        for count, spec in enumerate(library.specs, start=1):
            if progress is not None:
                progress(count, len(library.specs), spec.name, False)
        return library


def _copy(spec: KernelSpec, function: FuncOp) -> Copy:
    [given] = spec.inputs
    assert isinstance(given, TensorSpec)
    attributes = function.res_attrs
    to = HOST if attributes is None else given_memory(attributes.data[0])
    at = spec.location
    file = "" if at is None else at.file.replace("\\", "/").rpartition("/")[2]
    return Copy(
        spec.name,
        "" if at is None else f"{file}:{at.line}",
        to != HOST,
        math.prod(given.shape) * ITEM_SIZES[given.dtype],
    )


class CopyLibrary:
    """The copies of a network."""

    plain: Sequence[PlainLoops] = ()

    def __init__(
        self, copies: Mapping[str, Copy], specs: tuple[KernelSpec, ...], text: str
    ):
        self.copies, self.specs, self._text = copies, specs, text
        self._kernels = {
            spec.name: CopyKernel(spec, copies[spec.name]) for spec in specs
        }

    def __getitem__(self, name: str) -> "CopyKernel":
        """The copy called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    @property
    def symbols(self) -> Mapping[str, str]:
        """NoObjectCode."""
        raise NoObjectCode("copy")

    def objects(self) -> Mapping[str, bytes]:
        """NoObjectCode."""
        raise NoObjectCode("copy")

    def shared_object(self) -> bytes:
        """NoObjectCode."""
        raise NoObjectCode("copy")

    def use_linked(self, code: bytes) -> None:
        """NoObjectCode."""
        raise NoObjectCode("copy")

    def stages(self) -> dict[str, str]:
        """The copies as kernels."""
        return {"torch": self._text}


class CopyKernel:
    """One copy, where both memories are the processor's: there is no GPU."""

    prepared = None
    workspace = 0
    inputs_left = (0,)

    def __init__(self, spec: KernelSpec, copy: Copy):
        self.spec, self._copy = spec, copy

    def bind(self, *arguments: float) -> "_BoundCopy":
        """Lay out the addresses, from and to."""
        return _BoundCopy(self._copy.nbytes, [int(a) for a in arguments] or [0, 0])

    def launch(self, *arguments: float) -> None:
        """Run once. ValueError: the number of arguments is wrong."""
        if len(arguments) != 2:
            count = len(arguments)
            raise ValueError(f"@{self.spec.name} takes 2 arguments, not {count}")
        self.bind(*arguments)()


class _BoundCopy:
    def __init__(self, size: int, addresses: list[int]):
        self._size, self._addresses = size, addresses

    def store(self, index: int, value: float) -> None:
        """Set an address. IndexError: there are two."""
        self._addresses[index] = int(value)

    def __call__(self) -> None:
        """Copy."""
        source, target = self._addresses
        ctypes.memmove(target, source, self._size)
