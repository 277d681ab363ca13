"""`cpu-expand-bf16`: arithmetic on bf16 is that on f32, rounded to the nearest.

Where a processor has no bf16, LLVM calls a function for each rounding that is in no
library that we have; where it has, its instruction takes denormals for zeros, which
eager does not.

Before:
    %z = arith.addf %x, %y : bf16

After (shortened):
    %z = arith.addf (arith.extf %x), (arith.extf %y) : f32
    %bits = arith.addi (arith.bitcast %z), (0x7FFF + the last bit that stays)
    %upper = arith.trunci (arith.shrui %bits, 16) : i32 to i16

A double becomes f32 first, as in eager, and bf16 a double by f32.

Needs:  loops and vectors; to stand before functions are expanded.
Leaves: no bf16 but in memory and where its bits are moved. NaN stays NaN.
Skips:  kernels without bf16.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.build import element_type
from dycl.kernels.cpu.mlir import ir, ops, run_passes

_IN_F32 = (
    "math-extend-to-supported-types{target-type=f32 extra-types=f64},"
    "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32}"
)
_BITS = "func.func(arith-expand{include-bf16=true})"


def expand_bf16(module: Any) -> None:
    """Compute in f32 what is computed in bf16, everywhere."""
    if not any(
        _is_half(value) for op in ops(module.operation) for value in _values(op)
    ):
        return
    run_passes(module, _IN_F32)
    for op in ops(module.operation):
        if op.name in ("arith.extf", "arith.truncf") and "fastmath" in op.attributes:
            # Eager rounds each result: these are no pair to be left out.
            del op.attributes["fastmath"]
    for op in list(ops(module.operation)):
        _split_double(op)
    run_passes(module, _BITS)


def _split_double(op: Any) -> None:
    """Convert between bf16 and f64 in two steps: LLVM's one takes denormals for 0."""
    if op.name not in ("arith.extf", "arith.truncf"):
        return
    kinds = [element_type(v.type) for v in (*op.operands, *op.results)]
    if {type(kind) for kind in kinds} != {ir.BF16Type, ir.F64Type}:
        return
    with ir.InsertionPoint(op), op.location:
        result = op.results[0].type
        single = build.like(result, ir.F32Type.get())
        middle = build.op(op.name, [op.operands[0]], single)
        whole = build.op(op.name, [middle], result)
    op.results[0].replace_all_uses_with(whole)
    op.erase()


def _values(op: Any) -> list[Any]:
    is_computed = op.name.startswith(("arith.", "math."))
    return [*op.operands, *op.results] if is_computed else []


def _is_half(value: Any) -> bool:
    return isinstance(element_type(value.type), ir.BF16Type)
