"""Functions of the gamma family and Bessel's modified ones, by series.

Each is computed in f64 and rounded once, so that half floats and f32 are what eager
gives within their own rounding. torch is imported in the functions.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_STIRLING = (
    *(1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188),
    *(-691 / 360360, 1 / 156, -3617 / 122400),
)
"""B(2k) / (2k (2k - 1)), of the logarithm of the gamma function."""
_NEAR_TWO = (
    *(0.42278433509846713, 0.3224670334241132, -0.0673523010531981),
    *(0.020580808427784546, -0.007385551028673986, 0.0028905103307415234),
    *(-0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939),
    *(9.945751278180853e-05, -4.492623673813314e-05, 2.050721277567069e-05),
    *(-9.439488275268397e-06, 4.374866789907488e-06, -2.039215753801366e-06),
    *(9.55141213040742e-07, -4.492469198764566e-07, 2.1207184805554665e-07),
    *(-1.0043224823968099e-07, 4.7698101693639804e-08, -2.2711094608943164e-08),
    *(1.0838659214896955e-08, -5.183475041970047e-09, 2.4836745438024785e-09),
    *(-1.1921401405860912e-09, 5.731367241678862e-10),
)
"""(zeta(k) - 1) / k with alternating signs, of the logarithm of the gamma function of
2 + z, up to a half: there, and at 1, the others would lose the digits of what is
near 0."""
_DIGAMMA = (
    *(1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132),
    *(-691 / 32760, 1 / 12),
)
"""B(2k) / 2k."""
_TRIGAMMA = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""B(2k)."""
_SHIFTS = 10
"""Steps of the recurrence, after which the series of a large number hold."""
_SMALL, _SMALL_TERMS, _LARGE_TERMS = 25.0, 48, 22
"""Up to where Bessel functions are summed from 0; the terms there and beyond."""


def in_doubles(function: Callable[[Any], Any], x: Any) -> Any:
    """Of a real tensor, in its dtype; of integers in the default one."""
    import torch

    if x.is_complex():
        return NotImplemented
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    return function(x.double()).to(dtype)


def log_gamma(op: Any, x: Any) -> Any:
    """`lgamma`: of what is not above 0, by reflection; infinite at its poles."""
    return in_doubles(_log_gamma, x)


def _log_gamma(x: Any) -> Any:
    import torch

    low = x < 0.5
    given = above = torch.where(low, 1 - x, x)
    product = torch.ones_like(above)
    for _ in range(_SHIFTS):
        small = above < _SHIFTS
        product = torch.where(small, product * above, product)
        above = torch.where(small, above + 1, above)
    tail = series(_STIRLING, 1 / (above * above)) / above
    result = (above - 0.5) * above.log() - above + _HALF_LOG_TWO_PI + tail
    result = torch.where(above == math.inf, above, result) - product.log()
    is_about_one = given < 1.5
    rest = torch.where(is_about_one, given - 1, given - 2)
    near = rest * series(_NEAR_TWO, rest)
    near = torch.where(is_about_one, near - torch.log1p(rest), near)
    result = torch.where(given < 2.5, near, result)
    height = (math.pi / _sine(x.abs())).log()
    result = torch.where(low, height - result, result)
    return torch.where(x.abs() == math.inf, x.abs(), result)


def _sine(x: Any) -> Any:
    """|sin(pi x)| of what is not below 0; 0 at integers."""
    import torch

    rest = x - x.floor()
    rest = torch.where(rest > 0.5, 1 - rest, rest)
    return torch.sin(rest * math.pi)


def digamma(op: Any, x: Any) -> Any:
    """NaN at the negative integers, and an infinity at each zero."""
    return in_doubles(_digamma, x)


def _digamma(x: Any) -> Any:
    import torch

    low = x < 0
    above, result = torch.where(low, 1 - x, x), torch.zeros_like(x)
    for _ in range(_SHIFTS):
        small = above < _SHIFTS
        result = torch.where(small, result - 1 / above, result)
        above = torch.where(small, above + 1, above)
    square = 1 / (above * above)
    result = result + above.log() - 0.5 / above - square * series(_DIGAMMA, square)
    rest = x - torch.trunc(x)
    result = torch.where(low, result - math.pi / torch.tan(rest * math.pi), result)
    result = torch.where(low & (x == x.floor()), math.nan, result)
    return torch.where(x == 0, -1 / x, result)


def polygamma(op: Any, order: int, x: Any) -> Any:
    """The derivative of digamma of some order."""
    import torch

    from dycl.analysis.torch_fixes import zetas

    if order > 1:
        return zetas.polygamma(order, x)
    if order < 0:
        return NotImplemented
    if order == 0:
        return in_doubles(_digamma, x)
    # At a pole eager has the square of 1 / sin(pi x), which is as large as its dtype
    # makes it.
    is_wide = x.dtype in (torch.float32, torch.float64)
    given = x if is_wide else x.to(torch.get_default_dtype())
    height = (math.pi / torch.sin(given * math.pi)).double()
    return in_doubles(lambda y: _trigamma(y, height), x)


def _trigamma(x: Any, height: Any) -> Any:
    import torch

    low = x < 0.5
    above, result = torch.where(low, 1 - x, x), torch.zeros_like(x)
    for _ in range(_SHIFTS):
        small = above < _SHIFTS
        result = torch.where(small, result + 1 / (above * above), result)
        above = torch.where(small, above + 1, above)
    square = 1 / (above * above)
    tail = 1 + 0.5 / above + square * series(_TRIGAMMA, square)
    result = result + tail / above
    return torch.where(low, height * height - result, result)


def series(factors: Sequence[float], x: Any) -> Any:
    """factors[0] + factors[1] x + ..."""
    import torch

    result = torch.full_like(x, factors[-1])
    for factor in reversed(factors[:-1]):
        result = result * x + factor
    return result


def bessel(op: Any, x: Any) -> Any:
    """`i0`, `i1`, and `i0e`, `i1e`, which are multiplied by exp(-|x|)."""
    import torch

    name = op._schema.name.removeprefix("aten::").removeprefix("special_")
    order, is_scaled = int(name[1]), name.endswith("e")
    given = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    result = in_doubles(lambda y: modified_bessel(y, order, is_scaled), given)
    if is_scaled:
        return result
    # Eager multiplies by exp(|x|), which may be too large where the product is not; of
    # an infinity, 0 by infinity.
    infinite = torch.full_like(given, math.inf)
    infinite = torch.where(given < 0, -infinite, infinite) if order else infinite
    size = given.abs() if given.dtype == torch.float64 else given.abs().float()
    result = torch.where(size.exp() == math.inf, infinite, result)
    return torch.where(size == math.inf, torch.full_like(given, math.nan), result)


def modified_bessel(x: Any, order: int, is_scaled: bool) -> Any:
    """I of doubles; scaled by exp(-|x|), where that is asked for."""
    import torch

    size = x.abs()
    small = size.clamp(max=_SMALL)
    quarter, result = small * small / 4, torch.ones_like(x)
    for k in range(_SMALL_TERMS, 0, -1):
        result = 1 + result * quarter / (k * (k + order))
    if order:
        result = result * small / 2
    small = result * torch.exp(-small) if is_scaled else result

    large, result = size.clamp(min=_SMALL), torch.ones_like(x)
    for k in range(_LARGE_TERMS, 0, -1):
        result = 1 + result * (((2 * k - 1) ** 2 - 4 * order**2) / (8 * k)) / large
    result = result / (2 * math.pi * large).sqrt()
    if not is_scaled:
        result = result * torch.exp(large)
    result = torch.where(size <= _SMALL, small, result)
    result = torch.where(x == x, result, x)
    return torch.where(x < 0, -result, result) if order else result


REWRITES = {
    "lgamma": log_gamma,
    "special_gammaln": log_gamma,
    "digamma": digamma,
    "special_digamma": digamma,
    "special_psi": digamma,
    "polygamma": polygamma,
    "special_polygamma": polygamma,
    "i0": bessel,
    "special_i0": bessel,
    "special_i0e": bessel,
    "special_i1": bessel,
    "special_i1e": bessel,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
