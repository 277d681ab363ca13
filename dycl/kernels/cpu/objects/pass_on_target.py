"""`cpu-pass-on-target`: each function says for which processor it is.

Before:
    module attributes {dycl.target = "x86-64-v3"} { llvm.func @k(...) {...} }

After:
    llvm.func @k(...) attributes {target_cpu = "x86-64-v3"} {...}

Needs:  the LLVM dialect.
Leaves: no `dycl.target`.
Skips:  declarations; a module for this machine, whose processor LLVM knows.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.objects.llvm_functions import defined_functions
from dycl.kernels.cpu.target import TARGET, target_of
from dycl.runtime.targets import NATIVE


def pass_on_target(module: Any) -> None:
    """Move the target of a module to its functions."""
    target = target_of(module)
    if TARGET in module.operation.attributes:
        del module.operation.attributes[TARGET]
    if target == NATIVE:
        return
    for func in defined_functions(module):
        func.attributes["target_cpu"] = ir.StringAttr.get(target)
        func.attributes["target_features"] = ir.Attribute.parse(_FEATURES)


_FEATURES = '#llvm.target_features<["-prefer-256-bit"]>'
"""LLVM thinks that the first processors with AVX-512 are slower with whole vectors."""
