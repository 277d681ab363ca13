"""`cpu-compute-in-results`: what is copied to a result is computed there.

Bufferisation sees to that where a result begins as an empty tensor. Where it begins as
a copy of something, as sums at places that an index names, there would be two copies.

Before:
    %t = memref.alloc()
    memref.copy %x, %t
    scf.for ... { memref.store %sum, %t[%i] }
    memref.copy %t, %result

After:
    memref.copy %x, %result
    scf.for ... { memref.store %sum, %result[%i] }

Needs:  results as arguments, right after bufferisation, before buffers are freed.
Leaves: one buffer less.
Skips:  results that anything else touches; buffers that change once they have been
        copied, of another shape or layout, or made in a loop.
"""

from typing import Any

from dycl.kernels.cpu.buffers.memory import Effects
from dycl.kernels.cpu.mlir import functions


def compute_in_results(module: Any) -> None:
    """Put results in the place of buffers that are copied to them."""
    for func in functions(module):
        block = func.regions[0].blocks[0]
        arguments = set(block.arguments)
        effects = Effects(block)
        copies = [
            (place, op)
            for place, op in enumerate(effects.ops)
            if op.name == "memref.copy" and op.operands[1] in arguments
        ]
        for place, op in copies:
            made, result = op.operands
            later = range(place + 1, len(effects.ops))
            changes = any(effects.writes(i, made) for i in later)
            if not changes and _is_free(made, result, block):
                op.erase()
                buffer = made.owner
                made.replace_all_uses_with(result)
                buffer.erase()


def _is_free(made: Any, result: Any, block: Any) -> bool:
    """Whether a result is touched by nothing but the copy of a buffer made here."""
    owner = made.owner
    return (
        owner != block
        and owner.name == "memref.alloc"
        and owner.operation.block == block
        and made.type == result.type
        and made.type.has_static_shape
        and sum(1 for _ in result.uses) == 1
    )
