"""Ops that torch-mlir has no lowering for, nor torch a decomposition.

Each is written as ops that kernels have. torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.tensors import spaced
from dycl.analysis.torch_fixes import (
    activations,
    bags,
    bessels,
    bits,
    distances,
    elements,
    encoders,
    errors,
    gammas,
    grids,
    images,
    in_place,
    indices,
    linear,
    logarithms,
    losses,
    orders,
    products,
    reflections,
    rotations,
    scaling,
    shapes,
    singles,
    vectors,
    windows,
    zetas,
)
from dycl.analysis.torch_fixes.division import as_tensor, demand, is_open, together
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.tracing.graph import Untraceable


def masked_scatter(op: Any, x: Any, mask: Any, source: Any) -> Any:
    """The elements of `source`, in order, where the mask is true."""
    import torch

    shape = torch.broadcast_shapes(x.shape, mask.shape)
    x, mask = x.expand(shape), mask.expand(shape)
    places = (mask.reshape(-1).long().cumsum(0) - 1).clamp(min=0)
    size = source.numel()
    demand(
        mask.sum() <= size,
        "RuntimeError: Number of elements of source < number of ones in mask",
    )
    if size == 0:
        return x.clone()
    with unchecked():
        scattered = source.reshape(-1)[places.clamp(max=size - 1)].reshape(shape)
    return torch.where(mask, scattered, x)


def complement(op: Any, x: Any) -> Any:
    """`erfc`, within 1.2e-7 of itself: Numerical Recipes, 2nd edition, section 6.2."""
    import torch

    if not x.is_floating_point():
        x = x.to(torch.get_default_dtype())
    if x.dtype == torch.float64:
        return errors.complement_of_doubles(x)
    given, size = x.float(), x.float().abs()
    t = 1 / (1 + size / 2)
    series = torch.full_like(t, _ERFC[-1])
    for factor in reversed(_ERFC[:-1]):
        series = series * t + factor
    result = t * (series - size * size).exp()
    return torch.where(given < 0, 2 - result, result).to(x.dtype)


_ERFC = (
    *(-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806),
    *(0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277),
)


def larger_number(op: Any, x: Any, y: Any) -> Any:
    """`fmax`, `fmin`: of a NaN and a number, the number."""
    import torch

    x, y = together(x, y)
    pick = torch.maximum if op._schema.name == "aten::fmax" else torch.minimum
    result = pick(x, y)
    if not result.is_floating_point():
        return result
    return torch.where(x != x, y, torch.where(y != y, x, result))


def normalised(op: Any, x: Any, dim: int, dtype: Any = None) -> Any:
    """`softmax` of elements that are converted first."""
    if dtype is None:
        return NotImplemented
    return op(x if x.dtype == dtype else x.to(dtype), dim)


def angle(op: Any, x: Any) -> Any:
    """Of real numbers: 0, or pi of those below 0."""
    import torch

    if x.is_complex():
        return NotImplemented
    given = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    half_turn = torch.full((), math.pi, dtype=given.dtype)
    result = torch.where(given < 0, half_turn, torch.zeros_like(half_turn))
    return torch.where(given != given, given, result)


def distance(op: Any, x: Any, y: Any, p: float = 2) -> Any:
    """`dist`."""
    import torch

    return torch.linalg.vector_norm(x - y, p)


def sum_in_windows(op: Any, x: Any, weight: Any, bias: Any, pad: int = 0) -> Any:
    """`conv_tbc`: a convolution in time of [time, batch, channels]."""
    import torch

    sums = torch.nn.functional.conv1d(
        x.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad
    )
    return sums.permute(2, 0, 1)


def copysign(op: Any, x: Any, sign: Any) -> Any:
    """The sign of a zero counts, too, and that of a NaN."""
    import torch

    if not isinstance(sign, torch.Tensor):
        sign = torch.full((), sign, dtype=torch.get_default_dtype())
    dtype = torch.result_type(x, sign)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    size = x.to(dtype).abs()
    return torch.where(is_negative(op, sign), -size, size)


def is_negative(op: Any, x: Any) -> Any:
    """`signbit`: of a zero and of a NaN, too, whose bits tell it."""
    import torch

    if x.dtype == torch.bool:
        return torch.zeros_like(x)
    return (bits.as_ints(x) if x.is_floating_point() else x) < 0


def to_diagonal(
    op: Any, x: Any, part: Any, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Any:
    """`diagonal_scatter`: a row of the result has one element of `part`, or none."""
    import torch

    moved = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = moved.shape[-2:]
    above, before = max(-offset, 0), max(offset, 0)
    sizes = rows - above, columns - before, part.shape[-1]
    if not all(type(size) is int for size in sizes):
        below, beside, given = (torch.full((), size) for size in sizes)
        demand(
            given == torch.minimum(below, beside).clamp(min=0),
            "RuntimeError: expected src to have a size equal to the slice of self",
        )
    below = rows - above - part.shape[-1]
    wide = torch.nn.functional.pad(part, (above, below)).unsqueeze(-1)
    place = torch.arange(rows).unsqueeze(1) - above
    on_diagonal = (torch.arange(columns) - before == place) & (place >= 0)
    moved = torch.where(on_diagonal & (place < part.shape[-1]), wide, moved)
    return moved.movedim((-2, -1), (dim1, dim2))


def reduce_rows(
    op: Any,
    x: Any,
    dim: int,
    index: Any,
    source: Any,
    reduce: str,
    *,
    include_self: bool = True,
) -> Any:
    """`index_reduce`: one index for a whole row."""
    import torch

    if x.dim() == 0:
        x, source = x.reshape(1), source.reshape(1)
        row = index.reshape(1)
        result = reduce_rows(op, x, 0, row, source, reduce, include_self=include_self)
        return result.reshape(())
    wide = index.reshape([-1] + [1] * (x.dim() - 1 - dim % x.dim())).expand(
        source.shape
    )
    kind = {"mean": "mean", "prod": "prod", "amax": "amax", "amin": "amin"}[reduce]
    return torch.scatter_reduce(x, dim, wide, source, kind, include_self=include_self)


def fill(op: Any, x: Any, value: Any) -> Any:
    """True is 1 among numbers."""
    import torch

    if x.dtype == torch.bool and not isinstance(value, torch.Tensor):
        return filled_like(op, x, value)
    if not isinstance(value, bool):
        return NotImplemented
    return torch.fill(x, float(value) if x.is_floating_point() else int(value))


def filled_like(op: Any, x: Any, value: Any, **named: Any) -> Any:
    """`full_like` of bools, and by them: torch-mlir has none."""
    import torch

    dtype = named.get("dtype") or x.dtype
    if dtype != torch.bool:
        if type(value) is not bool:
            return NotImplemented
        return op(x, float(value) if dtype.is_floating_point else int(value), **named)
    return torch.full(x.shape, int(bool(value)), dtype=torch.int32) != 0


def without_nan(op: Any, x: Any, *given: Any) -> Any:
    """`nan_to_num`: of what has none; with numbers of a run, which may be infinite."""
    import torch

    if not x.is_floating_point():
        return x.clone()
    if not is_open():
        return NotImplemented
    most = torch.finfo(x.dtype).max
    ends = [*given, None, None, None][:3]
    result = x
    for place, number, missing in (
        (x != x, ends[0], 0.0),
        (x == math.inf, ends[1], most),
        (x == -math.inf, ends[2], -most),
    ):
        new = as_tensor(missing if number is None else number, x.dtype)
        result = torch.where(place, new, result)
    return result


def spread(op: Any, start: Any, end: Any, steps: Any, *kind: Any, **named: Any) -> Any:
    """`linspace` between numbers of a run: torch-mlir counts all from the start."""
    import torch

    dtype = (kind[0] if kind else named.get("dtype")) or torch.get_default_dtype()
    if not is_open() or op._overloadname != "default":
        return NotImplemented
    if dtype not in (torch.float32, torch.float64):
        raise Untraceable(
            "`linspace` between numbers that depend on the input has no lowering in "
            "this dtype"
        )
    if type(steps) is int and steps < _FEW:
        return torch.full((steps,), start, dtype=dtype)
    return spaced.counted(as_tensor(start, dtype), as_tensor(end, dtype), steps, dtype)


_FEW = 2
"""So many numbers have two ends."""


def filled(op: Any, x: Any, size: Any, value: Any, **named: Any) -> Any:
    """`new_full`."""
    import torch

    return torch.full(size, value, dtype=named.get("dtype") or x.dtype)


def narrow_copy(op: Any, x: Any, dim: int, start: int, length: int) -> Any:
    """`narrow`, copied."""
    return x.narrow(dim, start, length).clone()


def put(op: Any, x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Elements at places of the tensor as one row."""
    flat = x.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.reshape(x.shape)


def real(op: Any, x: Any) -> Any:
    """Of real numbers: they themselves."""
    return NotImplemented if x.is_complex() else x.clone()


def negated(op: Any, x: Any) -> Any:
    """`_neg_view`: which other memory it shares, nobody asks by now."""
    return x.neg()


def hypotenuse(op: Any, x: Any, y: Any) -> Any:
    """Without the square of the larger one, which may be too large."""
    import torch

    x, y = together(x, y)
    x, y = x.abs(), y.abs()
    large, small = torch.maximum(x, y), torch.minimum(x, y)
    ratio = torch.where(large == 0, large, small / large)
    result = large * (1 + ratio * ratio).sqrt()
    infinite = (x == float("inf")) | (y == float("inf"))
    return torch.where(infinite, torch.full_like(result, float("inf")), result)


REWRITES = {
    **bags.REWRITES,
    **orders.REWRITES,
    **bessels.REWRITES,
    **distances.REWRITES,
    **encoders.REWRITES,
    **errors.REWRITES,
    **gammas.REWRITES,
    **images.REWRITES,
    **in_place.REWRITES,
    **linear.REWRITES,
    **logarithms.REWRITES,
    **losses.REWRITES,
    **products.REWRITES,
    **reflections.REWRITES,
    **rotations.REWRITES,
    **scaling.REWRITES,
    **shapes.REWRITES,
    **vectors.REWRITES,
    **windows.REWRITES,
    **zetas.REWRITES,
    "grid_sampler_3d": grids.sampler_3d,
    "hypot": hypotenuse,
    "rrelu_with_noise": activations.leak,
    "narrow_copy": narrow_copy,
    "put": put,
    "real": real,
    "_neg_view": negated,
    "nextafter": elements.next_after,
    "bincount": indices.counts,
    "fill": fill,
    "new_full": filled,
    "full_like": filled_like,
    "nan_to_num": without_nan,
    "linspace": spread,
    "rsub": elements.reversed_difference,
    "index_reduce": reduce_rows,
    "masked_scatter": masked_scatter,
    "angle": angle,
    "dist": distance,
    "conv_tbc": sum_in_windows,
    "copysign": copysign,
    "signbit": is_negative,
    "view": bits.viewed,
    "where": elements.chosen,
    "logical_and": elements.both_true,
    "logical_or": elements.both_true,
    "logical_xor": elements.both_true,
    "mean": singles.mean,
    "diagonal_scatter": to_diagonal,
    "erfc": complement,
    "special_erfc": complement,
    "fmax": larger_number,
    "fmin": larger_number,
    "softmax": normalised,
    "log_softmax": normalised,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
