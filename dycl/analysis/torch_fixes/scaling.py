"""Powers of two: the parts of a float, and exponentials of matrices.

torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.tracing.graph import Untraceable

_POWERS = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)
_FAR = 600
"""From any f32 but 0 this many halvings give 0, and doublings an infinity."""
_TERMS = 18
"""Of the series of a matrix whose norm is at most 1, to the last bit of f64."""
_SQUARES = 32
"""Norms up to 2 ** 32; beyond 2 ** 10 most results are infinities or zeros."""


def parts(op: Any, x: Any) -> Any:
    """`frexp`: a number from 0.5 on and below 1, and the power of two it is times."""
    import torch

    size, power = x.double().abs(), torch.zeros(x.shape, dtype=torch.int32)
    for k in _POWERS:
        large = size >= 2.0**k
        size = torch.where(large, size * 2.0**-k, size)
        power = torch.where(large, power + k, power)
    for k in (_POWERS[0], *_POWERS):  # the least f64 is 2 ** -1074
        small = size < 2.0 ** (1 - k)
        size = torch.where(small, size * 2.0**k, size)
        power = torch.where(small, power - k, power)
    plain = x.isfinite() & (x != 0)
    half = size.to(x.dtype) * 0.5
    found = torch.where(plain, torch.where(x < 0, -half, half), x)
    return found, torch.where(plain, power + 1, 0).to(torch.int32)


def scaled(op: Any, x: Any, power: Any) -> Any:
    """`ldexp`: of floats by ints, of which eager takes 32 bits, rounded once."""
    import torch

    if not x.is_floating_point() or power.is_floating_point() or power.is_complex():
        return x * torch.pow(2.0, power)
    n = power.to(torch.int32)
    if x.dtype != torch.float64:
        return (x.double() * 2.0 ** n.clamp(-_FAR, _FAR).double()).to(x.dtype)
    for _ in range(2):  # no step but the last may have a result that is subnormal
        small, large = n < -1022, n > 1023
        x = torch.where(small, x * 2.0**-969, torch.where(large, x * 2.0**1023, x))
        n = torch.where(small, n + 969, torch.where(large, n - 1023, n))
    return x * 2.0 ** n.clamp(-1022, 1023).double()


def matrix_exponential(op: Any, x: Any) -> Any:
    """`matrix_exp`: of a part of the matrix, squared as often as that was halved."""
    import torch

    if any(type(size) is not int for size in x.shape):
        raise Untraceable("`matrix_exp` of a dynamic size has no lowering")
    if x.dtype in (torch.float16, torch.bfloat16):
        raise Untraceable(
            "`matrix_exp` of half floats has no lowering: eager rounds each product, "
            "and may overflow on the way; convert the matrix first, with `x.float()`"
        )
    if x.numel() == 0:
        return x.clone()
    given = x.double()
    norm = given.abs().sum(-2, keepdim=True).amax(-1, keepdim=True)
    times = torch.zeros_like(norm)
    for k in range(_SQUARES):
        times = times + (norm > 2.0**k).to(norm.dtype)
    part = given * torch.exp2(-times)
    one = torch.eye(x.shape[-1], dtype=torch.float64).expand(x.shape)
    found = one
    for k in range(_TERMS, 0, -1):
        found = one + (part @ found) / k
    for k in range(_SQUARES):
        found = torch.where(times > k, found @ found, found)
    return found.to(x.dtype)


REWRITES = {
    "frexp": parts,
    "ldexp": scaled,
    "linalg_matrix_exp": matrix_exponential,
    "matrix_exp": matrix_exponential,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
