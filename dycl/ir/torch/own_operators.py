"""Operators of `torch.library` that are ours: what they compute, in eager.

    rows = torch.ops.dycl.rotate_rows(x, count)

A lowering calls them where a kernel needs a loop that the data ends, which no torch op
is. The kernels' code is in `dycl.analysis.torch_fixes`. torch is imported in the
functions.
"""

from functools import cache
from typing import Any, cast

NAMESPACE = "dycl"
ROTATE_ROWS = f"{NAMESPACE}::rotate_rows"


@cache
def define_operators() -> None:
    """Let `torch.ops.dycl` have them."""
    import torch

    library = cast(Any, torch.library)
    library.define(ROTATE_ROWS, "(Tensor x, int count) -> Tensor")
    library.impl(ROTATE_ROWS, "CPU", rotate_rows)
    library.register_fake(ROTATE_ROWS, lambda x, count: cast(Any, torch).empty_like(x))


def rotate_rows(x: Any, count: int) -> Any:
    """An orthogonal matrix times f64[batch, rows, columns], such that the first `count`
    columns have rows that are orthogonal to each other, in any order."""
    import torch

    left = cast(Any, torch).linalg.svd(x[..., :count])[0]
    return left.transpose(-1, -2) @ x
