"""Numbers as PTX has them, where NumPy's differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np

_LEAST = np.float32(2.0**-126)
_ROUND = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def from_bf16(bits: Any) -> Any:
    """bf16 as f32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def to_bf16(values: Any) -> Any:
    """f32 rounded to bf16, as bits."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(
        16
    )
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def to_tf32(bits: Any) -> Any:
    """The bits of f32, rounded to eleven bits of mantissa, ties away from zero."""
    return (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)


def without_denormals(values: Any) -> Any:
    """f32 with a zero of the same sign for each denormal."""
    zero = np.copysign(np.float32(0), values)
    return np.where(np.abs(values) < _LEAST, zero, values).astype(np.float32)


def fused(a: Any, b: Any, c: Any, *, down: bool = False) -> Any:
    """a * b + c, rounded once; f32 by a sum in f64 that is rounded to odd.

    `down`: towards minus infinity.
    """
    if a.dtype == np.float64:
        return (a.astype(np.longdouble) * b + c).astype(np.float64)
    product = a.astype(np.float64) * b
    addend = c.astype(np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    bits = np.ascontiguousarray(total).view(np.int64).copy()
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    bits[inexact] += np.where((error > 0) == (total > 0), 1, -1)[inexact]
    exact = bits.view(np.float64)
    result = exact.astype(a.dtype)
    if down:
        below = np.nextafter(result, np.array(-np.inf, a.dtype))
        result = np.where(result.astype(np.float64) > exact, below, result)
    return result


def integer_quotient(a: Any, b: Any) -> Any:
    """The quotient of integers, rounded towards zero."""
    safe = np.where(b == 0, 1, b)
    quotient = a // safe
    inexact = quotient * safe != a
    return np.where(inexact & ((a < 0) != (safe < 0)), quotient + 1, quotient).astype(
        a.dtype
    )


def converted(values: Any, to: str, modifiers: Sequence[str]) -> Any:
    """`cvt`: to another type; floats become integers as saturated ones."""
    rounding = next((_ROUND[m] for m in modifiers if m in _ROUND), None)
    is_float = values.dtype.kind == "f"
    if is_float and rounding is not None:
        values = rounding(values)
    if to == "bf16":
        return to_bf16(values)
    if to[0] == "f":
        result = values.astype(f"f{int(to[1:]) // 8}")
        if "sat" in modifiers:
            result = np.where(np.isnan(result), 0, np.clip(result, 0, 1))
            result = result.astype(f"f{int(to[1:]) // 8}")
        return result
    kind = np.dtype(f"{'i' if to[0] == 's' else 'u'}{int(to[1:]) // 8}")
    if is_float:
        limits = np.iinfo(kind)
        numbers = np.where(np.isnan(values), 0, np.trunc(values.astype(np.float64)))
        inside = (numbers > float(limits.min)) & (numbers < float(limits.max))
        edge = np.where(numbers > 0, limits.max, limits.min)
        return np.where(inside, np.where(inside, numbers, 0).astype(kind), edge).astype(
            kind
        )
    return values.astype(kind)
