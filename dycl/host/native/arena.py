"""Where buffers lie in the memory of a call."""

from collections.abc import Mapping

from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Operation

import dycl.ir as d
from dycl.ir import host
from dycl.ir.dialect.local_functions import own_ops
from dycl.ir.host.types import ARENA, OFFSET, arena_size, is_static
from dycl.support.placement import aligned


def memory_layout(
    func: host.FuncOp | d.LocalFunctionOp, workspaces: Mapping[str, int]
) -> tuple[dict[Operation, tuple[int, ...]], int]:
    """Where each buffer and workspace lies in the arena, and how large that is.

    What `dycl-plan-memory` has said; without it each has a place of its own.
    """
    offsets: dict[Operation, tuple[int, ...]] = {}
    arena = func.attributes.get(ARENA)
    size = arena.value.data if isinstance(arena, IntegerAttr) else 0
    for op in own_ops(func):
        if isinstance(op, host.LaunchOp) and op.kernel_name in workspaces:
            step, count = aligned(workspaces[op.kernel_name]), 1
        elif isinstance(op, host.AllocOp | host.KeepOp):
            buffer = op.result.type
            assert isinstance(buffer, MemRefType)
            if not is_static(buffer):
                continue
            step, count = arena_size(buffer), 2 if isinstance(op, host.KeepOp) else 1
        else:
            continue
        planned = op.attributes.get(OFFSET)
        if isinstance(planned, IntegerAttr):
            start = planned.value.data
        else:
            start, size = size, size + step * count
        offsets[op] = tuple(start + step * i for i in range(count))
    return offsets, size
