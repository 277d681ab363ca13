"""`F.pad` where a size or a width depends on the data, as torch can reckon with it.

torch's own asks whether strides are equal, and so for one size only. Here it is a
concatenation, which asks nothing. torch is imported in the functions.
"""

from collections.abc import Sequence
from typing import Any

NAME = "torch.nn.functional.pad"


def pad(x: Any, pad: Sequence[Any], mode: str = "constant", value: Any = None) -> Any:
    """`F.pad`. A width that the data decides is not negative, which the run checks."""
    import torch
    from torch.nn import functional

    if mode != "constant" or len(pad) % 2 or len(pad) > 2 * x.dim():
        return functional.pad(x, list(pad), mode, value)
    fill = 0 if value is None else value
    for number in range(len(pad) // 2):
        dim = x.dim() - 1 - number
        before, after = pad[2 * number : 2 * number + 2]
        for start, width in ((True, before), (False, after)):
            if type(width) is int and width < 0:
                x = x.narrow(dim, -width if start else 0, x.shape[dim] + width)
        parts = [x]
        for start, width in ((True, before), (False, after)):
            if type(width) is not int or width > 0:
                shape = [*x.shape[:dim], width, *x.shape[dim + 1 :]]
                new = torch.full(shape, fill, dtype=x.dtype)
                parts.insert(0 if start else len(parts), new)
        if len(parts) > 1:
            x = torch.cat(parts, dim)
    return x
