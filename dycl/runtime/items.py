"""Lists whose length a run decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Union, cast

import numpy as np

from dycl.runtime.buffers import Array, Buffer, adopt
from dycl.runtime.dtypes import array_of_numbers

Item = Union[int, float, bool, Buffer, "Items"]


class Items:
    """A list that is never changed: `append` gives a new one, in constant time.

    Lists made from one another share their items, as far as they are equal. What is
    appended to the longest of them is added to the shared items; to any other, to a
    copy. Buffers are copied when they come in.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[Item] = ()):
        self._items: list[Item] = [_own(item) for item in items]
        self._length = len(self._items)

    def __len__(self) -> int:
        """How many items there are."""
        return self._length

    def __iter__(self) -> Iterator[Item]:
        """The items in order."""
        return iter(self._items[: self._length])

    def __getitem__(self, index: int) -> Item:
        """An item, counted from the end if `index` is below 0. IndexError: none."""
        if not -self._length <= index < self._length:
            raise IndexError("list index out of range")
        return self._items[index % self._length]

    def append(self, item: Item) -> Items:
        """The list with one more item."""
        return self._longer([_own(item)])

    def extend(self, other: Items) -> Items:
        """The list with all items of another at its end."""
        return self._longer(list(other))

    def take(self, start: int, stop: int) -> Items:
        """The items of `s[start:stop]`."""
        taken = Items()
        taken._items = self._items[: self._length][start:stop]
        taken._length = len(taken._items)
        return taken

    def _longer(self, more: list[Item]) -> Items:
        longer = Items()
        shared = self._items
        if len(shared) != self._length:
            shared = shared[: self._length]
        shared += more
        longer._items, longer._length = shared, len(shared)
        return longer

    def stack(self, dim: int) -> Buffer:
        """The tensors as one, along a new dimension.

        RuntimeError: there are none, or they do not fit.
        """
        if not self._length:
            raise RuntimeError("stack expects a non-empty TensorList")
        try:
            return adopt(np.stack(self._arrays(), dim))
        except ValueError as error:
            raise RuntimeError("stack expects each tensor to be equal size") from error

    def cat(self, dim: int) -> Buffer:
        """The tensors as one, along `dim`.

        ValueError: there are none. RuntimeError: they do not fit.
        """
        if not self._length:
            raise ValueError("torch.cat(): expected a non-empty list of Tensors")
        arrays = self._arrays()
        try:
            return adopt(np.concatenate(arrays, dim))
        except ValueError as error:
            place = dim % arrays[0].ndim
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {place}."
            ) from error

    def tensor(self, dtype: str) -> Buffer:
        """The numbers as a tensor.

        RuntimeError: there are none, and torch would make it a tensor of floats; or
        one does not fit in a `dtype` of ints.
        """
        if not self._length and dtype != "float32":
            raise RuntimeError(
                f"torch.tensor([]) is of floats; the network was compiled for {dtype}"
            )
        numbers = np.array(self._items[: self._length])
        if "int" in dtype and not _fit(numbers, np.iinfo(dtype)):
            raise RuntimeError(
                f"value cannot be converted to type {dtype} without overflow"
            )
        return adopt(array_of_numbers(numbers, dtype))

    def index(self) -> Buffer:
        """The ints as an index, of which there may be none."""
        return adopt(np.array(self._items[: self._length], np.int64))

    def _arrays(self) -> list[Array]:
        return [cast(Buffer, item).array for item in self]


def _fit(numbers: Array, kind: np.iinfo[Any]) -> bool:
    """Whether numbers fit; unsigned types may have what is below 0, as in torch."""
    least = kind.min or -kind.max
    whole = np.trunc(numbers)
    return bool(np.all((whole >= least) & (whole <= kind.max)))


def _own(item: Item) -> Item:
    return Buffer(item.array.copy()) if isinstance(item, Buffer) else item


def of_numbers(values: Any) -> Items:
    """Nested lists of numbers, as `tolist` gives them."""
    if not isinstance(values, list):
        return values
    return Items(map(of_numbers, cast(list[Any], values)))


def plain(items: Items) -> list[Any]:
    """A Python list of copies that belong to the caller; lists in it are lists too."""
    return [
        plain(item)
        if isinstance(item, Items)
        else (item.array.copy() if isinstance(item, Buffer) else item)
        for item in items
    ]
