"""Polynomials, as sums of products that are rounded once."""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu.build import constant, fma


def polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    """Of `x`, the coefficient of its highest power first."""
    first, *rest = (constant(c, x.type) for c in coefficients)
    value = first
    for coefficient in rest:
        value = fma(value, x, coefficient)
    return value


def by_halves(x: Any, squared: Any, coefficients: Sequence[float]) -> Any:
    """The same, even and odd powers side by side: half as long to wait for."""
    odd = polynomial(squared, coefficients[::2])
    even = polynomial(squared, coefficients[1::2])
    return fma(odd, x, even)
