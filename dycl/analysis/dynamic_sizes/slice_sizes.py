"""The size of `x[a:b:c]` where the whole and the bounds are sizes of inputs, or known.

    pos[:n]     n of 1 to 512, 512 rows    n
    pos[:n]     n of 1 to 512, 16 rows     Min(n, 16)
    x[:, 1:]    n of 1 to 512              n - 1
    x[:, ::2]   n                          (n + 1) // 2

Such a size is reckoned with further; that of another slice has a name of its own.
"""

from collections.abc import Callable, Sequence
from functools import reduce

from dycl.analysis.dynamic_sizes.ranges import always, bounds, is_of_inputs
from dycl.analysis.dynamic_sizes.size_texts import arithmetic
from dycl.analysis.tensors.abstract import Dim, Scalar

Size = int | Dim


def slice_size(size: Size, start: object, stop: object, step: int) -> Size | None:
    """How many elements a slice has of `size`; None: that cannot be said.

    `start` and `stop` are None, or ints that are known or not.
    """
    # A start behind the end needs no bound: the difference is below zero then.
    first = _bound(start, size, 0, lambda place: place)
    last = _bound(stop, size, size, lambda place: _smaller(place, size))
    if first is None or last is None or not _is_said(size):
        return None
    length = _of(arithmetic("sub", last, first), lambda n: _larger(n, 0))
    if step == 1 or length is None:
        return length
    rounded = arithmetic("add", length, step - 1)
    return None if rounded is None else arithmetic("floordiv", rounded, step)


def _is_said(size: Size) -> bool:
    return isinstance(size, int) or is_of_inputs(size.text)


def _bound(
    given: object, size: Size, missing: Size, inside: Callable[[Size], Size]
) -> Size | None:
    """A bound as Python reads it: from the end if below zero, else put `inside`."""
    if given is None:
        return missing
    place = given.size if isinstance(given, Scalar) else given
    if not isinstance(place, int | Dim) or not _is_said(place):
        return None
    low, high = _bounds(place)
    if (low is not None and low >= 0) or _holds(place, ">="):
        return inside(place)
    if high is not None and high < 0:
        return _of(arithmetic("add", size, place), lambda n: _larger(n, 0))
    return None


def least_or_most(sizes: Sequence[Size], is_least: bool) -> Size:
    """The smallest or largest of some sizes, a `Min` or `Max` where none surely is."""
    return reduce(_smaller if is_least else _larger, sizes)


def _of(size: Size | None, make: Callable[[Size], Size]) -> Size | None:
    return None if size is None else make(size)


def _bounds(size: Size) -> tuple[int | None, int | None]:
    return (size, size) if isinstance(size, int) else bounds(size.text)


def _smaller(one: Size, other: Size) -> Size:
    return _chosen("Min", one, other)


def _larger(one: Size, other: Size) -> Size:
    return _chosen("Max", one, other)


def _chosen(kind: str, one: Size, other: Size) -> Size:
    """The smaller or larger of two sizes: one of them where their ranges say which."""
    apart = arithmetic("sub", one, other)
    low, high = (None, None) if apart is None else _bounds(apart)
    wants_low = kind == "Min"
    if (low is not None and low >= 0) or _holds(apart, ">="):
        return other if wants_low else one
    if (high is not None and high <= 0) or _holds(apart, "<="):
        return one if wants_low else other
    texts = [str(n.text if isinstance(n, Dim) else n) for n in (one, other)]
    return Dim(f"{kind}({', '.join(texts)})")


def _holds(apart: Size | None, how: str) -> bool:
    """Whether a difference surely compares so with zero: `n - (n + 1) // 2`."""
    return isinstance(apart, Dim) and always(f"{apart.text} {how} 0")
