"""torch's tensors without torch's methods: by the C functions of DLPack's exchange.

To ask a tensor for its array, and to make a tensor of an array, takes torch a
microsecond each. Its class has a capsule with C functions that do the same in a tenth
and in a half of that; `tensors.h` calls them. Where there is none, or it is of another
version, or does not find what torch's methods do, tensors go the slower way.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections import OrderedDict, deque
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.dtypes import numpy_dtype, tensor_of_array
from dycl.runtime.lent import DeviceArray, DLTensor, element_of
from dycl.runtime.objects import method_of
from dycl.runtime.records import is_instance, is_record, with_each
from dycl.runtime.values import LeafReader, Reader, Values

_VERSION = 1
_NAME = b"dlpack_exchange_api"
_ALLOCATE, _FROM_OBJECT, _TO_OBJECT, _READ = range(4)


class _Exchange(ctypes.Structure):
    """`DLPackExchangeAPI`."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("functions", ctypes.c_void_p * 5),
    )


class _Torch(ctypes.Structure):
    """`struct dycl_torch`."""

    _fields_ = (
        ("tensor_class", ctypes.c_void_p),
        ("parameter_class", ctypes.c_void_p),
        ("is_negated", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
        ("wrap", ctypes.c_void_p),
        ("call", ctypes.c_void_p),
        ("forget", ctypes.c_void_p),
        ("forget_error", ctypes.c_void_p),
        ("no_memory", ctypes.c_void_p),
    )


class _Leaf(ctypes.Structure):
    """`struct dycl_leaf`."""

    _fields_ = (
        ("objects", ctypes.c_void_p),
        ("place", ctypes.c_void_p),
        ("element", ctypes.c_int64),
        ("rank", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
        ("sizes", ctypes.c_void_p),
    )


@lru_cache(maxsize=1)
def torch_functions() -> ctypes.Structure | None:
    """What `tensors.h` needs to know of torch, which is imported; None: it has not."""
    torch: Any = sys.modules["torch"]
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    address: int | None = ctypes.PYFUNCTYPE(
        ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p
    )(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, _NAME)
    if not address:
        return None
    exchange = _Exchange.from_address(address)
    read, wrap = exchange.functions[_READ], exchange.functions[_TO_OBJECT]
    if exchange.major != _VERSION or not read or not wrap or not _reads(torch, read):
        return None
    return _Torch(
        id(torch.Tensor),
        id(torch.nn.Parameter),
        id(torch.Tensor.is_neg),
        read,
        wrap,
        *(
            ctypes.cast(function, ctypes.c_void_p)
            for function in (
                ctypes.pythonapi.PyObject_CallOneArg,
                ctypes.pythonapi.Py_DecRef,
                ctypes.pythonapi.PyErr_Clear,
                ctypes.pythonapi.PyErr_NoMemory,
            )
        ),
    )


def _reads(torch: Any, function: int) -> bool:
    """Whether a tensor is found to be what its methods say."""
    read = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))(
        function
    )
    whole = torch.arange(24, dtype=torch.float32)
    probes = (
        whole.reshape(4, 6),
        whole.reshape(4, 6).t()[1:],
        whole[3].to(torch.int64),
        whole.to(torch.bfloat16),
    )
    for probe in probes:
        tensor = DLTensor()
        dtype = numpy_dtype(str(probe.dtype).removeprefix("torch."))
        if read(probe, ctypes.byref(tensor)):
            return False
        if (
            (tensor.data or 0) + tensor.offset != probe.data_ptr()
            or tensor.device != 1
            or tensor.element != element_of(dtype)
            or tensor.rank != probe.dim()
            or tuple(tensor.sizes[: tensor.rank]) != tuple(probe.shape)
            or tuple(tensor.strides[: tensor.rank]) != tuple(probe.stride())
        ):
            return False
    return True


def tensor_leaf(
    function: int, objects: int, values: Values, kept: list[object]
) -> LeafReader:
    """What reads outputs as torch's tensors; numbers and all else as they are.

    `function` is where `dycl_made_tensor` is. `kept` gets what outlives the readers.
    """

    def leaf(place: int, kind: Any) -> Reader:
        read = values.reader(place, kind)
        if isinstance(kind, str):
            return read
        if isinstance(kind, dict):
            return lambda: to_torch(read())
        dtype, shape = numpy_dtype(kind[0]), tuple(kind[1])
        is_sized = -1 in shape
        sizes = (ctypes.c_int64 * (2 * len(shape) + 1))(*shape, *_strides(shape))
        reader = _Leaf(
            objects,
            values.address_of_output(place),
            element_of(dtype),
            len(shape),
            0 if is_sized else math.prod(shape) * dtype.itemsize,
            None if is_sized else ctypes.addressof(sizes),
        )
        method, inner = method_of(function, ctypes.addressof(reader), takes_one=False)
        kept.extend((sizes, reader, inner))
        return method

    return leaf


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(max(1, n) for n in shape[i + 1 :]) for i in range(len(shape))]


def to_torch(value: Any) -> Any:
    """The same structure with a torch tensor for each array."""
    if isinstance(value, np.ndarray):  # what most networks give
        return tensor_of_array(cast(Array, value))
    if isinstance(value, DeviceArray):
        torch: Any = sys.modules["torch"]
        return torch.from_dlpack(value)
    if is_record(value):
        return with_each(value, to_torch)
    if isinstance(value, tuple):
        items = tuple(map(to_torch, cast("tuple[Any, ...]", value)))
        cls = type(cast(object, value))
        return items if cls is tuple else cast(Any, cls)(items)  # a shape
    if isinstance(value, list):
        return list(map(to_torch, cast("list[Any]", value)))
    if isinstance(value, deque):
        return deque(map(to_torch, cast("deque[Any]", value)), value.maxlen)
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value)
        new = {key: to_torch(item) for key, item in entries.items()}
        if type(entries) is dict:
            return new
        base: Any = OrderedDict if isinstance(entries, OrderedDict) else dict
        for key, item in new.items():  # what a run has made is no one else's
            base.__setitem__(entries, key, item)
        own = vars(entries) if hasattr(entries, "__dict__") else {}
        for name, item in own.items():
            object.__setattr__(entries, name, to_torch(item))
        return entries
    if is_instance(value):
        for name, item in vars(value).items():
            object.__setattr__(value, name, to_torch(item))
    return value
