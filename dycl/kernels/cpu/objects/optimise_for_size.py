"""Code that runs once, on little data, is not worth LLVM's unrolling.

Before:
    llvm.func @kernel(%w: !llvm.ptr, %buffer: !llvm.ptr) {...}

After:
    llvm.func @kernel(...) attributes {passthrough = ["optsize"]} {...}

Needs:  the LLVM dialect.
Leaves: half the code, for a third less of LLVM's time.
Skips:  declarations.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir


def optimise_for_size(module: Any) -> None:
    """Mark every function of `module`."""
    for op in module.body.operations:
        func = op.operation
        if func.name == "llvm.func" and len(func.regions[0].blocks):
            size = ir.StringAttr.get("optsize")
            func.attributes["passthrough"] = ir.ArrayAttr.get([size])
