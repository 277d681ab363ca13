"""`cpu-narrow-by-f32`: f64 becomes a half float by way of f32, as in eager.

LLVM would call a function for it that is in no library that we have.

Before:
    %h = arith.truncf %x : f64 to bf16

After:
    %f = arith.truncf %x : f64 to f32
    %h = arith.truncf %f : f32 to bf16

Needs:  linalg.
Leaves: no conversion from f64 to less than f32.
Skips:  conversions from and to f32.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops


def narrow_by_f32(module: Any) -> None:
    """Split every conversion from f64 to a half float."""
    f32 = ir.F32Type.get()
    for op in ops(module.operation):
        if op.name != "arith.truncf" or str(op.operands[0].type) != "f64":
            continue
        if op.results[0].type != f32:
            with ir.InsertionPoint(op), op.location:
                op.operands[0] = build.op("arith.truncf", [op.operands[0]], f32)
