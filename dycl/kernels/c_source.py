"""Kernels in C: the library of a backend that generates source.

A backend writes each kernel as a function called `kernel`, with the parameters that
`dycl.kernels.specs` describes. What becomes of it is as good as our own code: it runs
under both hosts, and is saved in the artifact.

    void kernel(const float *in0, const float *in1, float *out0, void *workspace) { .. }
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dycl.kernels.cpu.code import Code, Unit, entry
from dycl.kernels.cpu.engine import CpuLibrary
from dycl.kernels.specs import KernelSpec, ScalarSpec
from dycl.support.store import default_store
from dycl.toolchain import BOUND, LinkError, object_file

_SCALARS = {"int": "int64_t", "float": "double", "bool": "uint8_t"}


@dataclass(frozen=True)
class CKernel:
    """A kernel in C."""

    text: str
    """It defines `kernel`, and may include headers of libc and libm."""
    workspace: int = 0
    """Bytes of the memory that it takes as its last argument; 0: it takes none."""


def c_library(
    specs: Sequence[KernelSpec],
    kernels: Mapping[str, CKernel],
    target: str,
    cache: bool = True,
) -> CpuLibrary:
    """Compile kernels, by their names, for a processor.

    LinkError: there is no C compiler, or it fails.
    """
    store = default_store("c_kernels", BOUND) if cache else None
    codes: list[Code] = []
    for spec in specs:
        kernel = kernels[spec.name]
        digest = hashlib.sha256(f"{target}\0{kernel.text}".encode()).hexdigest()
        symbol = f"kernel_{digest[:32]}"
        ending = _entry(symbol, spec, kernel)
        source = f"#define kernel {symbol}\n{kernel.text}\n{ending}"
        code = object_file(source, target, store)
        codes.append(Code(code, symbol, None, (), kernel.workspace))
    return CpuLibrary(
        tuple(specs),
        [Unit(spec.name, ()) for spec in specs],
        codes,
        lambda: {"c": "\n".join(kernels[spec.name].text for spec in specs)},
        _no_jit,
    )


def _no_jit() -> Callable[[str], int]:
    raise LinkError("kernels in C need a C compiler and its linker")


def _entry(symbol: str, spec: KernelSpec, kernel: CKernel) -> str:
    """The function by which the Python host calls a kernel: with an array of the
    addresses of its arguments."""
    types: list[str] = []
    for one in spec.inputs:
        if isinstance(one, ScalarSpec):
            types.append(_SCALARS[one.kind])
        else:
            types += ["void *", *["int64_t"] * len(one.open_dims)]
    types += ["void *"] * (len(spec.outputs) + (kernel.workspace > 0))
    given = ", ".join(f"*({kind} *)slots[{i}]" for i, kind in enumerate(types))
    return (
        f"#include <stdint.h>\nvoid {entry(symbol)}(void **slots) {{\n"
        f"    kernel({given});\n}}\n"
    )
