"""Tensors on a GPU that are handed over without a copy: DLPack, in and out.

A network for a GPU takes anything with `__dlpack__` and `__dlpack_device__`: tensors of
torch, CuPy, JAX. What it returns then is on the GPU as well, as `DeviceArray`.
"""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dycl.runtime.buffers import Array, Buffer
from dycl.runtime.dtypes import BITS

if TYPE_CHECKING:
    from dycl.runtime.inputs import InputSpec

CUDA = 2
"""DLDeviceType."""
NAMES = {
    2: "a GPU",
    8: "a GPU of Apple's",
    10: "a GPU of AMD's",
    14: "a GPU of Intel's",
}
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
"""The first letter of a dtype's kind in NumPy -> DLPack's code."""
_BFLOAT = 4
"""That of bfloat16."""
_CAPSULE = b"dltensor"


class DLTensor(ctypes.Structure):
    """DLTensor of `dlpack.h`, and `struct dycl_dlpack`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32),
        ("device_number", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("element", ctypes.c_uint32),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (
        ("tensor", DLTensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class Unfit(ValueError):
    """A tensor that is handed over is not what is wanted; the text says how."""


class Lent(Buffer):
    """An argument on a GPU, which whoever runs the network looks at."""

    __slots__ = ("spec", "value")

    def __init__(self, spec: InputSpec, value: Any):
        # Neither address nor array is set: both are unknown until it is asked.
        self.spec, self.value = spec, value


def device_of(value: object) -> tuple[int, int] | None:
    """Kind and number of the device that a tensor says it is on; None: it is silent, or
    on one that DLPack does not know."""
    ask: Any = getattr(value, "__dlpack_device__", None)
    if ask is None:
        return None
    try:
        kind, number = ask()
    except (BufferError, RuntimeError, TypeError, ValueError):
        return None
    return int(kind), int(number)


class Opened:
    """The memory of a tensor that is handed over; it is lent as long as this lives."""

    def __init__(
        self, value: Any, stream: int, dtype: np.dtype[Any], shape: tuple[int, ...]
    ):
        """Ask for it, ready for what is queued in a stream. Unfit: it is not
        contiguous, or of another dtype or shape."""
        plain = value.detach() if getattr(value, "requires_grad", False) else value
        try:
            self._capsule = plain.__dlpack__(stream=stream)
        except (BufferError, RuntimeError, TypeError) as error:
            raise Unfit(f"cannot be handed over: {error}") from error
        address = _pointer_of(ctypes.py_object(self._capsule), _CAPSULE)
        tensor = _Managed.from_address(address).tensor
        found = tuple(tensor.sizes[i] for i in range(tensor.rank))
        if found != shape:
            raise Unfit(f"has shape {list(found)}")
        if tensor.element != element_of(dtype):
            raise Unfit("has another dtype")
        strides = [tensor.strides[i] for i in range(tensor.rank) if tensor.strides]
        if strides and not _is_contiguous(found, strides):
            raise Unfit("is not contiguous; use .contiguous()")
        self.address: int = (tensor.data or 0) + tensor.offset


def _is_contiguous(shape: tuple[int, ...], strides: list[int]) -> bool:
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return math.prod(shape) == 0
        step *= size
    return True


def element_of(dtype: np.dtype[Any]) -> int:
    """What DLPack calls a dtype: code, bits, lanes, as one word."""
    code = _BFLOAT if dtype == BITS else _CODES[dtype.kind]
    return code | dtype.itemsize * 8 << 8 | 1 << 16


class DeviceArray:
    """A tensor on a GPU that a call has returned: memory of its own, contiguous.

    `torch.from_dlpack(it)` takes it over without a copy, `np.asarray(it)` copies it.
    """

    def __init__(self, buffer: Any, device_number: int = 0):
        """`buffer`: a `DeviceBuffer` that nobody else writes to, and that is filled."""
        self._buffer = buffer
        self._number = device_number
        self.shape: tuple[int, ...] = buffer.shape
        self.dtype: str = "bfloat16" if buffer.dtype == BITS else buffer.dtype.name

    def __dlpack_device__(self) -> tuple[int, int]:
        """CUDA, and which GPU."""
        return CUDA, self._number

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        """The memory as a capsule; all work on it has ended, whatever the stream."""
        del stream, options
        rank = len(self.shape)
        sizes = (ctypes.c_int64 * max(rank, 1))(*self.shape)
        tensor = DLTensor(
            *(self._buffer.address, CUDA, self._number, rank),
            *(element_of(self._buffer.dtype), sizes, None, 0),
        )
        managed = _Managed(tensor, None, ctypes.cast(_release, ctypes.c_void_p))
        address = ctypes.addressof(managed)
        _handed_over[address] = managed, sizes, self._buffer
        return _new_capsule(address, _CAPSULE, ctypes.cast(_forget, ctypes.c_void_p))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """A copy on the CPU; bfloat16 as its bits. ValueError: it must not be one."""
        if copy is False:
            raise ValueError("what is on a GPU is copied to be an array")
        array: Array = self._buffer.array
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        """What it is; its elements would have to be copied."""
        return f"DeviceArray({self.dtype}{list(self.shape)} on GPU {self._number})"


_handed_over: dict[int, tuple[Any, ...]] = {}
"""What others hold, by the address of its description, until they give it back."""


def _give_back(address: int | None) -> None:
    _handed_over.pop(address or 0, None)


def _drop(capsule: int | None) -> None:
    """A capsule is gone; one that nobody has taken still has its first name."""
    if _is_valid(capsule, _CAPSULE):
        _give_back(_pointer_at(capsule, _CAPSULE))


_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_give_back)
_forget = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_drop)
_api = ctypes.pythonapi
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", _api))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
