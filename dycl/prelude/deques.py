"""`collections.deque`: a list that is changed at both ends, and may be of some length.

Where nothing but the object has the list, loops and branches carry it as any list. An
IndexError has the words of the list's.
"""

from collections import deque as _deque
from collections.abc import Callable, Iterable
from typing import Any, Self


def _words(fails: Callable[[], object]) -> str:
    """What this version of Python says where this fails."""
    try:
        fails()
    except (IndexError, TypeError, ValueError) as error:
        return str(error)
    raise AssertionError("it does not fail")


_FULL = _words(lambda: _deque([0], 1).insert(0, 0))
_NO_LENGTH = _words(lambda: _deque(maxlen=-1))
_NO_SLICE = _words(lambda: _deque()[:])  # type: ignore[call-overload]


class Deque:
    """What `collections.deque` makes."""

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None):
        """ValueError: `maxlen` is below zero."""
        if maxlen is not None and maxlen < 0:
            raise ValueError(_NO_LENGTH)
        self.maxlen = maxlen
        self._dycl_items: list[Any] = []
        self.extend(iterable)

    def append(self, item: Any) -> None:
        """Add an item at the right end; a full deque drops one at the left."""
        if self.maxlen is None:
            self._dycl_items.append(item)
        elif self.maxlen > 0:
            if len(self._dycl_items) == self.maxlen:
                self._dycl_items.pop(0)
            self._dycl_items.append(item)

    def appendleft(self, item: Any) -> None:
        """Add an item at the left end; a full deque drops one at the right."""
        if self.maxlen is None:
            self._dycl_items.insert(0, item)
        elif self.maxlen > 0:
            if len(self._dycl_items) == self.maxlen:
                self._dycl_items.pop()
            self._dycl_items.insert(0, item)

    def extend(self, iterable: Iterable[Any]) -> None:
        """Add items at the right end."""
        for item in list(iterable):
            self.append(item)

    def extendleft(self, iterable: Iterable[Any]) -> None:
        """Add items at the left end, one after the other."""
        for item in list(iterable):
            self.appendleft(item)

    def pop(self) -> Any:
        """Take the last item. IndexError: there is none."""
        return self._dycl_items.pop()

    def popleft(self) -> Any:
        """Take the first item. IndexError: there is none."""
        return self._dycl_items.pop(0)

    def insert(self, index: int, item: Any) -> None:
        """Put an item in front of another. IndexError: the deque is full."""
        if self.maxlen is not None and len(self._dycl_items) >= self.maxlen:
            raise IndexError(_FULL)
        self._dycl_items.insert(index, item)

    def clear(self) -> None:
        """Take all items."""
        self._dycl_items.clear()

    def copy(self) -> "Deque":
        """Another deque of the same items."""
        return Deque(self._dycl_items, self.maxlen)

    def reverse(self) -> None:
        """Turn the order around."""
        self._dycl_items.reverse()

    def rotate(self, n: int = 1) -> None:
        """Move the last `n` items to the front; of `-n`, the first ones to the end."""
        if n > 0:
            for _ in range(n % max(len(self._dycl_items), 1)):
                self._dycl_items.insert(0, self._dycl_items.pop())
        else:
            for _ in range(-n % max(len(self._dycl_items), 1)):
                self._dycl_items.append(self._dycl_items.pop(0))

    def __len__(self) -> int:
        return len(self._dycl_items)

    def __bool__(self) -> bool:
        return len(self._dycl_items) > 0

    def __iter__(self) -> Any:
        return self._dycl_items  # an iterator's loops are those of what it goes over

    def __contains__(self, item: Any) -> bool:
        return item in self._dycl_items

    def __getitem__(self, index: Any) -> Any:
        """IndexError: it is out of range."""
        if isinstance(index, slice):
            raise TypeError(_NO_SLICE)
        return self._dycl_items[index]

    def __setitem__(self, index: int, item: Any) -> None:
        """IndexError: it is out of range."""
        self._dycl_items[index] = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _deque) and self._dycl_items == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __iadd__(self, iterable: Iterable[Any]) -> Self:
        self.extend(iterable)
        return self


def deque(iterable: Iterable[Any] = (), maxlen: int | None = None) -> Any:
    """`collections.deque`."""
    return Deque(iterable, maxlen)
