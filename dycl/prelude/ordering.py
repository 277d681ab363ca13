"""`heapq` and `bisect`: the steps of Python's own, so that ties end up alike."""

import heapq
from collections.abc import Callable
from typing import Any


def _words(fails: Callable[[], object]) -> str:
    """What this version of Python says where this fails."""
    try:
        fails()
    except IndexError as error:
        return str(error)
    raise AssertionError("it does not fail")


_EMPTY = _words(lambda: heapq.heappop([]))
_NOTHING = _words(lambda: heapq.heapreplace([], 0))


def _up(heap: Any, at: Any, first: int) -> None:
    """Move an item towards the root as long as it is less than what is above it."""
    item = heap[at]
    while at > first and item < heap[(at - 1) // 2]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = item


def _settle(heap: Any, first: Any) -> None:
    """Move an item down to a leaf, below the lesser of each two, and up again."""
    at, end = first, len(heap)
    item = heap[at]
    while at < end // 2:
        child = 2 * at + 1
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[at] = heap[child]
        at = child
    while at > first and item < heap[(at - 1) // 2]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = item


def heappush(heap: Any, item: Any) -> None:
    """`heapq.heappush`."""
    heap.append(item)
    _up(heap, len(heap) - 1, 0)


def heappop(heap: Any) -> Any:
    """`heapq.heappop`. Raises IndexError: there are no items."""
    if len(heap) == 0:
        raise IndexError(_EMPTY)
    last = heap.pop()
    if len(heap) == 0:
        return last
    least = heap[0]
    heap[0] = last
    _settle(heap, 0)
    return least


def heappushpop(heap: Any, item: Any) -> Any:
    """`heapq.heappushpop`."""
    if len(heap) == 0:
        return item
    if not heap[0] < item:
        return item
    least = heap[0]
    heap[0] = item
    _settle(heap, 0)
    return least


def heapreplace(heap: Any, item: Any) -> Any:
    """`heapq.heapreplace`. Raises IndexError: there are no items."""
    if len(heap) == 0:
        raise IndexError(_NOTHING)
    least = heap[0]
    heap[0] = item
    _settle(heap, 0)
    return least


def heapify(heap: Any) -> None:
    """`heapq.heapify`."""
    half = len(heap) // 2
    for at in range(half):
        _settle(heap, half - 1 - at)


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
