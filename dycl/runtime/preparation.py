"""Weights in the form that kernels want them: computed once, for all threads.

A kernel may have a `prepared`: what it computes of its weights alone (another layout,
folded scales) is in a kernel of its own, which runs when the kernel is first bound to
these weights; its results stand for the weights at every launch.
"""

import threading
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any

from dycl.runtime.buffers import Buffer, allocate
from dycl.runtime.kernels import Argument

Inputs = Sequence[Argument | EllipsisType]


class Preparations:
    """What has been prepared, by kernel and weights; threads may share it."""

    def __init__(self) -> None:
        """Nothing is prepared yet."""
        self._lock = threading.Lock()
        self._made: dict[tuple[str, tuple[int, ...]], tuple[Buffer, ...]] = {}
        self._kept: list[Buffer] = []

    def __len__(self) -> int:
        """How many times a preparation has run."""
        return len(self._made)

    @property
    def nbytes(self) -> int:
        """The size of all that has been prepared, in bytes."""
        return sum(b.array.nbytes for made in self._made.values() for b in made)

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
        key = (name, tuple(weight.address for weight in weights))
        with self._lock:
            if key not in self._made:
                made = tuple(allocate(s.dtype, s.shape) for s in prepared.outputs)
                run: Callable[[], None] = prepared.kernel.bind(
                    *(buffer.address for buffer in (*weights, *made))
                )
                run()
                self._made[key] = made
                self._kept += weights  # an address is a key while its memory lives
            return self._made[key]
