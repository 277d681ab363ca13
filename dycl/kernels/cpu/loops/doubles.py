"""Functions of f64 that MLIR would compute with too few digits."""

import math
from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu.build import (
    OLT,
    compare,
    constant,
    multiply,
    op,
    select,
    subtract,
)
from dycl.kernels.cpu.loops.polynomial import polynomial

_NEAR = 0.35
"""Up to there the series holds; beyond, exp(x) - 1 loses 1 ulp at most."""
_EXPM1 = tuple(1 / math.factorial(power) for power in range(14, 0, -1))
"""(exp(x) - 1) / x, highest power first."""


def exponential_less_one(x: Any) -> Any:
    """`expm1`, of 0.0 with its sign; MLIR has exp(x) - 1, of 1e-20 0."""
    size = op("math.absf", [x], x.type)
    series = multiply(polynomial(x, _EXPM1), x)
    far = subtract(op("math.exp", [x], x.type), constant(1.0, x.type))
    return select(compare(OLT, size, constant(_NEAR, x.type)), series, far)


FUNCTIONS: dict[str, Callable[..., Any]] = {"math.expm1": exponential_less_one}
"""Op -> what builds its expansion from the arguments."""
