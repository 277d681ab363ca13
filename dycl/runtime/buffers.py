"""Memory that kernels read and write: a NumPy array with its address at hand."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dycl.runtime.dtypes import numpy_dtype

ALIGNMENT = 64
"""Bytes; a cache line, and the widest vector register."""

Array = NDArray[Any]

_word_at: Any = ctypes.c_void_p.from_address


def _address_said(array: Array) -> int:
    return array.__array_interface__["data"][0]


def _address_read(array: Array) -> int:
    """The first word of what an array is to C, behind what any object is."""
    return _word_at(id(array) + object.__basicsize__).value or 0


def _address_function() -> Callable[[Array], int]:
    """How to find an address here: to read it is ten times as fast as to ask."""
    if sys.implementation.name != "cpython":
        return _address_said
    array = np.arange(6.0)
    probes = (array, array[2:], array.reshape(2, 3)[1:, 1:], array.view(np.int8))
    agree = all(_address_read(a) == _address_said(a) for a in probes)
    return _address_read if agree else _address_said


address_of = _address_function()
"""The address of an array's first element."""


class Buffer:
    """A contiguous array in native byte order, and the address of its first element.

    Asking NumPy for the address at each launch would cost more than the launch.
    """

    __slots__ = ("address", "array")

    def __init__(self, array: Array):
        self.array = array
        self.address = address_of(array)

    def read(self) -> Any:
        """The only element as a Python number. ValueError: there are several."""
        return self.array.item()

    def dim(self, dimension: int) -> int:
        """The size of a dimension."""
        return self.array.shape[dimension]

    def fill(self, source: Buffer) -> None:
        """Copy the elements of another buffer of this dtype and shape."""
        np.copyto(self.array, source.array)

    def view(self, shape: tuple[int, ...]) -> Buffer:
        """The same memory in another shape. ValueError: the sizes do not fit."""
        return Buffer(self.array.reshape(shape))

    def __repr__(self) -> str:
        """The array, for debuggers."""
        return f"Buffer({self.array!r})"


class Weight(Buffer):
    """A weight of the network, known by its name."""

    __slots__ = ("path",)

    def __init__(self, path: str, array: Array):
        super().__init__(array)
        self.path = path


class OpenBuffer(Buffer):
    """What a kernel gives whose sizes only it knows: it makes the memory.

    `slots` is where the kernel puts the address of that memory, then the sizes.
    """

    __slots__ = ("slots",)

    def __init__(self, dtype: str, rank: int):
        super().__init__(np.empty((0,) * rank, numpy_dtype(dtype)))
        self.slots = np.zeros(1 + rank, np.int64)

    def take(self) -> None:
        """Take over what the kernel has made, and free its memory."""
        address, *shape = map(int, self.slots)
        size = math.prod(shape) * self.array.itemsize
        copied = np.frombuffer(ctypes.string_at(address, size), self.array.dtype)
        copied = copied.reshape(shape)
        _libc.free(ctypes.c_void_p(address))
        self.set(copied)

    def set(self, array: Array) -> None:
        """Hold this array from now on."""
        own = np.require(array, array.dtype, ["C_CONTIGUOUS", "ALIGNED"])
        self.array = own
        self.address = address_of(own)


_libc = ctypes.CDLL(None)


class Keeper:
    """Keeps copies of one tensor after the other: each until the second next one."""

    __slots__ = ("_is_open", "_last", "_next")

    def __init__(
        self,
        dtype: str,
        shape: tuple[int, ...],
        make: Callable[[str, tuple[int, ...]], Buffer],
    ):
        """`make` makes a buffer of a dtype and shape."""
        self._is_open = -1 in shape
        if not self._is_open:
            self._last, self._next = make(dtype, shape), make(dtype, shape)

    def __call__(self, source: Buffer) -> Buffer:
        """A copy of `source`, which may be the last one."""
        if self._is_open:
            return Buffer(source.array.copy())
        self._last, self._next = self._next, self._last
        self._last.fill(source)
        return self._last


def allocate(dtype: str, shape: tuple[int, ...]) -> Buffer:
    """An uninitialised buffer at a 64-byte boundary."""
    element = numpy_dtype(dtype)
    size = math.prod(shape) * element.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -address_of(memory) % ALIGNMENT
    return Buffer(memory[start : start + size].view(element).reshape(shape))


def adopt(array: Array) -> Buffer:
    """A buffer of `array`'s values: the same memory where a kernel can read it."""
    native = array.dtype.newbyteorder("=")
    return Buffer(np.require(array, native, ["C_CONTIGUOUS", "ALIGNED"]))
