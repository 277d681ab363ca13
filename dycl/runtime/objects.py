"""Where CPython and NumPy keep what an object holds, for `dycl_method` in objects.h.

To look at an array's dtype, shape, flags and address from Python takes half a
microsecond for each, in native code some nanoseconds. Both have kept these places for
many versions; but they are promised by NumPy only, so they are tried out here first,
and where they are others, or cannot be told, calls go the slower way.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import InputSpec
from dycl.runtime.lent import element_of

_WORD = ctypes.sizeof(ctypes.c_void_p)
_HEAD = 16
"""Bytes that each object begins with, where Python has its usual form."""
_OF_NOTHING, _OF_ONE_OBJECT = 4, 8
"""Python's METH_NOARGS and METH_O."""
NUMBERS = {"float": -1, "int": -2, "bool": -3, "node": -2}
"""A number of Python's as the `rank` of what is wanted; a node is its address."""
_ANY = -1
"""A size that each call decides."""
_TAGGED = sys.version_info >= (3, 12)
"""Whether an int says in a tag how many digits it has, and its sign."""


class Wanted(ctypes.Structure):
    """`struct dycl_wanted`."""

    _fields_ = (
        ("dtype", ctypes.c_void_p),
        ("element", ctypes.c_int64),
        ("rank", ctypes.c_int64),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
    )


class _Objects(ctypes.Structure):
    """`struct dycl_objects`."""

    _fields_ = (
        ("head", ctypes.c_int64),
        ("items", ctypes.c_int64),
        ("array_class", ctypes.c_void_p),
        ("float_class", ctypes.c_void_p),
        ("int_class", ctypes.c_void_p),
        ("true_object", ctypes.c_void_p),
        ("false_object", ctypes.c_void_p),
        ("tagged", ctypes.c_int64),
        ("inputs", ctypes.POINTER(Wanted)),
        ("sites", ctypes.c_int64),
        ("torch", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("acquire", ctypes.c_void_p),
        ("whole", ctypes.c_void_p),
    )


class _Method(ctypes.Structure):
    """`PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Array(ctypes.Structure):
    """`struct dycl_array`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("base", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


class Objects:
    """What native code is told of a network's inputs, and what has to outlive that."""

    def __init__(self, objects: _Objects, kept: object):
        self._objects = objects
        self._kept = kept
        self._torch: object = None
        self.address = ctypes.addressof(objects)

    def know(self, torch: ctypes.Structure) -> bool:
        """Take torch's tensors, too; whether that is new."""
        is_new = self._torch is None
        self._torch = torch
        self._objects.torch = ctypes.addressof(torch)
        return is_new


def objects_of(specs: Sequence[InputSpec], sites: int) -> Objects | None:
    """What to look for in a call of a network that returns at `sites` places.

    None: it cannot be found in this Python.
    """
    if not _is_as_expected():
        return None
    kept: list[Any] = []
    wanted = (Wanted * (len(specs) + 1))()
    for spec, output in zip(specs, wanted):
        if spec.shape is None:
            output.rank = NUMBERS[spec.dtype]
        else:
            kept.append(want_tensor(output, spec.dtype, spec.shape))
    objects = _Objects(
        object.__basicsize__,
        tuple.__basicsize__,
        id(np.ndarray),
        id(float),
        id(int),
        id(True),
        id(False),
        _TAGGED,
        wanted,
        sites,
        None,
        *(
            ctypes.cast(function, ctypes.c_void_p)
            for function in (
                ctypes.pythonapi.PyEval_SaveThread,
                ctypes.pythonapi.PyEval_RestoreThread,
                ctypes.pythonapi.PyLong_FromLongLong,
            )
        ),
    )
    return Objects(objects, (wanted, kept))


def want_tensor(
    output: Wanted, dtype_name: str, shape: Sequence[int | str]
) -> np.dtype[Any]:
    """Say that a tensor is wanted; what has to outlive that."""
    dtype = numpy_dtype(dtype_name)
    output.dtype, output.rank = id(dtype), len(shape)
    output.element = element_of(dtype)
    sizes = [size if isinstance(size, int) else _ANY for size in shape]
    output.sizes = (ctypes.c_int64 * (len(sizes) + 1))(*sizes)
    return dtype


def method_of(
    function: int, address: int, *, takes_one: bool = True
) -> tuple[Callable[..., Any], object]:
    """A C function, by its address, as one of Python's; and what has to outlive it.

    It is given a capsule with `address`, and the one object that it takes, if it does.
    It is called as Python calls its own, which takes a tenth of what ctypes takes.
    """
    flags = _OF_ONE_OBJECT if takes_one else _OF_NOTHING
    method = _Method(b"run", function, flags, None)
    capsule = _NEW_CAPSULE(address, None, None)
    return _NEW_FUNCTION(ctypes.addressof(method), capsule, None), method


_NEW_CAPSULE: Any = ctypes.PYFUNCTYPE(ctypes.py_object, *[ctypes.c_void_p] * 3)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_NEW_FUNCTION: Any = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
)(("PyCFunction_NewEx", ctypes.pythonapi))


@lru_cache(maxsize=1)
def _is_as_expected() -> bool:
    """Whether objects look in this process as objects.h has them."""
    if sys.implementation.name != "cpython" or _WORD != 8:
        return False
    if object.__basicsize__ != _HEAD:
        return False
    whole = np.arange(24.0, dtype=np.float32)
    arrays = [
        whole,
        whole.reshape(2, 3, 4),
        whole.reshape(4, 6)[1:],
        whole.reshape(4, 6)[:, 1:],
        whole.reshape(4, 6).T,
        np.zeros((), np.int64),
        np.zeros((0, 3), np.bool_),
        np.frombuffer(bytes(9), np.uint8)[1:].view(np.float64),
    ]
    numbers = (1.5, -0.0)
    ints = [sign * (1 << bits) for bits in (0, 8, 29, 30, 59) for sign in (1, -1)]
    return (
        all(map(_is_array, arrays))
        and all(_is_tuple(tuple(arrays[:n])) for n in range(4))
        and all(_is_float(x) for x in numbers)
        and all(_is_int(x) for x in (0, *ints, *(i - 1 for i in ints)))
    )


def _is_array(array: Any) -> bool:
    header = _Array.from_address(id(array) + object.__basicsize__)
    return (
        _class_of(array) == id(np.ndarray)
        and header.data == array.__array_interface__["data"][0]
        and header.rank == array.ndim
        and tuple(header.sizes[: array.ndim]) == array.shape
        and header.dtype == id(array.dtype)
        and header.flags == array.flags.num
    )


def _is_tuple(value: tuple[Any, ...]) -> bool:
    count = ctypes.c_int64.from_address(id(value) + object.__basicsize__).value
    if count != len(value):
        return False
    items = (ctypes.c_void_p * count).from_address(id(value) + tuple.__basicsize__)
    return list(items) == [id(item) for item in value]


def _is_float(value: float) -> bool:
    number = ctypes.c_double.from_address(id(value) + object.__basicsize__).value
    return _class_of(value) == id(float) and repr(number) == repr(value)


def _is_int(value: int) -> bool:
    """Whether `dycl_int_of` finds a value of at most two digits."""
    start = id(value) + object.__basicsize__
    word = ctypes.c_int64.from_address(start).value
    low, high = (ctypes.c_uint32 * 2).from_address(start + _WORD)
    count = word >> 3 if _TAGGED else abs(word)
    is_negative = word & 3 == 2 if _TAGGED else word < 0
    size = (low if count else 0) | (high << 30 if count == 2 else 0)
    return (
        _class_of(value) == id(int)
        and count <= 2
        and (-size if is_negative else size) == value
    )


def _class_of(value: object) -> int | None:
    start = id(value) + object.__basicsize__ - _WORD
    return ctypes.c_void_p.from_address(start).value
