"""Which processor a module of kernels is for: an attribute of it, `dycl.target`.

`dycl.runtime.targets` has the names; a module without the attribute is for the
processor of this machine. What depends on it is data in `dycl/schedules/schedule.py`.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir
from dycl.runtime.targets import NATIVE, features_of
from dycl.schedules.schedule import NARROW, WIDE, Registers

TARGET = "dycl.target"
"""On a module: the name of the processor that its kernels are for."""


def note_target(module: Any, target: str) -> None:
    """Say for which processor a module is."""
    with module.context:
        module.operation.attributes[TARGET] = ir.StringAttr.get(target)


def target_of(module: Any) -> str:
    """For which processor a module is."""
    attributes = module.operation.attributes
    return str(attributes[TARGET].value) if TARGET in attributes else NATIVE


def registers_of(module: Any) -> Registers:
    """The vector registers of the processor that a module is for."""
    return WIDE if has_wide_registers(module) else NARROW


def has_wide_registers(module: Any) -> bool:
    """Whether the processor that a module is for has AVX-512."""
    return "avx512f" in features_of(target_of(module))
