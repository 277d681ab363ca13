"""Bessel functions and their kin, by series, in f64.

Near 0 by the power series. Those that swing are, from `_FAR` on, waves whose height
and phase are series in 1 / x; those that fall off are integrals along the whole line,
which the trapezoidal rule finds to all digits in a few steps. The errors are below 1e-9
of the height of the function. torch is imported in the functions.
"""

import math
from collections.abc import Callable
from typing import Any

from dycl.analysis.torch_fixes.gammas import in_doubles, modified_bessel

_FAR, _NEAR_TERMS = 13.0, 42
_EULER = 0.5772156649015329
_K_FAR, _K_TERMS, _STEPS, _STEP = 2.0, 14, 20, 0.5
"""Up to where K is a power series; steps of its integral, in units of x ** -0.5."""


def first_kind(order: int) -> Callable[..., Any]:
    """`special_bessel_j0`, `special_bessel_j1`."""
    return lambda op, x: in_doubles(lambda y: _first(y, order), x)


def second_kind(order: int) -> Callable[..., Any]:
    """`special_bessel_y0`, `special_bessel_y1`: NaN below 0, -inf at 0."""
    return lambda op, x: in_doubles(lambda y: _second(y, order), x)


def modified_first(order: int) -> Callable[..., Any]:
    """`special_modified_bessel_i0`, `special_modified_bessel_i1`."""
    return lambda op, x: in_doubles(lambda y: modified_bessel(y, order, False), x)


def modified_second(order: int, is_scaled: bool) -> Callable[..., Any]:
    """`special_modified_bessel_k0`, ..., and times exp(x): NaN below 0, inf at 0."""
    return lambda op, x: in_doubles(lambda y: _falling(y, order, is_scaled), x)


def _first(x: Any, order: int) -> Any:
    import torch

    size = x.abs()
    near = _power_series(size.clamp(max=_FAR), order)
    far = size.clamp(min=_FAR)
    height, low = _wave(far, order)
    phase = far - (order / 2 + 0.25) * math.pi
    wave = (2 / (math.pi * far)).sqrt()
    wave = wave * (height * torch.cos(phase) - low * torch.sin(phase))
    result = torch.where(size <= _FAR, near, wave)
    result = torch.where(size == math.inf, math.nan, result)  # as eager's sine
    return torch.where(x < 0, -result, result) if order else result


def _second(x: Any, order: int) -> Any:
    import torch

    small = x.clamp(min=1e-300, max=_FAR)
    quarter = small * small / 4
    result = torch.zeros_like(x)
    for k in range(_NEAR_TERMS, 0 if order == 0 else -1, -1):
        sums = _harmonic(k) if order == 0 else _harmonic(k) + _harmonic(k + 1)
        factor = (-1) ** (k + 1) if order == 0 else (-1) ** k
        power = factor * sums / (math.factorial(k) * math.factorial(k + order))
        result = result + power * quarter**k
    log = (small / 2).log() + _EULER
    near = 2 / math.pi * log * _power_series(small, order)
    if order == 0:
        near = near + 2 / math.pi * result
    else:
        near = near - small / (2 * math.pi) * result - 2 / (math.pi * small)
    far = x.clamp(min=_FAR)
    height, low = _wave(far, order)
    phase = far - (order / 2 + 0.25) * math.pi
    wave = (2 / (math.pi * far)).sqrt()
    wave = wave * (height * torch.sin(phase) + low * torch.cos(phase))
    result = torch.where(x <= _FAR, near, wave)
    result = torch.where(x == 0, -math.inf, result)
    return torch.where((x < 0) | (x != x) | (x == math.inf), math.nan, result)


def _harmonic(k: int) -> float:
    return sum(1 / n for n in range(1, k + 1))


def _power_series(x: Any, order: int) -> Any:
    """The one of J, which changes its signs."""
    import torch

    quarter, total = x * x / 4, torch.ones_like(x)
    for k in range(_NEAR_TERMS, 0, -1):
        total = 1 - total * quarter / (k * (k + order))
    return total * x / 2 if order else total


def _wave(x: Any, order: int, terms: int = 12) -> tuple[Any, Any]:
    """The series P and Q of Hankel: of the cosine and of the sine."""
    import torch

    parts, power = [torch.ones_like(x), torch.zeros_like(x)], torch.ones_like(x)
    for k in range(1, 2 * terms):
        power = power * ((4 * order**2 - (2 * k - 1) ** 2) / (8 * k)) / x
        sign = -1 if k // 2 % 2 else 1
        parts[k % 2] = parts[k % 2] + sign * power
    return parts[0], parts[1]


def _falling(x: Any, order: int, is_scaled: bool) -> Any:
    """K, by its power series or as the integral of exp(-x cosh t) cosh(order t)."""
    import torch

    small = x.clamp(min=1e-300, max=_K_FAR)
    quarter, result = small * small / 4, torch.zeros_like(x)
    for k in range(_K_TERMS, -1, -1):
        sums = 2 * _harmonic(k) if order == 0 else _harmonic(k) + _harmonic(k + 1)
        factor = 1 / (math.factorial(k) * math.factorial(k + order))
        result = result + factor * (sums / 2 - _EULER) * quarter**k
    log, bessel = (small / 2).log(), modified_bessel(small, order, False)
    if order == 0:
        near = result - log * bessel
    else:
        near = 1 / small + log * bessel - small / 2 * result
    near = near * torch.exp(small) if is_scaled else near
    far = x.clamp(min=_K_FAR)
    whole = _scaled_integral(far, order)
    whole = whole if is_scaled else whole * torch.exp(-far)
    result = torch.where(x <= _K_FAR, near, whole)
    result = torch.where(x == math.inf, 0.0, result)
    result = torch.where(x == 0, math.inf, result)
    return torch.where((x < 0) | (x != x), math.nan, result)


def _scaled_integral(x: Any, order: float) -> Any:
    """The integral of exp(-x (cosh t - 1)) cosh(order t), by the trapezoidal rule."""
    import torch

    step, whole = _STEP / x.sqrt(), torch.full_like(x, 0.5)
    for k in range(1, _STEPS + 1):
        high = torch.cosh(step * k)
        wave = 1 if order == 0 else high if order == 1 else torch.cosh(step * k * order)
        whole = whole + torch.exp(-x * (high - 1)) * wave
    return whole * step


def airy(op: Any, x: Any) -> Any:
    """`special_airy_ai`: a power series, and far from 0 a wave, or K of order 1/3."""
    import torch

    def of_doubles(y: Any) -> Any:
        near = y.clamp(min=-_AIRY_WAVES, max=_AIRY_FALLS)
        cube, even, odd = near * near * near, torch.ones_like(y), torch.ones_like(y)
        for k in range(_AIRY_TERMS, 0, -1):
            even = 1 + even * cube / ((3 * k - 1) * (3 * k))
            odd = 1 + odd * cube / ((3 * k) * (3 * k + 1))
        result = _AIRY * even - _AIRY_SLOPE * near * odd

        far = y.clamp(min=_AIRY_FALLS)
        place = 2 / 3 * far * far.sqrt()
        falls = _scaled_integral(place, 1 / 3) * torch.exp(-place)
        falls = falls * (far / 3).sqrt() / math.pi
        result = torch.where(y > _AIRY_FALLS, falls, result)
        # From there on eager has 0, too.
        result = torch.where(y > _AIRY_ENDS, 0.0, result)

        far = (-y).clamp(min=_AIRY_WAVES)
        place = 2 / 3 * far * far.sqrt()
        height, low = _airy_wave(place)
        wave = height * torch.cos(place - math.pi / 4)
        wave = wave + low * torch.sin(place - math.pi / 4)
        wave = wave / (math.pi * far.sqrt()).sqrt()
        result = torch.where(y < -_AIRY_WAVES, wave, result)
        return torch.where((y != y) | (y.abs() == math.inf), math.nan, result)

    return in_doubles(of_doubles, x)


def _airy_wave(x: Any, terms: int = 7) -> tuple[Any, Any]:
    """The series of the cosine and of the sine, both of (k - 1/6) (k - 5/6) / 2k."""
    import torch

    parts, power = [torch.ones_like(x), torch.zeros_like(x)], torch.ones_like(x)
    for k in range(1, 2 * terms):
        power = power * ((6 * k - 1) * (6 * k - 5) / (72 * k)) / x
        sign = -1 if k // 2 % 2 else 1
        parts[k % 2] = parts[k % 2] + sign * power
    return parts[0], parts[1]


_AIRY, _AIRY_SLOPE = 0.3550280538878172, 0.2588194037928068
"""Of the function at 0, and of its derivative, which falls."""
_AIRY_WAVES, _AIRY_FALLS, _AIRY_ENDS, _AIRY_TERMS = 7.0, 2.5, 103.892, 36


def spherical(op: Any, x: Any) -> Any:
    """`special_spherical_bessel_j0`: sin(x) / x."""
    import torch

    def of_doubles(y: Any) -> Any:
        square = y * y
        near = 1 - square / 6 * (1 - square / 20 * (1 - square / 42))
        far = torch.where(y == 0, 1.0, y)
        result = torch.where(y.abs() < 0.1, near, torch.sin(far) / far)
        return torch.where(y.abs() == math.inf, 0.0, result)

    return in_doubles(of_doubles, x)


REWRITES = {
    **{f"special_bessel_j{n}": first_kind(n) for n in (0, 1)},
    **{f"special_bessel_y{n}": second_kind(n) for n in (0, 1)},
    **{f"special_modified_bessel_i{n}": modified_first(n) for n in (0, 1)},
    **{f"special_modified_bessel_k{n}": modified_second(n, False) for n in (0, 1)},
    **{
        f"special_scaled_modified_bessel_k{n}": modified_second(n, True) for n in (0, 1)
    },
    "special_airy_ai": airy,
    "special_spherical_bessel_j0": spherical,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
