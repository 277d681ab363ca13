"""Grids of points, and images between their pixels, in ops that torch-mlir lowers.

torch-mlir's own `grid_sampler` is wrong wherever a point lies between pixels.
"""

from collections.abc import Sequence
from typing import Any, cast


def mesh(op: Any, tensors: Sequence[Any], indexing: str = "ij") -> list[Any]:
    """`meshgrid`. For `xy` the first two change places, and what comes out does."""
    if exchanged := indexing == "xy" and len(tensors) > 1:
        tensors = [tensors[1], tensors[0], *tensors[2:]]
    sizes = [x.numel() for x in tensors]
    result = [
        x.reshape([-1 if i == dim else 1 for i in range(len(sizes))]).expand(sizes)
        for dim, x in enumerate(tensors)
    ]
    return [result[1], result[0], *result[2:]] if exchanged else result


def sampler(op: Any, *given: Any) -> Any:
    """`grid_sampler_2d`, which torch takes apart, though not for its core."""
    from torch._decomp import decomposition_table

    return cast(Any, decomposition_table)[op](*given)
