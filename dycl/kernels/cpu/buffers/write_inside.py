"""`cpu-write-inside`: what is padded is computed where its padding lies around it.

Bufferization sees to that where sizes are known. Where a run decides them, it cannot
tell that memory which is asked for later is as large, and copies.

Before:
    %a = memref.alloc(%h, %w)
    linalg.generic ... outs(%a)
    %b = memref.alloc(%h2, %w2)
    linalg.fill ins(%zero) outs(%b)
    %inside = memref.subview %b[0, 0, 1, 1, 0] [1, 4, %h, %w, 16]
    memref.copy %a, %inside

After:
    %b = memref.alloc(%h2, %w2)
    linalg.fill ins(%zero) outs(%b)
    %inside = memref.subview %b[0, 0, 1, 1, 0] [1, 4, %h, %w, 16]
    linalg.generic ... outs(%inside)

Needs:  linalg on memrefs; to stand before `cpu-fill-borders`.
Leaves: what else reads the buffer reads the inside.
Skips:  buffers of known size, and packed images; those that an op sees in another
        shape, and that are written again; insides that depend on something that is
        computed later.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.buffers.memory import Effects, is_buffer
from dycl.kernels.cpu.mlir import functions

_SIZES = ("arith.", "memref.dim", "affine.")
"""How ops begin that reckon with sizes."""


def write_inside(module: Any) -> None:
    """Rewrite every copy into the inside of padded memory that need not be one."""
    for func in functions(module):
        block = func.regions[0].blocks[0]
        copies = [op.operation for op in block.operations if op.name == "memref.copy"]
        for copy in copies:
            source, inside = copy.operands
            if source.type.has_static_shape or not _is_taken(source, copy):
                continue
            order = {op.operation: i for i, op in enumerate(block.operations)}
            if any(use.owner.operation not in order for use in source.uses):
                continue
            moved = _moved(copy, inside, order, Effects(block))
            if moved is None:
                continue
            users = [use.owner.operation for use in source.uses]
            first = min(users, key=lambda op: order[op])
            for op in sorted(moved, key=lambda op: order[op]):
                op.move_before(first)
            copy.erase()
            source.replace_all_uses_with(inside)


def _is_taken(source: Any, copy: Any) -> bool:
    """Whether all who use a buffer can as well use a part of another one."""
    if not is_buffer(source):
        return False
    users = [use.owner.operation for use in source.uses]
    return all(
        user == copy
        or user.name == "memref.dim"
        or (
            user.name.startswith("linalg.")
            and str(getattr(user.attributes.get(NEST), "value", "")) != "pack"
        )
        for user in users
    )


def _moved(
    copy: Any, inside: Any, order: dict[Any, int], effects: Effects
) -> list[Any] | None:
    """What has to stand before the first use of the source; None: it cannot."""
    view = build.owner(inside)
    if view is None or view.name != "memref.subview":
        return None
    buffer = build.owner(view.operands[0])
    if buffer is None or buffer.name != "memref.alloc":
        return None
    source = copy.operands[0]
    before, after = range(order[copy]), range(order[copy] + 1, len(effects.ops))
    fills = [effects.ops[i] for i in before if effects.touches(i, inside)]
    if not all(op.name == "linalg.fill" for op in fills):
        return None
    if any(effects.writes(i, value) for i in after for value in (source, inside)):
        return None
    first = min(order[use.owner.operation] for use in source.uses)
    return _with_sizes([buffer, view, *fills], source, order, first)


def _with_sizes(
    ops: list[Any], source: Any, order: dict[Any, int], first: int
) -> list[Any] | None:
    """These ops with those behind `first` that say what they need; None: there is more
    to it."""
    waiting, result = list(ops), dict.fromkeys(ops)
    while waiting:
        for value in waiting.pop().operands:
            op = build.owner(value)
            if op is None or op in result or order.get(op, -1) < first:
                continue
            if value == source or not op.name.startswith(_SIZES):
                return None
            if source in list(op.operands):
                return None
            result[op] = None
            waiting.append(op)
    return list(result)
