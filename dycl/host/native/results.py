"""Results that are computed where the caller keeps them.

A tensor that a run gives is the caller's, and the next run must not write to it. A
large one is copied only where it lies among other memory of the network; here it has a
block of its own, which the caller takes (`tensors.h`).
"""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.host.native.batches import has_batches
from dycl.host.native.heap_values import makes_blocks
from dycl.ir import host
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.host.memories import HOST, memory_of
from dycl.ir.host.types import byte_size, is_static
from dycl.ir.walking import walk

LARGE = 1 << 14
"""Bytes of a result from which on a copy is worth avoiding."""


def results_of(func: host.FuncOp) -> dict[Operation, int]:
    """Each `host.alloc` that fills a large result, and a number for it, in order.

    Not where launches are put off, or lists lend memory: these ask where it lies.
    """
    found: dict[Operation, int] = {}
    if has_batches(func) or makes_blocks(func) or local_functions(func):
        return found
    for op in walk(func.body):
        if isinstance(op, d.ReturnOp):
            for value in op.values:
                owner = _filled(value)
                if owner is not None:
                    found.setdefault(owner, len(found))
    return found


def _filled(value: SSAValue) -> Operation | None:
    """The `host.alloc` of a large result; none of what is on a GPU."""
    while isinstance(value.owner, host.ViewOp):
        value = value.owner.operand
    owner = value.owner
    if not isinstance(owner, host.AllocOp):
        return None
    buffer = owner.result.type
    assert isinstance(buffer, MemRefType)
    is_large = is_static(buffer) and byte_size(buffer) >= LARGE
    return owner if is_large and memory_of(buffer) == HOST else None
