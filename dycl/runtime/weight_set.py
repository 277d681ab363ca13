"""The weights that a network runs with: as the user knows them, and as kernels do.

What kernels want made of weights beforehand (another layout, folded scales) is made
when a network is saved, and mapped when it is loaded. It is known by its recipe and the
weights that it is made of: so it is made anew for those alone that change, and kernels
that want the same share it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dycl.runtime.buffers import ALIGNMENT, Array, Weight, address_of, adopt
from dycl.runtime.dtypes import dtype_name, numpy_dtype
from dycl.runtime.weights import PREPARED, WeightError


class Made(NamedTuple):
    """A tensor that is made of weights."""

    weights: tuple[str, ...]
    """What it is made of, by state-dict name."""
    dtype: str
    shape: tuple[int, ...]
    data: Array
    """Its bytes, from an address on that is a multiple of 64."""

    def check(self, name: str, dtype: str, shape: Sequence[int]) -> None:
        """ValueError: it is not what code takes, which reads so many elements."""
        size = math.prod(shape) * numpy_dtype(dtype).itemsize
        is_aligned = not size or address_of(self.data) % ALIGNMENT == 0
        if (self.dtype, self.shape) != (dtype, tuple(shape)) or not is_aligned:
            had, where = _type(self.dtype, self.shape), "" if is_aligned else ", askew"
            raise ValueError(f"{name!r} is {had}{where}; not {_type(dtype, shape)}")
        if self.data.nbytes != size:
            raise ValueError(f"{name!r} has {self.data.nbytes} bytes, not {size}")


def made_name(digest: str, weights: Sequence[str]) -> str:
    """What the tensor is called that this recipe makes of these weights."""
    return f"{PREPARED}{digest[:16]}:{','.join(weights)}"


@dataclass(frozen=True, eq=False)
class WeightSet:
    """One set of weights; it never changes."""

    params: Mapping[str, Array]
    """The weights by state-dict name."""
    made: Mapping[str, Made] = field(default_factory=dict[str, Made])
    """What is made of them already, by `made_name`."""
    left_out: Mapping[str, tuple[str, tuple[int, ...]]] = field(
        default_factory=dict[str, tuple[str, tuple[int, ...]]]
    )
    """Dtype and shape of weights whose values are not known: only what is made of them
    is, and nothing else is needed."""

    def with_new(
        self, given: Mapping[str, Array], aliases: Mapping[str, str], strict: bool
    ) -> WeightSet:
        """These weights, with copies of the `given` ones in place of some of them.

        An alias is another name of a weight that a model has under two. WeightError:
        a name, shape or dtype is another; with `strict`, also a name that is missing.
        """
        wanted = {
            **{p: (dtype_name(a), a.shape) for p, a in self.params.items()},
            **self.left_out,
        }
        wrong: list[str] = []
        new: dict[str, Array] = {}
        named: dict[str, str] = {}
        for name, array in given.items():
            path = aliases.get(name, name)
            if path not in wanted:
                wrong.append(f"the network has no `{name}`")
            elif (dtype_name(array), array.shape) != wanted[path]:
                had = _type(dtype_name(array), array.shape)
                wrong.append(f"`{name}` is {had}, not {_type(*wanted[path])}")
            elif path in new and not _equal(new[path], array):
                wrong.append(f"`{name}` and `{named[path]}` are one weight, but differ")
            else:
                new[path], named[path] = array, name
        if strict:
            meant = {aliases.get(name, name) for name in given}
            wrong += [f"`{name}` is missing" for name in wanted if name not in meant]
        if wrong:
            more = f", and {len(wrong) - 8} more" if len(wrong) > 8 else ""
            raise WeightError(f"these weights do not fit: {'; '.join(wrong[:8])}{more}")
        copies = {path: _copy(array) for path, array in new.items()}
        return WeightSet(
            {**self.params, **copies},
            {n: m for n, m in self.made.items() if not copies.keys() & set(m.weights)},
            {path: kind for path, kind in self.left_out.items() if path not in copies},
        )

    def check(self, paths: Iterable[str]) -> None:
        """WeightError: one of these, which something is to be made of, is not known."""
        for path in paths:
            if path in self.left_out:
                raise WeightError(
                    f"the values of `{path}` were left out when the network was saved; "
                    "what kernels make of the new weights is made of them as well: "
                    "give them, too"
                )


def weight_buffer(
    weights: WeightSet, path: str, dtype: str, shape: tuple[int, ...]
) -> Weight:
    """The weight `path`. KeyError: missing; ValueError: of another type."""
    array = weights.params.get(path)
    if array is None and path not in weights.left_out:
        raise KeyError(f"the weights have no entry {path!r}")
    if array is None:
        return Weight(path, np.zeros(shape, numpy_dtype(dtype)))
    if array.dtype.newbyteorder("=") != numpy_dtype(dtype) or array.shape != shape:
        raise ValueError(
            f"the weight {path!r} is {dtype_name(array)}{list(array.shape)}; the "
            f"network was compiled for {dtype}{list(shape)}"
        )
    return Weight(path, adopt(array).array)


def _copy(array: Array) -> Array:
    return np.array(array, array.dtype.newbyteorder("="), order="C")


def _equal(one: Array, other: Array) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _type(dtype: str, shape: Sequence[int]) -> str:
    return f"{dtype}{list(shape)}"
