"""How far results are from those that are expected, leaf by leaf."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from dycl.ir.records import Record
from dycl.runtime.dtypes import tensor_of_array

TOLERANCES = {
    "float64": 1e-9,
    "float32": 1e-4,
    "float16": 2e-2,
    "bfloat16": 5e-2,
}
"""By dtype, the largest error that is none, relative to the tensor's largest value."""


@dataclass(frozen=True)
class Error:
    """The largest error of a tensor, at one element."""

    absolute: float
    relative: float
    """To the largest value that is expected in the tensor."""
    ulp: float
    """In units of the last place of the value that is expected there."""
    here: float = 0.0
    expected: float = 0.0
    place: tuple[int, ...] = ()
    """The index of the element."""
    dtype: str = "float32"

    def within(self, tolerance: float | None = None) -> bool:
        """Whether it is small enough: within `tolerance`, or that of its dtype."""
        limit = TOLERANCES.get(self.dtype, 0.0) if tolerance is None else tolerance
        return self.relative <= limit

    def __str__(self) -> str:
        """`3.1e-07 (2.0e-07 of the largest value, 4 ulp)`."""
        if self.absolute == 0:
            return "none"
        if self.dtype not in TOLERANCES:
            return f"{self.here:g}, not {self.expected:g}"
        return (
            f"{self.absolute:.2g} ({self.relative:.2g} of the largest value, "
            f"{self.ulp:.3g} ulp)"
        )


@dataclass(frozen=True)
class Leaf:
    """One value inside a result, against the expected one."""

    name: str
    """The expression that reads it: `output[0]`."""
    error: Error | None
    """None: it cannot be said in numbers."""
    wrong: str = ""
    """What differs besides numbers: a type, a shape, a key; "": nothing."""
    is_rounding: bool = False
    """Whether eager is as far from the result in float64, so that the error is none."""

    def within(self, tolerance: float | None = None) -> bool:
        """Whether the value is the expected one."""
        if self.wrong:
            return False
        if self.error is None or self.is_rounding:
            return True
        return self.error.within(tolerance)


def numbers_in(value: Any) -> Iterator[Any]:
    """The tensors and numbers in a result, in order, whatever is around them."""
    if isinstance(value, (bool, int, float, np.generic)) or hasattr(value, "dtype"):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[Any, Any]", value).values():
            yield from numbers_in(item)
    elif isinstance(value, (tuple, list)):
        for item in cast("list[Any]", value):
            yield from numbers_in(item)
    elif isinstance(value, Record):
        yield from numbers_in(value.items)
    elif hasattr(value, "__dict__") and not callable(value):
        yield from numbers_in(vars(value))


def compare(actual: Any, expected: Any, name: str = "output") -> tuple[Leaf, ...]:
    """Every leaf of two results that should have one structure.

    Arrays of NumPy's and tensors of torch's are the same here.
    """
    return tuple(_leaves(actual, expected, name))


def worst(leaves: tuple[Leaf, ...]) -> Error | None:
    """The largest error, relative to its tensor. None: there are no numbers."""
    found = [leaf.error for leaf in leaves if leaf.error is not None]
    return max(found, key=lambda error: error.relative, default=None)


def largest_relative(actual: Any, expected: Any) -> float:
    """The largest relative error of two results; infinite where they differ in more."""
    leaves = compare(actual, expected)
    if any(leaf.wrong for leaf in leaves):
        return math.inf
    error = worst(leaves)
    return 0.0 if error is None else error.relative


def measure(actual: Any, expected: Any) -> Error:
    """The error of a tensor of torch's with this shape and dtype.

    NaN is NaN; an infinity is near to itself alone. Of what is no float each
    difference is infinitely large, relatively.
    """
    import torch

    dtype = str(expected.dtype).removeprefix("torch.")
    if expected.numel() == 0 or torch.equal(actual, expected):
        return Error(0.0, 0.0, 0.0, dtype=dtype)
    here, there = actual.detach().double(), expected.detach().double()
    apart = (here - there).abs()
    apart[(here == there) | (here.isnan() & there.isnan())] = 0.0
    apart = apart.nan_to_num(nan=math.inf, posinf=math.inf)
    place = int(apart.argmax())
    absolute, value = float(apart.reshape(-1)[place]), float(there.reshape(-1)[place])
    if absolute == 0:
        return Error(0.0, 0.0, 0.0, dtype=dtype)
    index = tuple(int(i) for i in np.unravel_index(place, tuple(expected.shape)))
    found = float(here.reshape(-1)[place])
    if not expected.is_floating_point():
        return Error(absolute, math.inf, math.inf, found, value, index, dtype)
    finite = there.abs()[there.isfinite()]
    scale = max(float(finite.max()) if finite.numel() else 0.0, 1e-6)
    ulp = absolute / _spacing(value, torch.finfo(expected.dtype))
    return Error(absolute, absolute / scale, ulp, found, value, index, dtype)


def spacing(value: float, dtype: str) -> float:
    """The distance of a number to the next one of this dtype; 0 if it is no float."""
    import torch

    if dtype not in TOLERANCES:
        return 0.0
    return _spacing(value, torch.finfo(getattr(torch, dtype)))


def _spacing(value: float, info: Any) -> float:
    if not math.isfinite(value):
        return float(info.max)
    exponent = math.frexp(max(abs(value), float(info.tiny)))[1]
    return math.ldexp(float(info.eps), exponent - 1)


def _leaves(actual: Any, expected: Any, name: str) -> Iterator[Leaf]:
    actual, expected = _plain(actual), _plain(expected)
    if hasattr(expected, "numel") or hasattr(actual, "numel"):
        yield _tensors(actual, expected, name)
    elif type(actual) is not type(expected):
        kinds = type(actual).__name__, type(expected).__name__
        yield Leaf(name, None, f"a {kinds[0]}, not a {kinds[1]}")
    elif isinstance(expected, Mapping):
        yield from _entries(
            cast("Mapping[Any, Any]", actual), cast("Mapping[Any, Any]", expected), name
        )
    elif isinstance(expected, (tuple, list)):
        yield from _items(cast("list[Any]", actual), cast("list[Any]", expected), name)
    elif is_dataclass(expected) and not isinstance(expected, type):
        for field in fields(expected):
            inner = [getattr(value, field.name) for value in (actual, expected)]
            yield from _leaves(inner[0], inner[1], f"{name}.{field.name}")
    elif isinstance(expected, float):
        yield _numbers(actual, expected, name)
    elif hasattr(expected, "__dict__") and not callable(expected):
        yield from _entries(vars(actual), vars(expected), name)
    else:
        differs = "" if actual == expected else f"{actual!r}, not {expected!r}"
        yield Leaf(name, None, differs)


def _plain(value: Any) -> Any:
    """Arrays as tensors, numbers of NumPy's as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return tensor_of_array(np.array(cast("Any", value)))
    return value


def _items(actual: Any, expected: Any, name: str) -> Iterator[Leaf]:
    if len(actual) != len(expected):
        yield Leaf(name, None, f"{len(actual)} items, not {len(expected)}")
        return
    names = getattr(expected, "_fields", None)
    for number, pair in enumerate(zip(actual, expected, strict=True)):
        part = f"[{number}]" if names is None else f".{names[number]}"
        yield from _leaves(*pair, f"{name}{part}")


def _entries(
    actual: Mapping[Any, Any], expected: Mapping[Any, Any], name: str
) -> Iterator[Leaf]:
    if list(actual) != list(expected):
        yield Leaf(name, None, f"keys {list(actual)}, not {list(expected)}")
        return
    for key in expected:
        yield from _leaves(actual[key], expected[key], f"{name}[{key!r}]")


def _numbers(actual: float, expected: float, name: str) -> Leaf:
    import torch

    pair = [torch.tensor(v, dtype=torch.float64) for v in (actual, expected)]
    # Python's floats are made of what kernels compute in float32, mostly.
    error = measure(pair[0], pair[1])
    return Leaf(name, replace(error, dtype="float32"))


def _tensors(actual: Any, expected: Any, name: str) -> Leaf:
    kinds = [_kind(value) for value in (actual, expected)]
    if kinds[0] != kinds[1]:
        return Leaf(name, None, f"{kinds[0]}, not {kinds[1]}")
    return Leaf(name, measure(actual, expected))


def _kind(value: Any) -> str:
    if not hasattr(value, "numel"):
        return f"a {type(value).__name__}"
    dtype = str(value.dtype).removeprefix("torch.")
    return f"{dtype}{list(value.shape)}"
