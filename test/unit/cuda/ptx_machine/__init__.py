"""PTX on NumPy: what a GPU would compute, checked at every access of memory.

A register is an array with a number for each thread. The threads whose program counter
is least run one instruction together. `PtxError` is raised for

- an access outside of every allocation, or not aligned to its size
- a read of memory that nobody has written
- two threads that use the same bytes, one of them writing, with no barrier in between
- a barrier that some threads of a block do not reach, or a shuffle with absent lanes
- an instruction that the machine does not know

What is idealised: approximate functions are exact, tensor cores sum in f64, memory is
sequentially consistent, and a copy in the background arrives when it is waited for.
"""

from ptx_machine.machine import launch
from ptx_machine.memory import Memory, PtxError
from ptx_machine.text import Kernel, parse

__all__ = ["Kernel", "Memory", "PtxError", "launch", "parse"]
