"""From the host dialect to programs that people can read: `host.py`, `host.c`."""

from dycl.host.native import (
    CannotPrint,
    NativeProgram,
    print_native,
    weights_read,
)
from dycl.host.outputs import describe_outputs
from dycl.host.python import print_python
from dycl.host.returns import print_returns

__all__ = [
    "CannotPrint",
    "NativeProgram",
    "describe_outputs",
    "print_native",
    "print_python",
    "print_returns",
    "weights_read",
]
