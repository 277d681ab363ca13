"""How often each number occurs: the length of the result depends on the numbers."""

from typing import Any

import torch


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """`torch.bincount`: of ints [N], i64[M] or, with weights, floats.

    Raises RuntimeError where torch does, in its order.
    """
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.dim() == 1 and input.numel() == 0:
        return torch.zeros(minlength, dtype=torch.int64)
    if input.is_floating_point() or input.dtype == torch.bool:
        raise NotImplementedError("bincount counts ints")
    if input.dim() != 1 or input.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    dtype = torch.int64
    if weights is None:
        weights = torch.ones_like(input, dtype=dtype)
    else:
        if weights.shape != input.shape:
            raise RuntimeError(
                "weights should be 1-d and have the same length as input"
            )
        dtype = torch.float32 if weights.dtype == torch.float32 else torch.float64
    length = max(int(input.max()) + 1, minlength)
    counts = torch.zeros(length, dtype=dtype)
    return counts.index_add(0, input.to(torch.int64), weights.to(dtype))
