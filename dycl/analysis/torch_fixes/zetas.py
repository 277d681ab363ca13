"""Hurwitz's zeta function, and the polygamma functions of order 2 and more, of it.

In f64, by the first terms and the series of Euler and Maclaurin for the others, as
eager's library has it. Below 0, where that library adds up as many terms as the number
is large, the terms of either sign are two more values of the function:

    zeta(3, -2.4) = zeta(3, 0.6) - zeta(3, 0.4) + zeta(3, 3.4)

torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.torch_fixes.gammas import in_doubles

_TERMS = 10
_BERNOULLI = (
    *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6),
    *(-3617 / 510, 43867 / 798, -174611 / 330),
)
"""B(2k)."""
_SMALL = 2.0**-53


def zeta(op: Any, x: Any, q: Any) -> Any:
    """`special_zeta`: the sum of (q + k) ** -x. Either may be a number."""
    import torch

    dtype = torch.result_type(x, q)
    if dtype.is_complex:
        return NotImplemented
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    x, q = (y if isinstance(y, torch.Tensor) else torch.full((), y) for y in (x, q))
    # A number of Python has the dtype of the tensor beside it.
    x, q = (y.to(dtype).double() for y in (x, q))
    return _zeta(*torch.broadcast_tensors(x, q)).to(dtype)


def polygamma(order: int, x: Any) -> Any:
    """The derivative of this order of digamma, from 2 on."""
    import torch

    def of_doubles(y: Any) -> Any:
        return _zeta(torch.full_like(y, order + 1), y)

    found = in_doubles(of_doubles, x if x.is_floating_point() else x.float())
    # Eager multiplies in the dtype of the tensor: the product may be too large.
    factor = math.exp(math.lgamma(order + 1))
    return found * (factor if order % 2 else -factor)


def _zeta(x: Any, q: Any) -> Any:
    import torch

    above = _of_positive(x, torch.where(q > 0, q, 1.0))
    count = torch.ceil(-q)
    rest = torch.where(q < 0, -q - (count - 1), 0.5)
    is_odd = torch.remainder(x, 2) == 1
    # The two largest first: halves between integers are as far from either side.
    sign = torch.where(is_odd, -1.0, 1.0).to(x.dtype)
    below = _of_positive(x, 1 - rest) + sign * _of_positive(x, rest)
    below = below - sign * _of_positive(x, rest + count.clamp(min=1))
    below = torch.where(x == math.inf, x, below)
    result = torch.where(q > 0, above, below)
    result = torch.where(q != q, q, result)
    whole = (q <= 0) & (q == q.floor())
    result = torch.where((q <= 0) & (x != x.floor()), math.nan, result)
    result = torch.where(whole, math.inf, result)
    result = torch.where(x < 1, math.nan, result)
    return torch.where(x == 1, math.inf, result)


def _of_positive(x: Any, q: Any) -> Any:
    """Of numbers above 1, and above 0."""
    import torch

    total, term = torch.zeros_like(q), torch.zeros_like(q)
    for k in range(_TERMS):
        term = (q + k) ** -x
        total = total + term
    last = q + (_TERMS - 1)
    whole = total + term * last / (x - 1) - term / 2
    factor = term * x / last
    for k, bernoulli in enumerate(_BERNOULLI):
        whole = whole + factor * (bernoulli / math.factorial(2 * k + 2))
        rising = (x + (2 * k + 1)) * (x + (2 * k + 2))
        factor = factor * rising / (last * last)
    return torch.where(term < total * _SMALL, total, whole)


REWRITES = {"special_zeta": zeta}
"""Name of an op -> what it is written as, from the overload and its operands."""
