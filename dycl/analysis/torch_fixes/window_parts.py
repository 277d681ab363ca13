"""The windows of an adaptive pool, one after the other, along one dim after the other.

Sizes of the image may be torch's symbols; how many windows there are is known. torch is
imported in the functions.
"""

from collections.abc import Sequence
from typing import Any

from dycl.analysis.tracing.graph import Untraceable

_MOST_WINDOWS = 64
"""Each is three ops to compile."""


def means(x: Any, counts: Sequence[Any]) -> Any:
    """The means of so many windows along each of the last dims."""
    import torch

    for dim, count in zip(range(-len(counts), 0), counts, strict=True):
        if count == 1:
            x = x.mean(dim, keepdim=True)
            continue
        parts = [
            x.narrow(dim, start, end - start).mean(dim, keepdim=True)
            for start, end in ends(x.shape[dim], count)
        ]
        x = torch.cat(parts, dim)
    return x


def means_of_open(x: Any, counts: Sequence[Any]) -> Any:
    """An adaptive mean of an image as large as a run decides.

    Untraceable: windows are many, or a run decides how many.
    """
    if all(count == 1 for count in counts):
        return x.mean(list(range(-len(counts), 0)), keepdim=True)
    check_counts(counts)
    return means(x, counts)


def largest(x: Any, dim: int, count: int) -> tuple[Any, Any]:
    """The largest element of each of `count` windows along a dim, and its place: of
    NaN that of the last, as eager has it."""
    import torch

    parts: list[Any] = []
    places: list[Any] = []
    for start, end in ends(x.shape[dim], count):
        part = x.narrow(dim, start, end - start)
        value, place = part.max(dim, keepdim=True)
        if x.is_floating_point():
            behind = part.flip(dim).isnan().int().argmax(dim, keepdim=True)
            place = torch.where(value.isnan(), end - start - 1 - behind, place)
        parts.append(value)
        places.append(place + start)
    return torch.cat(parts, dim), torch.cat(places, dim)


def check_counts(counts: Sequence[Any]) -> None:
    """Untraceable: windows are many, or a run decides how many there are."""
    if any(type(count) is not int for count in counts) or sum(counts) > _MOST_WINDOWS:
        raise Untraceable(
            f"an adaptive pool to {list(counts)} of an image whose size a call decides"
        )


def ends(size: Any, count: int) -> list[tuple[Any, Any]]:
    """Where each of the windows begins and ends."""
    return [
        (i * size // count, ((i + 1) * size + count - 1) // count) for i in range(count)
    ]
