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

from dycl.kernels.cpu.objects.llvm_functions import defined_functions, pass_through


def optimise_for_size(module: Any) -> None:
    """Mark every function of `module`."""
    for func in defined_functions(module):
        pass_through(func, "optsize")
