"""Inputs on the command line: `f32[1,3,32,32]`, or a file `x.npy`.

spec   ::= dtype "[" [size ("," size)*] "]"
size   ::= number | name                          of a size that a call decides
dtype  ::= f64 | f32 | f16 | bf16 | i64 | i32 | i16 | i8 | u8 | bool
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dycl.runtime.dtypes import array_of_numbers
from dycl.tools.usage import UsageError

DTYPES: dict[str, str] = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u8": "uint8",
    "bool": "bool",
}
"""Short name -> the name that torch uses; NumPy holds bf16 as uint16."""

SHORT = {full: short for short, full in DTYPES.items()}
"""The name that torch and NumPy use -> the short one."""

_EXAMPLE = "write it like f32[1,3,32,32], i64[1] or x.npy"
_LARGEST_RANDOM_INT = 10
"""Random integers are below this: small enough to index most tables."""


@dataclass(frozen=True)
class InputSpec:
    """The dtype (short name) and shape of one input tensor."""

    dtype: str
    shape: tuple[int | str, ...]
    """A size, or the name of one, for each dimension."""

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


def parse_input(text: str) -> InputSpec | Path:
    """Read one `--input`. UsageError: it is neither a spec nor an existing file."""
    if text.endswith(".npy"):
        if not (path := Path(text)).is_file():
            raise UsageError(f"there is no file '{text}'")
        return path
    match = re.fullmatch(r"\s*([A-Za-z]\w*)\s*\[(.*)\]\s*", text)
    if match is None:
        raise UsageError(f"cannot read the input '{text}'; {_EXAMPLE}")
    dtype, sizes = match[1], match[2].strip()
    if dtype not in DTYPES:
        raise UsageError(f"'{text}': {_no_dtype(dtype)}")
    return InputSpec(dtype, tuple(_size(text, s) for s in sizes.split(",") if sizes))


def make_input(source: InputSpec | Path, generator: np.random.Generator) -> Any:
    """The torch tensor: read from the file, or random.

    Floats are drawn from N(0, 1), integers from 0 to 9, bools are even coins. Sizes
    have to be numbers.
    UsageError: the file holds no array, or one of a dtype that torch lacks.
    """
    import torch

    if isinstance(source, Path):
        return torch.from_numpy(_load(source))
    tensor = torch.from_numpy(_random(source, generator))
    return tensor.to(getattr(torch, DTYPES[source.dtype]))


def make_array(source: InputSpec | Path, generator: np.random.Generator) -> Any:
    """`make_input` as a NumPy array, bf16 as its bits; torch is not needed.

    UsageError: the file holds no array.
    """
    if isinstance(source, Path):
        return _load(source)
    return array_of_numbers(_random(source, generator), DTYPES[source.dtype])


def load_array(text: str) -> np.ndarray[Any, np.dtype[Any]]:
    """The array in a file. UsageError: there is none, or it holds no array."""
    if not (path := Path(text)).is_file():
        raise UsageError(f"there is no file '{text}'")
    return _load(path)


def _random(source: InputSpec, generator: np.random.Generator) -> Any:
    shape = tuple(int(size) for size in source.shape)
    if source.dtype == "bool":
        return np.asarray(generator.random(shape) < 0.5)
    if source.dtype.lstrip("u").startswith("i"):
        integers = generator.integers(0, _LARGEST_RANDOM_INT, shape)
        return integers.astype(DTYPES[source.dtype])
    return np.asarray(generator.standard_normal(shape))


def _size(text: str, size: str) -> int | str:
    if size.strip() in ("?", "*", "-1"):
        raise UsageError(
            f"'{text}': a size that is left open needs a name and a range: "
            "f32[n,3] --dim n=1..512"
        )
    if size.strip().isidentifier():
        return size.strip()
    if not size.strip().isascii() or not size.strip().isdigit():
        raise UsageError(f"'{text}': '{size.strip()}' is not a size; {_EXAMPLE}")
    return int(size)


def _no_dtype(name: str) -> str:
    long = {full: short for short, full in DTYPES.items()}
    long |= {
        "float": "f32",
        "double": "f64",
        "half": "f16",
        "int": "i32",
        "long": "i64",
    }
    close = [long[name]] if name in long else difflib.get_close_matches(name, DTYPES, 1)
    hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(DTYPES)}"
    return f"there is no dtype '{name}'; {hint}"


def _load(path: Path) -> np.ndarray[Any, np.dtype[Any]]:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise UsageError(f"'{path}' holds no plain array: {error}") from error
    if array.dtype.name not in DTYPES.values():
        raise UsageError(f"'{path}' has dtype {array.dtype}, which torch does not have")
    return np.ascontiguousarray(array)
