"""Weights in the form that kernels want them: computed once, for all threads.

A kernel may have a `prepared`: what it computes of its weights alone (another layout,
folded scales) is in a kernel of its own, which runs when the kernel is first bound to
these weights; its results stand for the weights at every launch. Kernels that make
the same of the same weights share it: each buffer has a recipe, which says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from dycl.runtime.buffers import Buffer, Weight, allocate
from dycl.runtime.dtypes import dtype_name
from dycl.runtime.kernels import Argument
from dycl.runtime.locks import Lock
from dycl.runtime.weight_set import Made, WeightSet, made_name
from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from types import EllipsisType

Inputs = Sequence[Union[Argument, "EllipsisType"]]
Key = tuple[Union[str, int], ...]
"""Weights, by their names; other buffers by their addresses."""


class Preparations:
    """What has been prepared, by kernel and weights; threads may share it."""

    def __init__(self, given: WeightSet | None = None):
        """`given`: the weights, and what has been made of them before."""
        self._lock = Lock()
        self._given = WeightSet({}) if given is None else given
        self._made: dict[tuple[str, Key], tuple[Buffer, ...]] = {}
        self._shared: dict[tuple[str, Key], Buffer] = {}
        """By recipe, and the weights that it was followed with."""
        self._kept: list[Buffer] = []

    def __len__(self) -> int:
        """For how many kernels and sets of weights all has been prepared."""
        return len(self._made)

    @property
    def nbytes(self) -> int:
        """The size of all that has been prepared, in bytes."""
        buffers = {id(b): b for group in self._made.values() for b in group}
        return sum(buffer.array.nbytes for buffer in buffers.values())

    def inputs(self, name: str, kernel: Any, inputs: Inputs) -> Inputs:
        """What kernel `name` gets in place of `inputs`, in order.

        TypeError: a weight is not known yet, but given at each call.
        """
        prepared: Any = getattr(kernel, "prepared", None)
        if prepared is None:
            return inputs
        weights = [inputs[index] for index in prepared.weights]
        buffers = [weight for weight in weights if isinstance(weight, Buffer)]
        if len(buffers) != len(weights):
            raise TypeError(f"a weight of kernel {name!r} is given at each call")
        left = [inputs[index] for index in kernel.inputs_left]
        return [*left, *self._prepare(name, prepared, buffers)]

    def _prepare(
        self, name: str, prepared: Any, weights: Sequence[Buffer]
    ) -> tuple[Buffer, ...]:
        key = (name, _key(weights))
        with self._lock.lock:
            if key not in self._made:
                self._made[key] = self._follow(prepared, weights)
                self._kept += weights  # an address is a key while its memory lives
            return self._made[key]

    def _follow(self, prepared: Any, weights: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """What is made of these weights, the parts that are there already included."""
        keys = [
            (digest, _key([weights[index] for index in used]))
            for digest, used in prepared.recipes
        ]
        known = [
            self._shared.get(key) or self._stored(*key, spec)
            for key, spec in zip(keys, prepared.outputs)  # no recipes: none is known
        ]
        if None not in known and known:
            buffers = [buffer for buffer in known if buffer is not None]
            self._shared.update(zip_equal(keys, buffers))
            return tuple(buffers)
        for key, buffer in zip_equal(keys, known):
            if buffer is None:
                self._given.check(part for part in key[1] if isinstance(part, str))
        # A kernel may be reading what is known: all is made anew, and some dropped.
        result = [allocate(s.dtype, s.shape) for s in prepared.outputs]
        run: Callable[[], None] = prepared.kernel.bind(
            *(buffer.address for buffer in (*weights, *result))
        )
        run()
        if not keys:
            return tuple(result)
        return tuple(
            self._shared.setdefault(key, before or buffer)
            for key, before, buffer in zip_equal(keys, known, result)
        )

    def _stored(self, digest: str, key: Key, spec: Any) -> Buffer | None:
        """What was made before of these weights by this recipe.

        ValueError: it is not what a kernel takes.
        """
        paths = [part for part in key if isinstance(part, str)]
        name = made_name(digest, paths)
        stored = self._given.made.get(name)
        if stored is None or len(paths) != len(key):
            return None
        stored.check(name, spec.dtype, spec.shape)
        return Buffer(stored.data)

    def all(self) -> dict[str, Made]:
        """Whatever is made of weights alone, by its name."""
        result: dict[str, Made] = {}
        for (digest, key), buffer in self._shared.items():
            paths = tuple(part for part in key if isinstance(part, str))
            if len(paths) == len(key):
                name, array = made_name(digest, paths), buffer.array
                data = array.reshape(-1).view(np.uint8)
                entry = Made(paths, dtype_name(array), array.shape, data)
                result[name] = self._given.made.get(name, entry)
        return result


def _key(buffers: Sequence[Buffer]) -> Key:
    return tuple(b.path if isinstance(b, Weight) else b.address for b in buffers)
