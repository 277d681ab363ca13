"""What takes items from a generator function one by one.

Each asks for no more items than Python's, and in the same order.
"""

from collections.abc import Iterator
from typing import Any


def listed(items: Any) -> Any:
    """`list(items)`."""
    result: list[Any] = []
    for item in items:
        result.append(item)
    return result


def enumerated(items: Any, start: Any = 0) -> Iterator[Any]:
    """`enumerate(items, start)`."""
    number = start
    for item in items:
        yield number, item
        number = number + 1


def zipped(items: Any, others: Any) -> Iterator[Any]:
    """`zip(items, others)`, where `others` has items by number."""
    at = 0
    for item in items:
        if at == len(others):
            return
        yield item, others[at]
        at = at + 1


def zipped_behind(others: Any, items: Any) -> Iterator[Any]:
    """`zip(others, items)`, where `others` has items by number."""
    at = 0
    if len(others) == 0:
        return
    for item in items:
        yield others[at], item
        at = at + 1
        if at == len(others):
            return


def mapped(function: Any, items: Any) -> Iterator[Any]:
    """`map(function, items)`."""
    for item in items:
        yield function(item)


def filtered(function: Any, items: Any) -> Iterator[Any]:
    """`filter(function, items)`."""
    for item in items:
        if item if function is None else function(item):
            yield item


def some(items: Any) -> bool:
    """`any(items)`."""
    for item in items:  # noqa: SIM110  `any` is what this stands for
        if item:
            return True
    return False


def every(items: Any) -> bool:
    """`all(items)`."""
    for item in items:  # noqa: SIM110  `all` is what this stands for
        if not item:
            return False
    return True


def first(items: Any) -> Any:
    """`next(items)` of a generator that is asked once. Raises StopIteration."""
    for item in items:
        return item
    raise StopIteration


def first_or(items: Any, default: Any) -> Any:
    """`next(items, default)` of a generator that is asked once."""
    for item in items:
        return item
    return default
