"""Write weights as a safetensors file whose tensors are aligned."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from dycl.artifact.archive import ALIGNMENT
from dycl.runtime.weights import FILLER, SAFETENSORS_DTYPES

_NAMES = {dtype: name for name, dtype in SAFETENSORS_DTYPES.items()}


def weights_file(weights: Mapping[str, Any]) -> bytes:
    """The file: each tensor starts at a multiple of 64 bytes in it.

    The format leaves no room between tensors, so entries named `__filler__0` and so on
    stand there. Arrays of dtypes that no network can take are left out.
    """
    entries: dict[str, Any] = {}
    pieces: list[bytes] = []
    offset = 0

    def add(name: str, dtype: str, shape: list[int], data: bytes) -> None:
        nonlocal offset
        end = offset + len(data)
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        pieces.append(data)
        offset = end

    for name, array in weights.items():
        if (dtype := array.dtype.name) in _NAMES:
            if fill := -offset % ALIGNMENT:
                add(f"{FILLER}{len(entries)}", "U8", [fill], bytes(fill))
            little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            add(name, _NAMES[dtype], list(array.shape), little.tobytes())
    header = json.dumps(entries, separators=(",", ":")).encode()
    header += b" " * (-(8 + len(header)) % ALIGNMENT)
    return b"".join([len(header).to_bytes(8, "little"), header, *pieces])
