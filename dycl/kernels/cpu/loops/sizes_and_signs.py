"""An f32 as its size, in f64, and a result with its sign."""

from typing import Any

from dycl.kernels.cpu.build import like, op
from dycl.kernels.cpu.mlir import ir


def size_of(x: Any) -> Any:
    """|x| as f64."""
    wide = like(x.type, ir.F64Type.get())
    return op("arith.extf", [op("math.absf", [x], x.type)], wide)


def signed_like(value: Any, x: Any) -> Any:
    """An f64 as f32, with the sign of `x`."""
    return op("math.copysign", [op("arith.truncf", [value], x.type), x], x.type)
