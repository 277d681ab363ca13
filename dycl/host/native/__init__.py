"""From the host dialect to `host.c`: the same program as host.py, without Python.

`print_native` gives its text, and the tables that tell what its outputs and errors
mean; `CannotPrint` says what in a network has no form in C yet.
"""

from dycl.host.native.network_header import print_header
from dycl.host.native.pick import print_entry
from dycl.host.native.program import (
    NativeProgram,
    Preparation,
    print_native,
)
from dycl.host.native.sources import common, headers
from dycl.host.native.types import CannotPrint
from dycl.host.native.weights import weights_read

__all__ = [
    "CannotPrint",
    "NativeProgram",
    "Preparation",
    "common",
    "headers",
    "print_entry",
    "print_header",
    "print_native",
    "weights_read",
]
