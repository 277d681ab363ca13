"""Powers and logarithms of f32, in f64.

    x ** y = 2 ** (y log2 |x|), and what IEEE says of signs and borders

f64 has room for the exponents of all f32 powers, so nothing overflows before the result
is rounded, once, to f32.
"""

import math
from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu.build import (
    OEQ,
    OLT,
    ONE,
    ULT,
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
from dycl.kernels.cpu.mlir import ir

_EXP2 = (
    1.531497178786119e-05,
    0.00015467135830190225,
    0.0013333430684649478,
    0.009618036836961554,
    0.05550410962687996,
    0.24022651076310014,
    0.6931471805416246,
)
"""(2**f - 1) / f for |f| <= 1/2, highest power first."""
_LOG2 = (
    0.3407694906809409,
    0.4116706111271075,
    0.5770836198629906,
    0.961796673159216,
    2.885390081790233,
)
"""log2((1 + s) / (1 - s)) / s in powers of s**2, m between the roots of 1/2 and 2."""
_MAGIC = 1.5 * 2.0**52
_MAGIC_F32, _BITS_OF_MAGIC = 1.5 * 2.0**23, 0x4B400000
_LEAST, _MOST = 151.0, 129.0
"""Beyond -151 and 129, 2**x is 0 and infinite as f32."""
_ROOT_OF_HALF = 0x3FE6A09E667F3BCD
"""The bits of sqrt(1/2) as f64."""
_END = 1000.0
"""Exponents beyond it are 0 or infinite as f32."""


def power(x: Any, y: Any) -> Any:
    """`x ** y`, within 1 ulp; NaN, infinities and zeros as C's `powf`."""
    wide = like(x.type, ir.F64Type.get())
    size = op("math.absf", [x], x.type)
    exponent = multiply(
        log2_of(op("arith.extf", [size], wide)), op("arith.extf", [y], wide)
    )
    result = op("arith.truncf", [exp2_of(exponent)], x.type)
    # (-1) ** inf; 0 * inf was NaN.
    one = constant(1.0, x.type)
    endless = compare(OEQ, op("math.absf", [y], y.type), constant(math.inf, y.type))
    is_unit = compare(OEQ, size, one)
    result = select(_both(is_unit, endless), one, result)
    result = _signed(x, y, result)
    always = op(
        "arith.ori",
        [compare(OEQ, y, constant(0.0, x.type)), compare(OEQ, x, one)],
        like(x.type, ir.IntegerType.get_signless(1)),
    )
    return select(always, one, result)


def power_of_two(x: Any) -> Any:
    """`2 ** x`, in f32: its reduction is exact. The scale is two factors, so that each
    is in the range of f32 and the result is rounded where it is denormal."""
    shifted, f = _whole_and_rest(x, -_LEAST, _MOST, _MAGIC_F32)
    value = fma(polynomial(f, _EXP2), f, constant(1.0, x.type))
    integers = like(x.type, ir.IntegerType.get_signless(32))

    def of_two(name: str, left: Any, right: Any) -> Any:
        return op(f"arith.{name}", [left, right], integers)

    bits = op("arith.bitcast", [shifted], integers)
    n = of_two("subi", bits, constant(_BITS_OF_MAGIC, integers))
    half = of_two("shrsi", n, constant(1, integers))
    for part in (half, of_two("subi", n, half)):
        biased = of_two("addi", part, constant(127, integers))
        scale = of_two("shli", biased, constant(23, integers))
        value = multiply(value, op("arith.bitcast", [scale], x.type))
    return value


def logarithm(base: float) -> Callable[[Any], Any]:
    """What builds a logarithm of f32 from the argument."""

    def built(x: Any) -> Any:
        wide = like(x.type, ir.F64Type.get())
        value = log2_of(op("arith.extf", [x], wide))
        if base != 2:
            value = multiply(value, constant(math.log(2) / math.log(base), wide))
        result = op("arith.truncf", [value], x.type)
        below = compare(ULT, x, constant(0.0, x.type))
        return select(below, constant(math.nan, x.type), result)

    return built


def log2_of(x: Any) -> Any:
    """Of an f64 that is not negative, nor denormal, as one that was an f32."""
    integers = like(x.type, ir.IntegerType.get_signless(64))
    bits = op("arith.bitcast", [x], integers)
    above = op("arith.subi", [bits, constant(_ROOT_OF_HALF, integers)], integers)
    places = constant(52, integers)
    e = op("arith.shrsi", [above, places], integers)
    moved = op("arith.shli", [e, places], integers)
    m = op("arith.bitcast", [op("arith.subi", [bits, moved], integers)], x.type)
    one = constant(1.0, x.type)
    s = divide(subtract(m, one), add(m, one))
    result = add(op("arith.sitofp", [e], x.type), log2_of_ratio(s))
    zero, infinity = constant(0.0, x.type), constant(math.inf, x.type)
    result = select(compare(OEQ, x, zero), constant(-math.inf, x.type), result)
    # An infinity stays one, and NaN stays NaN.
    return select(compare(OLT, x, infinity), result, x)


def log2_of_ratio(s: Any) -> Any:
    """log2((1 + s) / (1 - s)) of an f64 up to 0.17 from 0."""
    return multiply(polynomial(multiply(s, s), _LOG2), s)


def _whole_and_rest(x: Any, least: float, most: float, magic: float) -> tuple[Any, Any]:
    """Of `x` between two ends the nearest integer, in the lowest bits of a float, and
    what is left; NaN is kept in that."""
    low, high = constant(least, x.type), constant(most, x.type)
    x = select(compare(OLT, x, low), low, x)
    x = select(compare(OLT, high, x), high, x)
    rounder = constant(magic, x.type)
    shifted = add(x, rounder)
    return shifted, subtract(x, subtract(shifted, rounder))


def exp2_of(x: Any) -> Any:
    """2 ** x as f64, of an f64; NaN stays NaN."""
    shifted, f = _whole_and_rest(x, -_END, _END, _MAGIC)
    value = fma(polynomial(f, _EXP2), f, constant(1.0, x.type))
    integers = like(x.type, ir.IntegerType.get_signless(64))
    n = op("arith.bitcast", [shifted], integers)
    moved = op("arith.shli", [n, constant(52, integers)], integers)
    bits = op("arith.bitcast", [value], integers)
    scaled = op("arith.addi", [bits, moved], integers)
    result = op("arith.bitcast", [scaled], x.type)
    return select(compare(OEQ, x, x), result, x)


def _signed(x: Any, y: Any, result: Any) -> Any:
    """Odd powers have the sign of `x`; of numbers below 0, other than whole powers are
    NaN."""
    whole = op("math.floor", [y], y.type)
    half = multiply(y, constant(0.5, y.type))
    is_whole = compare(OEQ, whole, y)
    is_odd = _both(is_whole, compare(UNE, op("math.floor", [half], y.type), half))
    signed = op("math.copysign", [result, x], x.type)
    result = select(is_odd, signed, result)
    below = _both(
        compare(OLT, x, constant(0.0, x.type)),
        compare(OLT, constant(-math.inf, x.type), x),
    )
    is_part = _both(below, compare(ONE, whole, y))
    return select(is_part, constant(math.nan, x.type), result)


def _both(one: Any, other: Any) -> Any:
    return op("arith.andi", [one, other], one.type)
