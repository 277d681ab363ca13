"""Which processor a module of kernels is for: an attribute of it, `dycl.target`.

`dycl.runtime.targets` has the names; a module without the attribute is for the
processor of this machine. What depends on it is data in `dycl/schedules/tiles.py`.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir
from dycl.runtime.targets import NATIVE, features_of
from dycl.schedules.tiles import NARROW, WIDE, Registers

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
    return WIDE if "avx512f" in features_of(target_of(module)) else NARROW


def pass_on_target(module: Any) -> None:
    """`cpu-pass-on-target`: each function says for which processor it is.

    Before:
        module attributes {dycl.target = "x86-64-v3"} { llvm.func @k(...) {...} }

    After:
        llvm.func @k(...) attributes {target_cpu = "x86-64-v3"} {...}

    Needs:  the LLVM dialect.
    Leaves: no `dycl.target`.
    Skips:  declarations; a module for this machine, whose processor LLVM knows.
    """
    target = target_of(module)
    if TARGET in module.operation.attributes:
        del module.operation.attributes[TARGET]
    if target == NATIVE:
        return
    for op in module.body.operations:
        func = op.operation
        if func.name == "llvm.func" and len(func.regions[0].blocks):
            func.attributes["target_cpu"] = ir.StringAttr.get(target)
            func.attributes["target_features"] = ir.Attribute.parse(_FEATURES)


_FEATURES = '#llvm.target_features<["-prefer-256-bit"]>'
"""LLVM thinks that the first processors with AVX-512 are slower with whole vectors."""
