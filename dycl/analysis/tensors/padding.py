"""`F.pad` where torch's own does not say what its result is.

Where a size or a width depends on the data, torch asks whether strides are equal, and
so for one size only; here it is a concatenation, which asks nothing. Fake tensors
refuse to repeat the edge of an image of which elements are cut off, and torch-mlir's
reflection writes behind it; here they are read by their places. torch is imported in
the functions.
"""

from collections.abc import Sequence
from typing import Any, cast

from dycl.analysis.dynamic_sizes.ranges import bounds
from dycl.analysis.dynamic_sizes.size_texts import words
from dycl.analysis.dynamic_sizes.sizes import current
from dycl.analysis.tensors.abstract import Dim

NAME = "torch.nn.functional.pad"
MODULES = frozenset(
    f"{kind}Pad{n}d" for kind in ("Constant", "Zero") for n in (1, 2, 3)
)
"""Modules of torch that pad by a constant."""


def cuts_edge(
    input: Any, pad: Sequence[Any], mode: str = "constant", value: Any = None
) -> bool:
    """Whether edges of an image are repeated or reflected, and elements cut off."""
    count = len(pad) // 2
    is_image = len(pad) in (2, 4, 6) and input.dim() - count in (1, 2)
    if (
        mode not in ("replicate", "reflect")
        or not is_image
        or not any(map(is_cut, pad))
    ):
        return False
    sizes = input.shape[-count:]
    left = [sizes[-1 - n] + pad[2 * n] + pad[2 * n + 1] for n in range(count)]
    known = [size for size in left if type(size) is int]
    return 0 not in input.shape[-count - 1 :] and min(known, default=0) >= 0


def by_places(x: Any, pad: Sequence[Any], mode: str) -> Any:
    """The nearest elements of the image, or those that it reflects, along a dim after
    the other: also elements that are cut off.

    Raises RuntimeError: there are no elements, too few to reflect, or none is left.
    """
    import torch

    dims = range(len(pad) // 2)
    if all(x.shape[-1 - n] + pad[2 * n] + pad[2 * n + 1] < 1 for n in dims):
        raise RuntimeError("the image is too small for what is cut off")
    for n in range(0, len(pad), 2):
        dim, size = x.dim() - 1 - n // 2, x.shape[-1 - n // 2]
        if size < 1:
            raise RuntimeError("the edge of an image without elements")
        places = torch.arange(-pad[n], size + pad[n + 1])
        if mode == "replicate":
            places = places.clamp(0, size - 1)
        elif pad[n] >= size or pad[n + 1] >= size:
            raise RuntimeError("an image is reflected by less than its own size")
        else:
            places = (size - 1) - (places.abs() - (size - 1)).abs()
        x = x.index_select(dim, places)
    return x


def is_cut(width: Any) -> bool:
    """Whether a width takes elements away; one that the data decides does not."""
    return type(width) is int and width < 0


def of_module(module: Any, input: Any) -> Any:
    """The `forward` of one of `MODULES`."""
    return pad(input, module.padding, "constant", module.value)


def may_cut(width: Any) -> bool:
    """Whether a width that a run decides takes elements away for some of its sizes.

    torch's symbols are two and more, so that it is our ranges that say so. A name alone
    is a size, or a number that the run requires to be none below zero.
    """
    symbols = current()
    if type(width) is int or symbols is None:
        return False
    size = symbols.text(width)
    if not isinstance(size, Dim) or words(size.text) == [size.text]:
        return False
    least, _ = bounds(size.text)
    return least is None or least < 0


def _framed_by_places(x: Any, dim: int, before: Any, after: Any, fill: Any) -> Any:
    """The elements along a dim from `before` in front of the first one on; where there
    is none, `fill`, which lies behind the last one."""
    import torch

    size = x.shape[dim]
    kept = size + torch.sym_min(before, 0) + torch.sym_min(after, 0)
    cast(Any, torch)._check(kept >= 0, lambda: "narrow(): length must be non-negative.")
    shape = [*x.shape[:dim], 1, *x.shape[dim + 1 :]]
    source = torch.cat([x, torch.full(shape, fill, dtype=x.dtype)], dim)
    places = torch.arange(size + before + after) - before
    is_inside = (places >= 0) & (places < size)
    return source.index_select(dim, torch.where(is_inside, places, size))


def cut(x: Any, pad: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Without the elements that negative widths take away; and the other widths."""
    for number in range(len(pad) // 2):
        dim = x.dim() - 1 - number
        for place, width in enumerate(pad[2 * number : 2 * number + 2]):
            if is_cut(width):
                x = x.narrow(dim, 0 if place else -width, x.shape[dim] + width)
    return x, [0 if is_cut(width) else width for width in pad]


def pad(
    input: Any, pad: Sequence[Any], mode: str = "constant", value: Any = None
) -> Any:
    """`F.pad`. A number that the data decides is not negative, which the run checks; a
    size that is reckoned, `n - 3`, may be, and then takes elements away."""
    import torch
    from torch.nn import functional

    x = input
    if cuts_edge(x, pad, mode):
        return by_places(x, pad, mode)
    is_fit = len(pad) % 2 == 0 and len(pad) <= 2 * x.dim()
    if mode != "constant" or not is_fit:
        return functional.pad(x, list(pad), mode, value)
    fill, (x, pad) = 0 if value is None else value, cut(x, pad)
    if isinstance(fill, bool):
        fill = int(fill)  # torch-mlir takes numbers alone to fill with
    for number in range(len(pad) // 2):
        dim = x.dim() - 1 - number
        before, after = pad[2 * number : 2 * number + 2]
        if may_cut(before) or may_cut(after):
            x = _framed_by_places(x, dim, before, after, fill)
            continue
        parts = [x]
        for start, width in ((True, before), (False, after)):
            if type(width) is not int or width > 0:
                shape = [*x.shape[:dim], width, *x.shape[dim + 1 :]]
                new = torch.full(shape, fill, dtype=x.dtype)
                parts.insert(0 if start else len(parts), new)
        if len(parts) > 1:
            x = torch.cat(parts, dim)
    return x
