"""Hyperbolic sine and cosine of f32 and the inverse functions, in f64.

By powers and logarithms of 2, which have room in f64 for all that f32 holds; near 0,
where those would lose what counts, by series.
"""

import math
from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu.build import (
    OGT,
    OLT,
    ULT,
    add,
    compare,
    constant,
    divide,
    fma,
    like,
    multiply,
    op,
    select,
    subtract,
)
from dycl.kernels.cpu.loops.polynomial import polynomial
from dycl.kernels.cpu.loops.powers import exp2_of, log2_of, log2_of_ratio
from dycl.kernels.cpu.loops.sizes_and_signs import signed_like, size_of
from dycl.kernels.cpu.mlir import ir

_SINH = (
    2.819018740319951e-06,
    0.0001983571388587833,
    0.00833335320545134,
    0.16666666418099155,
    1.0000000000497196,
)
"""sinh(x) / x in powers of x**2 up to 1, highest first."""
_SERIES_END = 0.17
"""Up to there, the series of the logarithm holds (`powers.py`)."""


def hyperbolic_sine(x: Any) -> Any:
    """`sinh`, of 0.0 with its sign."""
    size = size_of(x)
    series = multiply(polynomial(multiply(size, size), _SINH), size)
    up, down = _powers(size)
    far = compare(OGT, size, constant(1.0, size.type))
    return signed_like(select(far, _half(subtract(up, down)), series), x)


def hyperbolic_cosine(x: Any) -> Any:
    """`cosh`."""
    up, down = _powers(size_of(x))
    return op("arith.truncf", [_half(add(up, down))], x.type)


def inverse_sine(x: Any) -> Any:
    """`asinh`, of 0.0 with its sign."""
    size = size_of(x)
    one = constant(1.0, size.type)
    root = op("math.sqrt", [fma(size, size, one)], size.type)
    far = log2_of(add(size, root))
    near = _half(log2_of_ratio(divide(size, root)))
    return signed_like(_natural(_near_or_far(size, near, far)), x)


def inverse_cosine(x: Any) -> Any:
    """`acosh`; NaN below 1."""
    wide = op("arith.extf", [x], like(x.type, ir.F64Type.get()))
    one = constant(1.0, wide.type)
    root = op("math.sqrt", [subtract(multiply(wide, wide), one)], wide.type)
    value = _natural(log2_of(add(wide, root)))
    value = select(compare(ULT, wide, one), constant(math.nan, wide.type), value)
    return op("arith.truncf", [value], x.type)


def inverse_tangent(x: Any) -> Any:
    """`atanh`, of 0.0 with its sign; NaN beyond 1."""
    size = size_of(x)
    one = constant(1.0, size.type)
    far = log2_of(divide(add(one, size), subtract(one, size)))
    value = _natural(_half(_near_or_far(size, log2_of_ratio(size), far)))
    value = select(compare(OLT, one, size), constant(math.nan, size.type), value)
    return signed_like(value, x)


def _powers(size: Any) -> tuple[Any, Any]:
    """e to that power, and to the negated one."""
    exponent = multiply(size, constant(1 / math.log(2), size.type))
    up = exp2_of(exponent)
    return up, divide(constant(1.0, size.type), up)


def _half(x: Any) -> Any:
    return multiply(x, constant(0.5, x.type))


def _natural(x: Any) -> Any:
    return multiply(x, constant(math.log(2), x.type))


def _near_or_far(size: Any, near: Any, far: Any) -> Any:
    return select(compare(OLT, size, constant(_SERIES_END, size.type)), near, far)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "math.sinh": hyperbolic_sine,
    "math.cosh": hyperbolic_cosine,
    "math.asinh": inverse_sine,
    "math.acosh": inverse_cosine,
    "math.atanh": inverse_tangent,
}
"""Op -> what builds its expansion from the argument."""
