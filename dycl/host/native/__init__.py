"""From the host dialect to `host.c`: the same program as host.py, without Python.

`print_native` gives its text, and the tables that tell what its outputs and errors
mean; `CannotPrint` says what in a network has no form in C yet. `print_llvm` does it
for LLVM, where there is no C compiler.
"""

from dycl.host.native.llvm import print_llvm
from dycl.host.native.pick import print_entry
from dycl.host.native.program import (
    NativeProgram,
    Preparation,
    headers,
    print_native,
)
from dycl.host.native.types import CannotPrint
from dycl.host.native.weights import weights_read

__all__ = [
    "CannotPrint",
    "NativeProgram",
    "Preparation",
    "headers",
    "print_entry",
    "print_llvm",
    "print_native",
    "weights_read",
]
