"""Products of integers, which torch-mlir has for floats only; powers, sums of products.

torch is imported in the functions.
"""

import math
import operator
from typing import Any

from dycl.analysis.torch_fixes import division
from dycl.analysis.tracing.graph import Untraceable


def add_product(
    op: Any, x: Any, one: Any, other: Any, *, beta: Any = 1, alpha: Any = 1
) -> Any:
    """`addmm`, `baddbmm`: of integers, and of floats by a factor of 0, which leaves
    no infinity and no NaN behind."""
    is_known = not division.is_open()
    if x.is_complex() or (x.is_floating_point() and not is_known):
        return NotImplemented
    if is_known and alpha == 0 and x.is_floating_point():
        product = x.new_zeros((*one.shape[:-1], other.shape[-1]))
        return _added(x, product, beta, 1)
    if x.is_floating_point() and beta != 0:
        return NotImplemented
    return _added(x, one @ other, beta, alpha)


def add_vector_product(
    op: Any, x: Any, matrix: Any, vector: Any, *, beta: Any = 1, alpha: Any = 1
) -> Any:
    """`addmv`."""
    return _added(x, matrix @ vector, beta, alpha)


def add_products(
    op: Any, x: Any, one: Any, other: Any, *, beta: Any = 1, alpha: Any = 1
) -> Any:
    """`addbmm`: of half floats, eager rounds after each of the products."""
    import torch

    if x.dtype in (torch.float16, torch.bfloat16) and type(one.shape[0]) is int:
        for left, right in zip(one.unbind(0), other.unbind(0), strict=True):
            x = torch.addmm(x, left, right, beta=beta, alpha=alpha)
            beta = 1
        return x if one.shape[0] else x * beta
    return _added(x, (one @ other).sum(0, dtype=x.dtype), beta, alpha)


def _added(x: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """Of integers the factors are whole, too; a `beta` of 0 leaves no NaN of `x`."""
    if not product.is_floating_point() and not division.is_open():
        beta, alpha = int(beta), int(alpha)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    return (x * beta if beta != 1 else x) + product


def product(op: Any, x: Any, other: Any) -> Any:
    """`matmul`: a vector times several matrices is a matrix of one row.

    One matrix that meets a dynamic number of them is as many first: torch-mlir makes
    as many products as the larger of 1 and that number, one where there are none.
    """
    if x.dim() == 1 and other.dim() > 2:
        return op(x.unsqueeze(0), other).squeeze(-2)
    if other.dim() == 1 and x.dim() > 2:
        return op(x, other.unsqueeze(1)).squeeze(-1)
    left, right = _repeated(x, other), _repeated(other, x)
    return NotImplemented if left is x and right is other else op(left, right)


def _repeated(x: Any, other: Any) -> Any:
    """Matrices, as often as there is a dynamic number of others."""
    shape, is_less = list(x.shape), False
    for dim in range(3, min(x.dim(), other.dim()) + 1):
        count = other.shape[-dim]
        if type(count) is not int and type(shape[-dim]) is int and shape[-dim] == 1:
            shape[-dim], is_less = count, True
    return x.expand(shape) if is_less else x


def add_fraction(op: Any, x: Any, one: Any, other: Any, *, value: Any = 1) -> Any:
    """`addcmul` and `addcdiv`: torch-mlir has none of tensors of rank 0.

    Eager multiplies by `value` first: what follows may be too large without.
    """

    are_alike = _are_of_one_shape(x, one, other)
    x, one, other = division.together(x, one, other)
    if not x.is_floating_point() and op._schema.name == "aten::addcmul":
        value = value if one.is_floating_point() else int(value)
        return x + (one if value == 1 else one * value) * other
    if division.is_open() or value != 1:
        first = one * value
        is_product = op._schema.name == "aten::addcmul"
        return x + (first * other if is_product else first / other)
    return NotImplemented if are_alike else op(x, one, other, value=value)


def _are_of_one_shape(x: Any, *others: Any) -> bool:
    """Whether that is so for all sizes: a dynamic one has no hash."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return all(
        other.dim() == x.dim()
        and all(map(statically_known_true, map(operator.eq, x.shape, other.shape)))
        for other in others
    )


def power(op: Any, x: Any, exponent: Any) -> Any:
    """torch-mlir has no powers of integers, and `-inf ** 0.5` is not eager's."""
    import torch

    dtype = torch.result_type(x, exponent)
    if dtype.is_complex or dtype == torch.bool or op._schema.is_mutable:
        return NotImplemented
    if not dtype.is_floating_point:
        if isinstance(exponent, torch.Tensor):
            return power_of_integers(x, exponent, dtype)
        return _power_of_number(x.to(dtype), exponent)
    if division.is_plain():
        return NotImplemented
    if isinstance(exponent, torch.Tensor):  # eager rounds an int before it is a power
        if exponent.dtype != dtype:
            return torch.pow(x, exponent.to(dtype))
        is_int = isinstance(x, torch.Tensor) and not x.is_floating_point()
        return torch.pow(x.to(dtype), exponent) if is_int else NotImplemented
    if not x.is_floating_point():
        return x.to(dtype) ** exponent
    if isinstance(exponent, int) and division.is_open():
        if dtype not in (torch.float32, torch.float64):
            raise Untraceable(
                "an int that depends on the input has no lowering as the exponent of "
                "a half float: write `x ** float(n)`"
            )
        return torch.pow(x, division.as_tensor(exponent, dtype))
    if division.is_open() and dtype == torch.float16:
        return NotImplemented
    if division.is_open():
        power_of = division.as_tensor(exponent, torch.float64)
        with division.as_it_is():
            result = torch.where(power_of == 0.5, x.sqrt(), x**exponent)
            return torch.where(power_of == -0.5, x.rsqrt(), result)
    if exponent == -0.5 and dtype == torch.float64:  # kernels of f32 see to it
        return x.rsqrt()
    if exponent == 0.5 and dtype == torch.float16:  # of which eager takes no root
        root = torch.where(x == 0, torch.zeros_like(x), x.sqrt())
        return torch.where(x == -math.inf, x * -1, root)
    return x.sqrt() if exponent == 0.5 else NotImplemented


def _power_of_number(x: Any, exponent: int) -> Any:
    """An integer tensor to a whole number, by squares."""
    import torch

    if exponent < 0:
        raise Untraceable("integers to negative integer powers are not allowed")
    result: Any = None
    while exponent:
        if exponent & 1:
            result = x if result is None else result * x
        exponent >>= 1
        x = x * x if exponent else x
    return torch.ones_like(x) if result is None else result


def power_of_integers(x: Any, exponent: Any, dtype: Any) -> Any:
    """By squares, so that it wraps as in eager; 2 ** -1 is 0, and 1 ** -1 is 1."""
    import torch

    base, rest = division.as_tensor(x, dtype), division.as_tensor(exponent, dtype)
    base, rest = torch.broadcast_tensors(base, rest)
    is_unit = (base == 1) | (base == -1)
    odd = (rest & 1) == 1
    negative = torch.where(is_unit, torch.where(odd, base, base * base), 0).to(dtype)
    result, square = torch.ones_like(base), base
    for bit in range(torch.iinfo(dtype).bits - 1):
        result = torch.where(((rest >> bit) & 1) == 1, result * square, result)
        square = square * square
    return torch.where(rest < 0, negative, result)


REWRITES = {
    "addmm": add_product,
    "baddbmm": add_product,
    "addmv": add_vector_product,
    "addbmm": add_products,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
