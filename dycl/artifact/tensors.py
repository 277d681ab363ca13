"""Write weights as a safetensors file whose tensors are aligned.

What runs read comes first, then what is only there to be looked at and to be made
something else of; each of the two begins at a page of its own.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dycl.artifact.archive import ALIGNMENT, PAGE
from dycl.runtime.dtypes import dtype_name
from dycl.runtime.weight_set import Made
from dycl.runtime.weights import FILLER, SAFETENSORS_NAMES


def weights_file(
    weights: Mapping[str, Any], made: Mapping[str, Made], rest: Mapping[str, Any]
) -> bytes:
    """The file: `weights` and what is made of weights, which runs read; then the rest.

    The format leaves no room between tensors, so entries named `__filler__0` and so on
    stand there. Arrays of dtypes that no network can take are left out.
    """
    entries: dict[str, Any] = {}
    pieces: list[bytes] = []
    offset = 0

    def add(name: str, dtype: str, shape: Iterable[int], data: bytes) -> None:
        nonlocal offset
        end = offset + len(data)
        entries[name] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [offset, end],
        }
        pieces.append(data)
        offset = end

    def align(multiple: int) -> None:
        if fill := -offset % multiple:
            add(f"{FILLER}{len(entries)}", "U8", [fill], bytes(fill))

    def add_all(named: Mapping[str, Any]) -> None:
        for name, array in named.items():
            if (dtype := dtype_name(array)) in SAFETENSORS_NAMES:
                align(ALIGNMENT)
                little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
                add(name, SAFETENSORS_NAMES[dtype], array.shape, little.tobytes())

    add_all(weights)
    for name, prepared in made.items():
        align(ALIGNMENT)
        add(
            name,
            SAFETENSORS_NAMES[prepared.dtype],
            prepared.shape,
            prepared.data.tobytes(),
        )
    align(PAGE)
    add_all(rest)
    header = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-(8 + len(header)) % PAGE)
    return b"".join([len(header).to_bytes(8, "little"), header, *pieces])
