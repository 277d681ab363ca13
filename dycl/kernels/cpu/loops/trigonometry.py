"""Sine, cosine and tangent of f32, in f64: what an argument is beyond a quarter turn.

    |x| = n pi/2 + r,    |r| <= pi/4

Below 2**30, `n` and `r` come from two products with pi/2 in two parts, which lose
nothing that an f32 would show. From there on, as Payne and Hanek do, `n` and `r` are
the upper bits of the product of the mantissa with those bits of 2/pi that are not
multiples of four turns. Both have no branch, and no call, on scalars and vectors; where
lanes are a vector, the second is left out if no lane needs it.
"""

import math
from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu.build import (
    OGE,
    OLT,
    choice,
    compare,
    compare_integers,
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

_QUARTER = (1.5707963267948966, 6.123233995736766e-17)
"""pi/2 in two parts."""
_MAGIC = 1.5 * 2.0**52
"""An f64 of that size has the ulp 1, so adding it rounds to an integer, which then
stands in the lowest bits."""
_FAR = 2.0**30
"""From there on, two parts of pi/2 are not enough."""
_TWO_OVER_PI = 0xA2F9836E_4E441529_FC2757D1_F534DDC0_DB629599_3C439041_FE5163AB
"""Times 2**224."""
_FIRST_BIT = 152
"""The exponent of an f32, biased, from which the first bit of 2/pi counts."""

_SIN = (
    2.7175681270878095e-06,
    -0.00019839257021276888,
    0.008333329145122087,
    -0.16666666639568228,
)
"""(sin(r) - r) / r**3 in powers of r**2, highest first."""
_COS = (
    -2.720333775050027e-07,
    2.4799436822224447e-05,
    -0.0013888883439999642,
    0.04166666661922251,
)
"""(cos(r) - 1 + r**2 / 2) / r**4."""


def sine(x: Any) -> Any:
    """`sin`, of 0.0 with its sign."""
    turns, r = _reduced(x)
    result = op("arith.truncf", [_signed(turns, _side(turns, r))], x.type)
    bits = like(x.type, ir.IntegerType.get_signless(32))
    sign = op("arith.andi", [_bits(x, bits), constant(-(2**31), bits)], bits)
    whole = op("arith.xori", [_bits(result, bits), sign], bits)
    return op("arith.bitcast", [whole], x.type)


def cosine(x: Any) -> Any:
    """`cos`."""
    turns, r = _reduced(x)
    turns = op("arith.addi", [turns, constant(1, turns.type)], turns.type)
    return op("arith.truncf", [_signed(turns, _side(turns, r))], x.type)


def tangent(x: Any) -> Any:
    """`tan`, of 0.0 with its sign."""
    turns, r = _reduced(x)
    up, down = _sin_cos(r)
    odd = _is_odd(turns)
    ratio = divide(
        select(odd, op("arith.negf", [down], r.type), up), select(odd, up, down)
    )
    result = op("arith.truncf", [ratio], x.type)
    negated = op("arith.negf", [result], x.type)
    is_negative = compare_integers(
        2,
        _bits(x, like(x.type, ir.IntegerType.get_signless(32))),
        constant(0, like(x.type, ir.IntegerType.get_signless(32))),
    )
    return select(is_negative, negated, result)


def _bits(x: Any, kind: Any) -> Any:
    return op("arith.bitcast", [x], kind)


def _is_odd(turns: Any) -> Any:
    lowest = op("arith.andi", [turns, constant(1, turns.type)], turns.type)
    return compare_integers(1, lowest, constant(0, turns.type))


def _side(turns: Any, r: Any) -> Any:
    """The sine of what is left or, after an odd number of quarters, its cosine."""
    up, down = _sin_cos(r)
    return select(_is_odd(turns), down, up)


def _signed(turns: Any, value: Any) -> Any:
    """Negated in the second half of a turn."""
    half = op("arith.andi", [turns, constant(2, turns.type)], turns.type)
    sign = op("arith.shli", [half, constant(62, turns.type)], turns.type)
    whole = op("arith.xori", [_bits(value, turns.type), sign], turns.type)
    return op("arith.bitcast", [whole], value.type)


def _sin_cos(r: Any) -> tuple[Any, Any]:
    squared = multiply(r, r)
    up = fma(multiply(polynomial(squared, _SIN), squared), r, r)
    half = fma(squared, constant(-0.5, r.type), constant(1.0, r.type))
    down = fma(multiply(polynomial(squared, _COS), squared), squared, half)
    return up, down


def _reduced(x: Any) -> tuple[Any, Any]:
    """Quarters in |x|, of which the last two bits count, and what is left, as f64."""
    size = op("math.absf", [x], x.type)
    wide = like(x.type, ir.F64Type.get())
    near = _reduced_near(op("arith.extf", [size], wide))
    infinity = constant(math.inf, x.type)
    bit = like(x.type, ir.IntegerType.get_signless(1))
    beyond = compare(OGE, size, constant(_FAR, x.type))
    far = op("arith.andi", [beyond, compare(OLT, size, infinity)], bit)

    def chosen() -> list[Any]:
        there = _reduced_far(size)
        return [select(far, a, b) for a, b in zip(there, near, strict=True)]

    if not isinstance(x.type, ir.VectorType):
        turns, r = chosen()
        return turns, r
    some = op("vector.reduction", [far], bit.element_type, _any())
    kinds = [value.type for value in near]
    turns, r = choice(some, chosen, lambda: list(near), kinds)
    return turns, r


def _any() -> dict[str, Any]:
    return {"kind": ir.Attribute.parse("#vector.kind<or>")}


def _reduced_near(x: Any) -> tuple[Any, Any]:
    magic = constant(_MAGIC, x.type)
    shifted = fma(x, constant(2 / math.pi, x.type), magic)
    n = subtract(shifted, magic)
    r = fma(n, constant(-_QUARTER[0], x.type), x)
    r = fma(n, constant(-_QUARTER[1], x.type), r)
    return _bits(shifted, like(x.type, ir.IntegerType.get_signless(64))), r


def _reduced_far(size: Any) -> tuple[Any, Any]:
    """Of lanes from `_FAR` on; the others are anything."""
    short = like(size.type, ir.IntegerType.get_signless(32))
    long = like(size.type, ir.IntegerType.get_signless(64))
    bits = _bits(size, short)
    of_mantissa = op("arith.andi", [bits, constant(2**23 - 1, short)], short)
    mantissa = op("arith.ori", [of_mantissa, constant(2**23, short)], short)
    factor = op("arith.extui", [mantissa], long)
    exponent = op("arith.shrui", [bits, constant(23, short)], short)
    first = op("arith.subi", [exponent, constant(_FIRST_BIT, short)], short)
    within = op("arith.andi", [first, constant(31, short)], short)
    by = op("arith.extui", [within], long)
    parts = [op("arith.muli", [factor, word], long) for word in _words(first, by)]

    def shifted(name: str, value: Any, places: int) -> Any:
        return op(f"arith.{name}", [value, constant(places, long)], long)

    # In units of 2**-62 quarters, without whole turns: those overflow.
    whole = op("arith.addi", [shifted("shli", parts[0], 32), parts[1]], long)
    whole = op("arith.addi", [whole, shifted("shrui", parts[2], 32)], long)
    rounded = op("arith.addi", [whole, constant(2**61, long)], long)
    turns = shifted("shrui", rounded, 62)
    rest = op("arith.subi", [whole, shifted("shli", turns, 62)], long)
    wide = like(size.type, ir.F64Type.get())
    r = multiply(
        op("arith.sitofp", [rest], wide), constant(math.pi / 2 * 2.0**-62, wide)
    )
    return turns, r


def _words(first: Any, by: Any) -> list[Any]:
    """The 96 bits of 2/pi from bit `first` on, `by` of which are in the first word."""
    starts = [
        compare_integers(5, first, constant(32 * i, first.type)) for i in range(1, 4)
    ]
    result: list[Any] = []
    for j in range(3):
        pair = constant(_pair(j), by.type)
        for i, begins in enumerate(starts, 1):
            pair = select(begins, constant(_pair(i + j), by.type), pair)
        moved = op("arith.shli", [pair, by], by.type)
        result.append(op("arith.shrui", [moved, constant(32, by.type)], by.type))
    return result


def _pair(word: int) -> int:
    """Two words of 2/pi as a number with a sign."""
    bits = _TWO_OVER_PI >> 32 * (5 - word) & (2**64 - 1)
    return bits - 2**64 if bits >= 2**63 else bits


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "math.sin": sine,
    "math.cos": cosine,
    "math.tan": tangent,
}
"""Op -> what builds its expansion from the argument."""
