"""Norms: of one element, and of an order that a run decides.

torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.torch_fixes import division
from dycl.analysis.tracing.graph import Untraceable


def norm(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """Of one element, its absolute value: its square may overflow, or be 0.

    Whether it is one, the run may say.
    """
    import torch

    names = [argument.name for argument in op._schema.arguments]
    operands = {**dict(zip(names, (x, *given), strict=False)), **named}
    order = operands.get("p", operands.get("ord", 2))
    order, dims = 2 if order is None else order, operands.get("dim")
    dims = [dims] if type(dims) is int else list(dims or range(x.dim()))
    if division.is_open() and isinstance(order, int | float):
        dtype = operands.get("dtype") or x.dtype
        keepdim = bool(operands.get("keepdim"))
        return of_open_order(x.to(dtype), dims, keepdim, order).to(dtype)
    counts = [x.shape[dim] for dim in dims] if x.dim() else []
    unknown = [count for count in counts if type(count) is not int]
    if any(type(count) is int and count != 1 for count in counts):
        return NotImplemented
    if division.is_plain() or not isinstance(order, int | float) or order == 0:
        return NotImplemented
    if not x.is_floating_point():
        return NotImplemented
    dtype = operands.get("dtype")
    size = (x if dtype is None else x.to(dtype)).abs()
    if not unknown:
        keeps = operands.get("keepdim") or not counts
        return size if keeps else size.squeeze(tuple(dims))
    with division.as_it_is():
        of_several = op(x, *given, **named)
    is_one = torch.full((), True)
    for count in unknown:
        is_one = is_one & (torch.full((), count) == 1)
    size = size.sum(dims, keepdim=bool(operands.get("keepdim")))
    return torch.where(is_one, size, of_several)


def of_open_order(x: Any, dims: list[int], keepdim: bool, order: Any) -> Any:
    """The norm along `dims` whose order is a number of the run, before it is rounded
    to a half float: all orders that eager computes in a way of their own."""
    import torch

    if x.is_complex():
        raise Untraceable(
            "a norm of complex numbers whose order depends on the input has no lowering"
        )
    size = x.abs().float() if division.is_half(x.dtype) else x.abs()
    power = division.as_tensor(order, size.dtype)
    is_count = power == 0
    terms = torch.where(is_count, (size != 0).to(size.dtype), torch.pow(size, power))
    total = terms.sum(dims, keepdim=keepdim) if x.dim() else terms
    root = torch.where(is_count, torch.ones_like(power), 1 / power)
    result = torch.where(power == 1, total, torch.pow(total, root))
    result = torch.where(power == 2, total.sqrt(), result)
    count = math.prod(size.shape[dim] for dim in dims) if x.dim() else 1
    has_elements = type(count) is not int or count > 0
    if isinstance(order, float) and x.dim() and has_elements:  # An int is finite.
        top = size.amax(dims, keepdim=keepdim)
        result = torch.where(power == math.inf, top, result)
        least = size.amin(dims, keepdim=keepdim)
        result = torch.where(power == -math.inf, least, result)
    if type(count) is int and count > 1:
        return result
    demand_elements(count, power)
    total = size.sum(dims, keepdim=keepdim) if x.dim() else size
    is_alone = (torch.full((), count) <= 1) & ~is_count
    return torch.where(is_alone, total, result)


def demand_elements(count: Any, power: Any) -> None:
    """A run raises what eager does: of no elements, such a norm is nothing."""
    import torch

    is_some = torch.full((), count) > 0
    has_identity = (power >= 0) & (power != math.inf) | (power != power)
    division.demand(is_some | has_identity, _NO_ELEMENTS)


_NO_ELEMENTS = (
    "RuntimeError: linalg.vector_norm cannot compute a norm of an order that is "
    "negative or infinite on an empty tensor because the operation does not have an "
    "identity"
)
