"""The subjects written again by hand, for compilers that want `torch.cond`.

Each module has `rewritten(model)`: a module over the same layers whose `forward` gives
a tuple of tensors of fixed shapes, with a method `finish` that makes eager's answer of
them. They are written to be fast: what one side of a decision alone needs is computed
there, and what a loop does not change stands before it.
"""

import importlib
from typing import Any


def rewritten(name: str, model: Any) -> Any:
    """The model of `bench.rewrites.NAME`, in eval mode."""
    return importlib.import_module(f"bench.rewrites.{name}").rewritten(model).eval()
