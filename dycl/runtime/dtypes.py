"""Element types as NumPy has them: bfloat16, which it lacks, as its bits in uint16.

No network has unsigned integers of 16 bits, so an array of them is always bfloat16.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

BFLOAT16 = "bfloat16"
BITS = np.dtype(np.uint16)
"""What NumPy holds bfloat16 in."""


def numpy_dtype(name: str) -> np.dtype[Any]:
    """How NumPy holds elements of a dtype: `numpy_dtype("bfloat16")` is uint16."""
    return BITS if name == BFLOAT16 else np.dtype(name)


def dtype_name(array: NDArray[Any]) -> str:
    """torch's name of what an array of a network holds."""
    dtype = array.dtype
    return BFLOAT16 if dtype.newbyteorder("=") == BITS else dtype.name


def bits_of(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory; an array of another package's bfloat16 as its bits."""
    return array.view(BITS) if array.dtype.name == BFLOAT16 else array


def widened(array: NDArray[Any]) -> NDArray[Any]:
    """bfloat16 as float32, each element the same number; other arrays as they are."""
    if array.dtype != BITS:
        return array
    return (array.astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def array_of_numbers(values: Any, dtype: str) -> NDArray[Any]:
    """Numbers as elements of a dtype, rounded to the nearest where that is needed."""
    if dtype != BFLOAT16:
        return np.asarray(values).astype(dtype)
    wide = np.asarray(values).astype(np.float32)
    words = wide.view(np.uint32).astype(np.uint64)
    rounded = (words + 0x7FFF + (words >> 16 & 1)) >> 16
    return np.where(np.isnan(wide), 0x7FC0, rounded).astype(BITS).reshape(wide.shape)


def array_of_tensor(tensor: Any) -> NDArray[Any]:
    """The memory of a tensor of torch's on the CPU, which needs no gradient.

    RuntimeError, TypeError: NumPy cannot have it.
    """
    torch: Any = sys.modules["torch"]  # there is a tensor
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.uint16).numpy()
    if tensor.dtype is torch.uint16:
        raise TypeError("uint16 is what bfloat16 is held in")
    return tensor.numpy()


def tensor_of_array(array: NDArray[Any]) -> Any:
    """A tensor of torch's in the same memory; torch is imported."""
    torch: Any = sys.modules["torch"]
    tensor = torch.from_numpy(array)
    if not array.size:  # NumPy has steps of 0 there
        tensor = tensor.new_empty(array.shape)
    return tensor.view(torch.bfloat16) if array.dtype == BITS else tensor
