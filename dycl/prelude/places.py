"""Elements by places that are tensors, and results as long as these say."""

from typing import Any

import torch


def take(input: Any, index: Any) -> Any:
    """`torch.take`: elements of the tensor as one row, in the shape of the index.

    Raises RuntimeError: the index is not of int64; IndexError: it is out of range.
    """
    if index.dtype != torch.int64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {index.dtype}"
        )
    return input.reshape(-1)[index]


def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """`torch.index_put`: a copy with other elements at places, or where a mask is true.

    Raises what `x[indices] = values` does.
    """
    is_mask = False
    for index in indices:
        is_mask = is_mask or index.dtype == torch.bool or index.dtype == torch.uint8
    if not is_mask:
        return torch.ops.aten.index_put(input, indices, values, accumulate)
    if len(indices) == 1:
        result = input.clone()
        mask = indices[0].to(torch.bool)
        result[mask] = result[mask] + values if accumulate else values
        return result
    return torch.ops.aten.index_put(input, indices, values, accumulate)


def one_hot(input: Any, num_classes: int = -1) -> Any:
    """`F.one_hot`: int64[*shape] -> int64[*shape, classes]; -1: as many as there are.

    The number may be a tensor. Raises RuntimeError where torch does: a class is below
    zero or too large, or there is none.
    """
    if not isinstance(num_classes, torch.Tensor) and num_classes != -1:
        return torch.ops.aten.one_hot(input, num_classes)
    count = int(num_classes)
    if input.dtype != torch.int64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor."
        )
    if input.numel() == 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if input.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = int(input.max())
    if count == -1:
        count = largest + 1
    elif largest >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (input.unsqueeze(-1) == torch.arange(count)).to(torch.int64)


def repeat_interleave(
    input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None
) -> Any:
    """`torch.repeat_interleave`: each row as often as an int says, or its own.

    Of one tensor: how often each number from 0 on is there, int[N] -> int64[M].
    Raises RuntimeError: a number below zero, or as many numbers as there are no rows.
    """
    if repeats is None:
        return _repeated(input)
    if not isinstance(repeats, torch.Tensor):
        return torch.ops.aten.repeat_interleave(input, repeats, dim)
    if output_size is not None:
        return torch.ops.aten.repeat_interleave(
            input, repeats, dim, output_size=output_size
        )
    rows = input.reshape(-1) if dim is None else input
    along = 0 if dim is None else dim
    if repeats.dim() == 0 or (repeats.dim() == 1 and repeats.size(0) == 1):
        repeats = repeats.reshape(1).expand(rows.size(along))
    elif repeats.dim() == 1 and repeats.size(0) != rows.size(along):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {repeats.size(0)} and "
            f"input.size({along}) = {rows.size(along)}"
        )
    return rows.index_select(along, _repeated(repeats))


def _repeated(repeats: Any) -> Any:
    """Each place as often as it says: int[N] -> int64[M]."""
    if repeats.dim() != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats.dtype not in (torch.int32, torch.int64):
        raise RuntimeError("repeats has to be Long or Int tensor")
    if repeats.size(0) == 0:
        return torch.zeros(0, dtype=torch.int64)
    if (repeats < 0).any():
        raise RuntimeError("repeats can not be negative")
    ends = repeats.cumsum(0)
    places = torch.arange(int(ends[-1])).unsqueeze(1)
    return (places >= ends).sum(1)


def gcd(input: Any, other: Any) -> Any:
    """`torch.gcd`: the greatest common divisors of ints, by Euclid; of 0 and 0, 0.

    The smallest int has no size. In the order of eager's divisions, rounded towards
    zero, it gives the same divisor, which may be below zero.
    """
    dtype = torch.result_type(input, other)
    second, first = torch.broadcast_tensors(input.to(dtype), other.to(dtype))
    first, second = first.abs(), second.abs()
    while (second != 0).any():
        is_done = second == 0
        rest = torch.fmod(first, torch.where(is_done, 1, second))
        first = torch.where(is_done, first, second)
        second = torch.where(is_done, second, rest)
    return first


def lcm(input: Any, other: Any) -> Any:
    """`torch.lcm`: the least common multiples of ints; of 0 and any other, 0.

    One that does not fit a short int wraps around as what C++ computes, an int.
    """
    divisor = gcd(input, other)
    safe = torch.where(divisor == 0, 1, divisor)
    wide = torch.promote_types(divisor.dtype, torch.int32)
    parts = torch.div(input, safe, rounding_mode="trunc").to(wide)
    return (parts * other).abs().to(divisor.dtype)
