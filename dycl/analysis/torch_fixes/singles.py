"""Ops with a mistake of their own, written as others that are lowered right.

Each function takes an overload and its operands; NotImplemented: these operands need
nothing. torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.torch_fixes import division


def logsumexp(op: Any, x: Any, dims: Any, keepdim: bool = False) -> Any:
    """Has no lowering; as torch writes it, so that an infinity stays one."""
    import torch

    if not x.is_floating_point():
        x = x.float()
    top = x.amax(dims, keepdim=True)
    top = torch.where(top.abs() == float("inf"), torch.zeros_like(top), top)
    result = (x - top).exp().sum(dims, keepdim=True).log() + top
    if keepdim:
        return result
    for dim in sorted((d % x.dim() for d in dims), reverse=True):
        result = result.squeeze(dim)
    return result


def neg(op: Any, x: Any) -> Any:
    """torch-mlir negates integers as floats."""
    return NotImplemented if x.is_floating_point() else x * -1


def any_or_all(op: Any, x: Any, *rest: Any, **named: Any) -> Any:
    """Of bytes it gives a byte."""
    import torch

    if x.dtype != torch.uint8:
        return NotImplemented
    return op(x.to(torch.bool), *rest, **named).to(torch.uint8)


def sign(op: Any, x: Any) -> Any:
    """torch-mlir compares with an int, and computes wrongly with a literal."""
    if not x.is_floating_point():
        return NotImplemented
    return (x > 0.0).to(x.dtype) - (x < 0.0).to(x.dtype)


def reduced(op: Any, x: Any, *given: Any, dtype: Any = None, **named: Any) -> Any:
    """`sum` and `prod` to bools, whose sums are 0 and 1 in turn, and to bytes."""
    import torch

    if dtype not in (torch.bool, torch.uint8, torch.int8):
        return NotImplemented
    x = (x != 0 if dtype == torch.bool else x.to(dtype)).to(torch.int32)
    result = op(x, *given, dtype=torch.int32, **named)
    return result != 0 if dtype == torch.bool else result.to(dtype)


def mean(op: Any, x: Any, *given: Any, dtype: Any = None, **named: Any) -> Any:
    """Of ints and bools, which are converted first."""
    if dtype is None or x.is_floating_point() or x.is_complex():
        return NotImplemented
    return op(x.to(dtype), *given, **named)


def cumulative(op: Any, x: Any, dim: Any, dtype: Any = None) -> Any:
    """Converted first, and then summed or multiplied; bytes in more bits.

    Eager does so with f32 in doubles. Kernels do, too, along a last dim of known size.
    """
    import torch

    if dtype is None:
        along_rows = x.dim() == 0 or dim % x.dim() == x.dim() - 1
        is_known = all(type(size) is int for size in x.shape)
        if x.dtype != torch.float32 or (along_rows and is_known):
            return NotImplemented
        return op(x.double(), dim).to(x.dtype)
    x = x if x.dtype == dtype else x.to(dtype)
    result = op(x.to(torch.int32) if dtype == torch.uint8 else x, dim)
    return result if result.dtype == dtype else result.to(dtype)  # ints give i64


def sort(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """Every sort of ours is stable; torch-mlir knows the one that does not say so."""
    import torch

    if x.dtype == torch.bool:  # torch-mlir's gives them in any order
        values, order = op(x.int(), *given, **named)
        return values != 0, order
    if op._overloadname != "stable":
        return NotImplemented
    order = {key: value for key, value in named.items() if key != "stable"}
    return torch.ops.aten.sort.default(x, *given, **order)


def argsort(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """Of bools, which torch-mlir compares as signed numbers: true is -1."""
    import torch

    if x.dtype != torch.bool:
        return NotImplemented
    return op(x.int(), *given, **named)


def select_scatter(op: Any, x: Any, part: Any, dim: Any, index: Any) -> Any:
    """torch-mlir stores nothing at an index from the end, if the part has rank 0."""
    size = x.shape[dim]
    if type(index) is not int or type(size) is not int or index >= 0:
        return NotImplemented
    return op(x, part, dim, index + size)


def narrow(op: Any, x: Any, dim: int, start: Any, length: Any) -> Any:
    """torch-mlir slices to `start + length`, which is 0 at the end of the tensor."""
    import torch

    if type(start) is not int or start >= 0:
        return NotImplemented
    return torch.narrow(x, dim, x.shape[dim] + start, length)


def lerp(op: Any, x: Any, y: Any, weight: Any) -> Any:
    """torch-mlir begins at `x` always; eager at the nearer end: one may be infinite."""
    import torch

    if isinstance(weight, torch.Tensor):
        is_near = weight.abs() < 0.5
        return torch.where(is_near, x + weight * (y - x), y - (y - x) * (1 - weight))
    if division.is_open():
        return torch.lerp(x, y, division.as_tensor(weight, x.dtype))
    if abs(weight) < 0.5:
        return x + weight * (y - x)
    return y - (y - x) * (1 - weight)


def divide(op: Any, x: Any, y: Any, rounding_mode: Any = None) -> Any:
    """`div` with a rounding mode."""
    return division.floor_divide(op, x, y, rounding_mode)


def convert(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """torch-mlir has a lowering for the form that says a dtype alone."""
    import torch

    match op._overloadname:
        case "device":
            device, dtype = given[0], given[1]
        case "other":
            device, dtype = given[0].device, given[0].dtype
        case "dtype_layout":
            device, dtype = named.get("device"), named.get("dtype")
        case _:
            return NotImplemented
    if device is not None and torch.device(device).type != x.device.type:
        return NotImplemented
    return torch.ops.aten.to.dtype(x, x.dtype if dtype is None else dtype)


def rms_norm(
    op: Any, x: Any, shape: Any, weight: Any = None, eps: float | None = None
) -> Any:
    """Without `eps`, what f32 has next to 1, of doubles theirs; torch-mlir adds 0."""
    import torch

    if eps is not None:
        return NotImplemented
    is_double = x.dtype == torch.float64
    least = torch.finfo(torch.float64 if is_double else torch.float32).eps
    return op(x, shape, weight, least)


def variance(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """Eager divides by no less than 0: without a degree of freedom it gives NaN, or
    infinity. torch-mlir divides by less. The mean beside it is not that of `mean`.

    Of f32, eager rounds last: what is the root of a double is no f32 before.
    """
    import torch

    names = [argument.name for argument in op._schema.arguments]
    operands = {**dict(zip(names, (x, *given), strict=False)), **named}
    dims = [dim % max(x.dim(), 1) for dim in operands.get("dim") or range(x.dim())]
    correction = operands.get("correction", operands.get("unbiased"))
    correction = 1 if correction is None else correction
    counts = [x.shape[dim] for dim in dims] if x.dim() else []
    known = all(isinstance(count, int) for count in counts)
    name = op._schema.name.removeprefix("aten::")
    if x.dtype == torch.float32 and name != "var":
        found = op(x.double(), *given, **named)
        if not name.endswith("_mean"):
            return found.to(x.dtype)
        return tuple(part.to(x.dtype) for part in found)
    keepdim = bool(operands.get("keepdim", False))
    if known and math.prod(counts) > max(correction, 0):
        if not name.endswith("_mean") or division.is_plain():
            return NotImplemented
        with division.as_it_is():
            result, mean = op(x, *given, **named)
        return result, mean + _lost_infinity(x, dims, keepdim)
    is_half = x.dtype in (torch.float16, torch.bfloat16)
    wide = x.float() if is_half else x.double()
    mean = wide.mean(dims, keepdim=True)
    total = (wide - mean).square().sum(dims, keepdim=keepdim)
    freedom = torch.zeros((), dtype=total.dtype)
    if not known:  # a run counts the elements
        count = torch.ones_like(wide).sum(dims, keepdim=keepdim)
        freedom = (count - correction).clamp_min(0).masked_fill(count == 0, 0)
    result = total / freedom
    if name.startswith("std"):
        result = result.sqrt()
    result = result.to(x.dtype)
    if not name.endswith("_mean"):
        return result
    return result, x.mean(dims, keepdim=keepdim) + _lost_infinity(x, dims, keepdim)


def _lost_infinity(x: Any, dims: list[int], keepdim: bool) -> Any:
    """NaN where the mean of eager's `var_mean` is: it adds to the mean so far what an
    element differs from it, so that what follows an infinity makes a NaN of it. Else 0.
    """
    import torch

    if not x.dim():
        return torch.zeros_like(x)
    is_last = torch.full((), True)
    for dim in dims:
        size = x.shape[dim]
        at = torch.arange(size).view([-1] + [1] * (x.dim() - 1 - dim))
        is_last = is_last & (at == size - 1)
    is_lost = (x.abs() == math.inf) & ~is_last
    nothing = torch.zeros((), dtype=x.dtype)
    return torch.where(is_lost, math.nan, nothing).sum(dims, keepdim=keepdim)
