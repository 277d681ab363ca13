"""Products of vectors whose sizes a run decides: how alike they are, and across."""

from typing import Any

from dycl.analysis.torch_fixes.shapes import is_one
from dycl.analysis.tracing.graph import Untraceable

_AXES = 3


def similarity(op: Any, x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """`cosine_similarity`, as eager takes it apart: torch-mlir multiplies before it
    divides, so that large vectors give NaN, and makes one row of none."""
    rank = max(x.dim(), y.dim())
    dim %= rank
    x, y = (v.reshape([1] * (rank - v.dim()) + [*v.shape]) for v in (x, y))
    sizes = x.shape[dim], y.shape[dim]
    if any(map(is_one, sizes)):  # Eager repeats it before it takes the norm.
        size = sizes[1] if is_one(sizes[0]) else sizes[0]
        wide = [-1] * dim + [size] + [-1] * (rank - 1 - dim)
        x, y = x.expand(wide), y.expand(wide)
    sizes = (v.norm(dim=dim, keepdim=True).clamp(min=eps) for v in (x, y))
    parts = [v * (1 / size) for v, size in zip((x, y), sizes, strict=True)]
    return (parts[0] * parts[1]).sum(dim)


def cross_product(op: Any, x: Any, y: Any, dim: int | None = None) -> Any:
    """`cross`: without `dim`, along the first of size 3, which sizes decide.

    torch-mlir makes one row of one and none.
    """
    import torch
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    for place, size in enumerate(x.shape if dim is None else ()):
        if type(size) is not int:
            raise Untraceable("`torch.cross` of a dynamic size needs its `dim`")
        if size == _AXES:
            dim = place
            break
    pairs = zip(x.shape, y.shape, strict=False)
    if all(statically_known_true(size == other) for size, other in pairs):
        return NotImplemented
    return torch.linalg.cross(
        *torch.broadcast_tensors(x, y), dim=-1 if dim is None else dim
    )


REWRITES = {
    "cosine_similarity": similarity,
    "cross": cross_product,
    "linalg_cross": cross_product,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
