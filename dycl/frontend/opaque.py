"""Modules without a `forward` that could be read, and weights without a shape.

torch is imported in the functions.
"""

from typing import Any

from dycl.ir.opaque import COMPILED, LAZY, SCRIPTED

_WRAPPERS = {"torch._dynamo": COMPILED, "torch.jit": SCRIPTED}
"""Module of a wrapper class -> what its instances are."""


def why_opaque(module: Any) -> str | None:
    """What a module is that stands for another one; None: it stands for none."""
    is_lazy = getattr(type(module), "has_uninitialized_params", None)
    if is_lazy is not None and is_lazy(module):
        return LAZY
    homes = [base.__module__ for base in type(module).__mro__]  # or one's own of it
    return next(
        (
            what
            for root, what in _WRAPPERS.items()
            if any(home.startswith(root) for home in homes)
        ),
        None,
    )


def has_no_shape(tensor: Any) -> bool:
    """Whether a weight waits for the first input of its module."""
    import torch

    return bool(torch.nn.parameter.is_lazy(tensor))
