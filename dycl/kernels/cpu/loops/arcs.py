"""Inverse sine, cosine and tangent of f32, in f64: one angle of a triangle's two sides.

    atan2(y, x) = k pi/4 +- atan((a - b) / (a + b)),    a and b from |y| and |x|

Sides are exchanged where the angle is above pi/4, and the angle is turned back by pi/4
where it is above pi/8: what is left has a short series, and needs one division. There
is no branch, and no call, on scalars and vectors.
"""

import math
from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu.build import (
    OEQ,
    OGT,
    OLT,
    UNE,
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
from dycl.kernels.cpu.loops.sizes_and_signs import signed_like, size_of
from dycl.kernels.cpu.mlir import ir

_ATAN = (
    0.04707131280421851,
    -0.08456090306771671,
    0.11040471173718121,
    -0.14281587322096606,
    0.19999883804489776,
    -0.33333332096936497,
    0.9999999999783852,
)
"""atan(z) / z in powers of z**2 up to tan(pi/8), highest first."""
_EIGHTH = math.tan(math.pi / 8)


def arc_tangent(x: Any) -> Any:
    """`atan`, of 0.0 with its sign."""
    side = size_of(x)
    angle = _angle(side, constant(1.0, side.type))
    return signed_like(angle, x)


def arc_tangent_of_two(y: Any, x: Any) -> Any:
    """`atan2`: zeros, infinities and signs as in C."""
    up = size_of(y)
    right = size_of(x)
    angle = _angle(up, right)
    one = constant(1.0, x.type)
    sign = op("math.copysign", [one, x], x.type)
    return signed_like(_turned(angle, sign), y)


def arc_sine(x: Any) -> Any:
    """`asin`; NaN beyond 1."""
    side = size_of(x)
    return signed_like(_angle(side, _other_side(side)), x)


def arc_cosine(x: Any) -> Any:
    """`acos`; NaN beyond 1."""
    side = size_of(x)
    angle = _turned(_angle(_other_side(side), side), x)
    return op("arith.truncf", [angle], x.type)


def _turned(angle: Any, x: Any) -> Any:
    """On the other side, where `x` is negative."""
    is_left = compare(OLT, x, constant(0.0, x.type))
    return select(is_left, subtract(constant(math.pi, angle.type), angle), angle)


def _other_side(side: Any) -> Any:
    """Of a triangle of radius 1: the square of an f32 is exact."""
    square = subtract(constant(1.0, side.type), multiply(side, side))
    return op("math.sqrt", [square], side.type)


def _angle(up: Any, right: Any) -> Any:
    """Of two sides that are not negative, from 0 to pi/2, as f64; two zeros give 0, and
    two infinities pi/4."""
    zero = constant(0.0, up.type)
    is_steep = compare(OGT, up, right)
    low, high = select(is_steep, right, up), select(is_steep, up, right)
    bit = like(up.type, ir.IntegerType.get_signless(1))
    is_equal = compare(OEQ, up, right)
    is_half = op("arith.andi", [is_equal, compare(UNE, up, zero)], bit)
    is_above = compare(OGT, low, multiply(high, constant(_EIGHTH, up.type)))
    is_above = op("arith.ori", [is_above, is_half], bit)
    above = select(is_above, subtract(low, high), low)
    below = select(is_above, add(low, high), high)
    z = select(is_equal, zero, divide(above, below))
    series = multiply(polynomial(multiply(z, z), _ATAN), z)
    from_eighth = select(is_above, constant(math.pi / 4, z.type), zero)
    angle = add(from_eighth, series)
    sign = select(is_steep, constant(-1.0, z.type), constant(1.0, z.type))
    start = select(is_steep, constant(math.pi / 2, z.type), zero)
    return fma(sign, angle, start)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "math.asin": arc_sine,
    "math.acos": arc_cosine,
    "math.atan": arc_tangent,
    "math.atan2": arc_tangent_of_two,
}
"""Op -> what builds its expansion from the arguments."""
