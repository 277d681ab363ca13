"""Orthogonal polynomials of `torch.special`, by their recurrences, as torch has them.

The degree is data, an element of its own for each x, so the largest one decides how
often the loop goes round. What torch computes by arcs is computed by arcs here.
"""

from typing import Any

import torch

_ARCS = {"t": 6, "u": 8, "v": 8, "w": 8}
"""The degree above which torch takes Chebyshev polynomials by arcs, inside of 1."""


def _operands(input: Any, n: Any) -> Any:
    """x in the dtype of the result, and the degree as an int64, of one shape.

    Raises TypeError: neither is a tensor.
    """
    if not isinstance(input, torch.Tensor) and not isinstance(n, torch.Tensor):
        raise TypeError("polynomials of torch.special take a tensor")
    dtype = torch.result_type(input, n)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    x, degree = torch.as_tensor(input), torch.as_tensor(n)
    shape = torch.broadcast_shapes(x.shape, degree.shape)
    return x.to(dtype).expand(shape), degree.to(torch.int64).expand(shape)


def _recurrence(x: Any, n: Any, first: Any, kind: str) -> Any:
    """The polynomials of these degrees, that of degree 1 given; 0 below degree 0."""
    before = torch.ones_like(x)
    now = first
    result = torch.where(n == 0, before, now)
    last = int(n.max()) if n.numel() > 0 else 0
    k = torch.ones((), dtype=x.dtype)
    for degree in range(2, last + 1):
        if kind == "chebyshev":
            after = (x + x) * now - before
        elif kind == "hermite_h":
            after = (x + x) * now - (k + k) * before
        elif kind == "hermite_he":
            after = x * now - k * before
        elif kind == "laguerre":
            after = ((k + k + 1 - x) * now - k * before) / (k + 1)
        else:
            after = ((k + k + 1) * x * now - k * before) / (k + 1)
        result = torch.where(n == degree, after, result)
        before = now
        now = after
        k = k + 1
    return torch.where(n < 0, torch.zeros_like(x), result)


def _chebyshev(x: Any, n: Any, kind: str) -> Any:
    arc = torch.acos(x.clamp(-1, 1))
    degree = n.to(x.dtype)
    is_even = n % 2 == 0
    if kind == "t":
        first = x
        by_arc = torch.cos(degree * arc)
        above, below = torch.ones_like(x), torch.ones_like(x)
    elif kind == "u":
        first = x + x
        by_arc = torch.sin((degree + 1) * arc) / torch.sin(arc)
        above, below = degree + 1, degree + 1
    elif kind == "v":
        first = x + x - 1
        by_arc = torch.cos((degree + 0.5) * arc) / torch.cos(arc / 2)
        above, below = torch.ones_like(x), degree + degree + 1
    else:
        first = x + x + 1
        by_arc = torch.sin((degree + 0.5) * arc) / torch.sin(arc / 2)
        above, below = degree + degree + 1, torch.ones_like(x)
    result = _recurrence(x, n, first, "chebyshev")
    result = torch.where((n > _ARCS[kind]) & (x.abs() < 1), by_arc, result)
    edge = torch.where(x > 0, above, torch.where(is_even, below, -below))
    return torch.where((x.abs() == 1) & (n >= 0), edge, result)


def chebyshev_polynomial_t(input: Any, n: Any) -> Any:
    """Of the first kind; `input`, `n`: numbers or tensors that broadcast."""
    x, degree = _operands(input, n)
    return _chebyshev(x, degree, "t")


def chebyshev_polynomial_u(input: Any, n: Any) -> Any:
    """Of the second kind; `input`, `n`: numbers or tensors that broadcast."""
    x, degree = _operands(input, n)
    return _chebyshev(x, degree, "u")


def chebyshev_polynomial_v(input: Any, n: Any) -> Any:
    """Of the third kind; `input`, `n`: numbers or tensors that broadcast."""
    x, degree = _operands(input, n)
    return _chebyshev(x, degree, "v")


def chebyshev_polynomial_w(input: Any, n: Any) -> Any:
    """Of the fourth kind; `input`, `n`: numbers or tensors that broadcast."""
    x, degree = _operands(input, n)
    return _chebyshev(x, degree, "w")


def shifted_chebyshev_polynomial_t(input: Any, n: Any) -> Any:
    """Of the first kind, of 2x - 1."""
    x, degree = _operands(input, n)
    return _chebyshev(x + x - 1, degree, "t")


def shifted_chebyshev_polynomial_u(input: Any, n: Any) -> Any:
    """Of the second kind, of 2x - 1."""
    x, degree = _operands(input, n)
    return _chebyshev(x + x - 1, degree, "u")


def shifted_chebyshev_polynomial_v(input: Any, n: Any) -> Any:
    """Of the third kind, of 2x - 1."""
    x, degree = _operands(input, n)
    return _chebyshev(x + x - 1, degree, "v")


def shifted_chebyshev_polynomial_w(input: Any, n: Any) -> Any:
    """Of the fourth kind, of 2x - 1."""
    x, degree = _operands(input, n)
    return _chebyshev(x + x - 1, degree, "w")


def hermite_polynomial_h(input: Any, n: Any) -> Any:
    """The physicist's; NaN above the degree at which torch stops."""
    x, degree = _operands(input, n)
    return _hermite(x, degree, x + x, "hermite_h")


def hermite_polynomial_he(input: Any, n: Any) -> Any:
    """The probabilist's; NaN above the degree at which torch stops."""
    x, degree = _operands(input, n)
    return _hermite(x, degree, x, "hermite_he")


def _hermite(x: Any, n: Any, first: Any, kind: str) -> Any:
    most = 512 if x.dtype == torch.float64 else 128
    result = _recurrence(x, n.clamp(max=most), first, kind)
    return torch.where(n > most, torch.full_like(x, float("nan")), result)


def laguerre_polynomial_l(input: Any, n: Any) -> Any:
    """`input`, `n`: numbers or tensors that broadcast."""
    x, degree = _operands(input, n)
    result = _recurrence(x, degree, 1 - x, "laguerre")
    return torch.where((x == 0) & (degree >= 0), torch.ones_like(x), result)


def legendre_polynomial_p(input: Any, n: Any) -> Any:
    """`input`, `n`: numbers or tensors that broadcast."""
    x, degree = _operands(input, n)
    result = _recurrence(x, degree, x, "legendre")
    edge = torch.where((x > 0) | (degree % 2 == 0), 1.0, -1.0).to(x.dtype)
    return torch.where((x.abs() == 1) & (degree >= 0), edge, result)
