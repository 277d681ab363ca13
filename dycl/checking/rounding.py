"""Is an error more than rounding? A deep network may amplify that of either side."""

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from dycl.checking.values import largest_relative

ILL_CONDITIONED = 1e-3
"""Where eager is farther than that from float64, nothing can be said."""


def beyond_eager(
    model: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    actual: Any,
    expected: Any,
) -> float:
    """How much farther `actual` is from the result in float64 than eager's `expected`.

    Relative to the largest value of each tensor. Infinite where that is not known: the
    model is no module, it raises in float64, or gives another structure there, or
    eager is more than `ILL_CONDITIONED` from it.
    """
    import torch

    if not isinstance(model, torch.nn.Module):
        return math.inf
    try:
        wide = copy.deepcopy(model).double()
        with torch.no_grad():
            exact = wide(*in_float64(tuple(args)), **in_float64(dict(kwargs)))
    except Exception:
        return math.inf
    eager = largest_relative(in_float64(expected), exact)
    if not eager < ILL_CONDITIONED:
        return math.inf
    return largest_relative(in_float64(actual), exact) - eager


def in_float64(value: Any) -> Any:
    """The same structure, its float tensors in float64."""
    if hasattr(value, "is_floating_point") and value.is_floating_point():
        return value.double()
    if type(value) in (tuple, list):
        items = cast("Sequence[Any]", value)
        return type(value)(map(in_float64, items))
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value).items()
        return {key: in_float64(item) for key, item in entries}
    return value
