"""The error function's kin: inverse, complement, and quantiles of the normal one.

Each is computed in f64 and rounded once. torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.torch_fixes.gammas import in_doubles, series

_STEP, _TERMS = 0.5, 12
"""Of the trapezoidal rule, whose error is exp(-(pi / step) ** 2)."""


def inverse_error(op: Any, x: Any) -> Any:
    """`erfinv`: a fraction of polynomials, and two steps of Newton's, as in eager."""
    return in_doubles(_inverse_error, x)


def _inverse_error(x: Any) -> Any:
    import torch

    size, square = x.abs(), x * x
    inner = x * series(_NEAR_ZERO[0], square) / series(_NEAR_ZERO[1], square)
    tail = (-((1 - size) / 2).clamp(min=1e-300).log()).sqrt()
    outer = series(_NEAR_ONE[0], tail) / series(_NEAR_ONE[1], tail)
    outer = torch.where(x < 0, -outer, outer)
    result = torch.where(size <= 0.7, inner, outer)
    for _ in range(2):
        slope = 2 / math.sqrt(math.pi) * torch.exp(-result * result)
        result = result - (torch.erf(result) - x) / slope
    result = torch.where(size == 1, x * math.inf, result)
    return torch.where(size > 1, math.nan, result)


_NEAR_ZERO = (
    (0.886226899, -1.645349621, 0.914624893, -0.140543331),
    (1.0, -2.118377725, 1.442710462, -0.329097515, 0.012229801),
)
_NEAR_ONE = (
    (-1.970840454, -1.624906493, 3.429567803, 1.641345311),
    (1.0, 3.543889200, 1.637067800),
)
"""Above and below the fraction's bar."""


def scaled_complement(op: Any, x: Any) -> Any:
    """`special_erfcx`: exp(x * x) erfc(x)."""
    return in_doubles(_scaled_complement, x)


def _scaled_complement(x: Any) -> Any:
    """Of doubles, by the trapezoidal rule (Chiarella and Reichl, 1968)."""
    import torch

    size = x.abs()
    near = torch.exp(size.clamp(max=1.0) ** 2) * (1 - torch.erf(size.clamp(max=1.0)))
    far = size.clamp(min=1.0)
    square, total = far * far, 1 / (far * far)
    for k in range(1, _TERMS + 1):
        place = (k * _STEP) ** 2
        total = total + 2 * math.exp(-place) / (place + square)
    total = total * far * _STEP / math.pi
    inner = far.clamp(max=math.pi / _STEP)  # beyond, there is no pole to correct for
    rest = 2 * torch.exp(inner * inner) / (1 - torch.exp(2 * math.pi / _STEP * inner))
    total = torch.where(far < math.pi / _STEP, total + rest, total)
    result = torch.where(size < 1, near, torch.where(size == math.inf, 0.0, total))
    return torch.where(x < 0, 2 * torch.exp(x * x) - result, result)


def complement_of_doubles(x: Any) -> Any:
    """`erfc` of float64."""
    import torch

    size = x.abs()
    result = _scaled_complement(size) * torch.exp(-size * size)
    return torch.where(x < 0, 2 - result, result)


def quantile(op: Any, x: Any) -> Any:
    """`special_ndtri`: the quantile function of the normal distribution."""
    return in_doubles(_quantile, x)


def _quantile(x: Any) -> Any:
    import torch

    q = torch.where(x < 0.5, x, 1 - x).clamp(min=1e-300)
    tail = (-q.log()).sqrt()
    outer = series(_NEAR_ONE[0], tail) / series(_NEAR_ONE[1], tail)
    for _ in range(3):
        off = _scaled_complement(outer) - 2 * q * torch.exp(outer * outer)
        outer = outer + math.sqrt(math.pi) / 2 * off
    outer = torch.where(x < 0.5, -outer, outer)
    inner = _inverse_error((2 * x - 1).clamp(-0.9, 0.9))
    result = math.sqrt(2) * torch.where(q > 0.1, inner, outer)
    result = torch.where(x == 0, -math.inf, torch.where(x == 1, math.inf, result))
    return torch.where((x < 0) | (x > 1) | (x != x), math.nan, result)


REWRITES = {
    "erfinv": inverse_error,
    "special_erfinv": inverse_error,
    "special_erfcx": scaled_complement,
    "special_ndtri": quantile,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
