"""From the host dialect to `host.c`: the same program as host.py, without Python.

`print_native` gives its text, and the tables that tell what its outputs and errors
mean; `CannotPrint` says what in a network has no form in C yet.
"""

from dycl.host.native.program import (
    NativeProgram,
    Preparation,
    headers,
    print_native,
)
from dycl.host.native.types import CannotPrint

__all__ = ["CannotPrint", "NativeProgram", "Preparation", "headers", "print_native"]
