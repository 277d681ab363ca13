"""Ops that torch-mlir has, but lowers to something else than eager computes.

Found by comparing whole networks with eager. Such an op is decomposed by torch; one
that cannot be is refused where it is traced.
"""

from typing import Any


def is_mislowered(node: Any) -> bool:
    """Whether the call of an aten op by an fx node must not reach torch-mlir."""
    name = node.target._schema.name.removeprefix("aten::")
    rule = _RULES.get(name)
    return rule is not None and rule(node)


def why_not(node: Any, name: str) -> str | None:
    """Why an op that is not decomposed has no right lowering; None: it has one.

    Bytes without a sign are widened as if they had one, or crash the compiler.
    """
    import torch

    if is_mislowered(node):
        return f"torch op {name[6:]} has no lowering for these operands"
    used = [n.meta.get("val") for n in node.all_input_nodes]
    dtypes = {v.dtype for v in [*used, node.meta.get("val")] if hasattr(v, "dtype")}
    if torch.uint8 in dtypes and name.split(".")[2] not in _MOVES:
        return (
            f"torch op {name[6:]} on uint8 tensors has no lowering; "
            "convert them first, with `x.float()` or `x.int()`"
        )
    return None


def _always(node: Any) -> bool:
    return True


def _uneven_pool(node: Any) -> bool:
    """Windows of unequal size: torch-mlir takes all to be like the first."""
    given = node.args[0].meta["val"].shape
    result = node.meta["val"]
    wanted = (result[0] if isinstance(result, tuple) else result).shape
    return any(
        size % out for size, out in zip(reversed(given), reversed(wanted), strict=False)
    )


def _by_tanh(node: Any) -> bool:
    """torch-mlir's `approximate="tanh"` is off by 1e-4."""
    return "tanh" in (*node.args, *node.kwargs.values())


_RULES = {
    "adaptive_avg_pool1d": _uneven_pool,
    "adaptive_avg_pool2d": _uneven_pool,
    "_adaptive_avg_pool2d": _uneven_pool,
    "adaptive_avg_pool3d": _uneven_pool,
    "_adaptive_avg_pool3d": _uneven_pool,
    "adaptive_max_pool1d": _uneven_pool,
    "adaptive_max_pool2d": _uneven_pool,
    "gelu": _by_tanh,
    "instance_norm": _always,  # aborts the process
    "rrelu": _always,  # the name says random, and eval mode is not
    # Have no lowering for most operands:
    "im2col": _always,
    "isfinite": _always,
    "upsample_bilinear2d": _always,
}
"""Name of an op, of any overload -> which of its calls."""

_MOVES = frozenset(
    [
        *("to", "_to_copy", "clone", "contiguous", "detach", "alias"),
        *("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "expand"),
        *("transpose", "permute", "t", "numpy_T", "select", "slice", "narrow"),
        *("split", "chunk", "unbind", "cat", "stack"),
    ]
)
"""What only moves elements, or converts them, is right for every dtype."""
