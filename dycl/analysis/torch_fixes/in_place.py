"""Ops in place that torch-mlir lacks: what their plain forms give, stored."""

from typing import Any

from dycl.analysis.tracing.graph import Untraceable


def copied(functional: Any, x: Any, *given: Any, **named: Any) -> Any:
    """What the plain form gives, stored into `x`."""
    return stored(x, functional(x, *given, **named))


def stored(x: Any, result: Any) -> Any:
    """`x`, with the elements of a tensor of its shape. Untraceable: of another."""
    if result.shape != x.shape:
        raise Untraceable(
            f"an operation in place gives {list(result.shape)}, which does not fit "
            f"into a tensor of {list(x.shape)}"
        )
    return x.copy_(result.to(x.dtype))


def polygamma(op: Any, x: Any, n: int) -> Any:
    """`polygamma_`, whose plain form takes the order first."""
    import torch

    return stored(x, torch.polygamma(n, x))


def log_gamma(op: Any, x: Any, p: int) -> Any:
    """`mvlgamma_`."""
    import torch

    return stored(x, torch.mvlgamma(x, p))


def filled_diagonal(op: Any, x: Any, number: Any, wrap: bool = False) -> Any:
    """`fill_diagonal_`; with `wrap`, a tall matrix has another diagonal below."""
    import torch

    rows, *others = (torch.arange(size) for size in x.shape)
    if wrap and x.dim() == 2:
        rows = rows % (x.shape[1] + 1)
    at = rows.view(-1, *[1] * len(others))
    is_diagonal = torch.ones_like(at, dtype=torch.bool)
    for place, columns in enumerate(others, 1):
        shape = [1] * x.dim()
        shape[place] = -1
        is_diagonal = is_diagonal & (at == columns.view(shape))
    return x.copy_(torch.where(is_diagonal, torch.full_like(x, number), x))


REWRITES = {
    "fill_diagonal_": filled_diagonal,
    "polygamma_": polygamma,
    "mvlgamma_": log_gamma,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
