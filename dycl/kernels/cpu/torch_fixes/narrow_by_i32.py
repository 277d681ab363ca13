"""`cpu-narrow-by-i32`: a float becomes a small integer by way of i32, as in eager.

Eager's NaN and infinities are 0 as an int16, and 40,000 wraps around. A conversion
straight to 16 bits has no meaning there, and gives -32768.

Before:
    %n = arith.fptosi %x : f32 to i16

After:
    %w = arith.fptosi %x : f32 to i32
    %n = arith.trunci %w : i32 to i16

Needs:  linalg.
Leaves: no conversion from a float to an integer of 8 or 16 bits.
Skips:  i32 and i64, for which the processor has instructions that eager uses too; i1.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops

_SMALL = ("i8", "i16")
_TO_INTEGER = ("arith.fptosi", "arith.fptoui")


def narrow_by_i32(module: Any) -> None:
    """Split every conversion from a float to a small integer."""
    i32 = ir.IntegerType.get_signless(32, module.context)
    for op in ops(module.operation):
        if op.name not in _TO_INTEGER or str(op.results[0].type) not in _SMALL:
            continue
        with ir.InsertionPoint(op), op.location:
            wide = build.op("arith.fptosi", [op.operands[0]], i32)
            narrow = build.op("arith.trunci", [wide], op.results[0].type)
        op.results[0].replace_all_uses_with(narrow)
        op.erase()
