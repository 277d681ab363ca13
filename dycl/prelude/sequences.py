"""What goes over an object that has its items by number only, or by `__next__`."""

from collections.abc import Iterator
from typing import Any


def items(sequence: Any) -> list[Any]:
    """The items of an object with `__getitem__` and `__len__`, and no `__iter__`.

    Python asks for items until there is an IndexError; it is taken that this comes
    behind the last one.
    """
    parts: list[Any] = []
    for number in range(len(sequence)):
        parts.append(sequence[number])
    return parts


def next_items(iterator: Any) -> Iterator[Any]:
    """What `next` of an object gives, until that raises StopIteration."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item
