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


REWRITES = {
    "polygamma_": polygamma,
    "mvlgamma_": log_gamma,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
