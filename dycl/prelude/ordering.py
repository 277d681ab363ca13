"""`bisect`, and `heapq.nsmallest` and `nlargest`: Python's own steps and order."""

from typing import Any


def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    """`heapq.nsmallest`."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    """`heapq.nlargest`."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def bisect_right(
    a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None
) -> Any:
    """`bisect.bisect_right`. Raises ValueError: `lo` is below zero."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low, high = lo, len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            high = middle
        else:
            low = middle + 1
    return low


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_left`. Raises ValueError: `lo` is below zero."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low, high = lo, len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            low = middle + 1
        else:
            high = middle
    return low


def insort_right(
    a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None
) -> None:
    """`bisect.insort`, behind its equals. Raises ValueError: `lo` is below zero."""
    own = x if key is None else key(x)
    a.insert(bisect_right(a, own, lo, hi, key=key), x)


def insort_left(
    a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None
) -> None:
    """The same in front of them. Raises ValueError: `lo` is below zero."""
    own = x if key is None else key(x)
    a.insert(bisect_left(a, own, lo, hi, key=key), x)
