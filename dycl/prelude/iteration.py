"""Functions of `functools` and `itertools` that call one of the user's, or ask items.

Each asks for no more items than Python's, calls in the same order, and stops where that
stops.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any, Self


def _words(fails: Callable[[], object]) -> str:
    """What this version of Python says where this fails."""
    try:
        fails()
    except TypeError as error:
        return str(error)
    raise AssertionError("it does not fail")


_NOTHING = _words(lambda: functools.reduce(min, list[int]()))


def reduce(function: Any, items: Any, *initial: Any) -> Any:
    """`functools.reduce(function, items, initial)`.

    Raises TypeError: there are no items, and there is no initial value.
    """
    listed = list(items)
    if len(initial) == 0 and len(listed) == 0:
        raise TypeError(_NOTHING)
    value = listed[0] if len(initial) == 0 else initial[0]
    for item in listed[1 - len(initial) :]:
        value = function(value, item)
    return value


def accumulate(items: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    """`itertools.accumulate(items, func, initial=...)`."""
    has_value = initial is not None
    value = initial
    if has_value:
        yield value
    for item in items:
        if has_value:
            value = value + item if func is None else func(value, item)
        else:
            value = item
            has_value = True
        yield value


def starmap(function: Any, items: Any) -> Iterator[Any]:
    """`itertools.starmap(function, items)`."""
    for item in items:
        yield function(*item)


def takewhile(predicate: Any, items: Any) -> Iterator[Any]:
    """`itertools.takewhile(predicate, items)`."""
    for item in items:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate: Any, items: Any) -> Iterator[Any]:
    """`itertools.dropwhile(predicate, items)`."""
    is_dropped = True
    for item in items:
        if is_dropped and predicate(item):
            continue
        is_dropped = False
        yield item


def filterfalse(predicate: Any, items: Any) -> Iterator[Any]:
    """`itertools.filterfalse(predicate, items)`."""
    for item in items:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress(data: Any, selectors: Any) -> Iterator[Any]:
    """`itertools.compress(data, selectors)`."""
    for item, is_kept in zip(data, selectors, strict=False):
        if is_kept:
            yield item


def from_iterables(iterables: Any) -> Iterator[Any]:
    """`itertools.chain.from_iterable(iterables)`."""
    for items in iterables:
        for item in items:  # noqa: UP028  which is what this stands for
            yield item


class Counter:
    """What `itertools.count` makes."""

    def __init__(self, start: Any, step: Any):
        self._dycl_at = start
        self._dycl_step = step

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        number = self._dycl_at
        self._dycl_at = number + self._dycl_step
        return number


def count(start: Any = 0, step: Any = 1) -> Any:
    """`itertools.count`."""
    return Counter(start, step)


class Cycle:
    """What `itertools.cycle` makes of a list or tuple."""

    def __init__(self, items: Any):
        self._dycl_items = items
        self._dycl_at = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if len(self._dycl_items) == 0:
            raise StopIteration
        item = self._dycl_items[self._dycl_at]
        self._dycl_at = (self._dycl_at + 1) % len(self._dycl_items)
        return item


def cycle(items: Any) -> Any:
    """`itertools.cycle`."""
    return Cycle(list(items))
