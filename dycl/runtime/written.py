"""Inputs that a network writes to: the caller's memory gets what eager leaves there.

A run reads its inputs and changes none; it returns what each that the model may write
to is to hold. That is copied there when the call has ended, through the strides of what
was given. Where eager would do something else, or could not write, the call is refused
before it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.dtypes import bits_of, tensor_of_array
from dycl.runtime.inputs import (
    InputError,
    InputSpec,
    array_of,
    is_torch_tensor,
    kind_of,
)
from dycl.runtime.variables import Row
from dycl.runtime.zipping import zip_equal

_EFFORT = 10_000
"""Steps to find out whether two strided arrays share an element, at most."""


class WrittenInputs:
    """The inputs of one network that a call may write to."""

    def __init__(self, rows: Sequence[Row], specs: Sequence[InputSpec]):
        """`rows` are the inputs' own; `specs` are all inputs."""
        self._specs = specs
        self._rows = [(row.given[0][1][0], row.mode == "write") for row in rows]

    def __bool__(self) -> bool:
        return bool(self._rows)

    def check(self, given: Sequence[object]) -> None:
        """InputError: something that is given, and fits, cannot be written to."""
        for place, any_strides in self._rows:
            spec = self._specs[place]
            target = _memory(spec, given[place])
            if not any_strides and not target.flags.c_contiguous:
                raise _unwritable(
                    spec, "is not contiguous, so eager may write to a copy of it"
                )
            if _overlaps_itself(target):
                raise _unwritable(spec, "has several elements in one place of memory")
            for other, value in enumerate(given):
                if other != place and _share(target, value, self._specs[other]):
                    raise _unwritable(
                        spec,
                        f"shares memory with the input `{self._specs[other].name}`",
                    )

    def write(self, given: Sequence[object], new: Sequence[Array]) -> None:
        """Copy what a call has returned for each into the caller's memory."""
        for (place, _), value in zip_equal(self._rows, new):
            target: Any = given[place]
            if is_torch_tensor(target):
                # By torch, which counts the writes to a tensor for its gradients.
                target.detach().copy_(tensor_of_array(value))
            else:
                np.copyto(bits_of(target), value)


def _memory(spec: InputSpec, value: object) -> Array:
    """The caller's memory. InputError: it cannot be written to."""
    if is_torch_tensor(value):
        _check_tensor(spec, cast(Any, value))
    elif not isinstance(value, np.ndarray):
        raise _unwritable(spec, f"is {kind_of(value)}, not an array or tensor")
    array = array_of(spec, value)
    if not array.flags.writeable:
        raise _unwritable(spec, "is read-only")
    return array


def _check_tensor(spec: InputSpec, tensor: Any) -> None:
    torch: Any = sys.modules["torch"]  # a tensor came in: it is there
    if tensor.requires_grad and tensor.is_leaf and torch.is_grad_enabled():
        raise _unwritable(spec, "is a leaf that requires grad; use torch.no_grad()")
    if tensor.is_inference() and not torch.is_inference_mode_enabled():
        raise _unwritable(
            spec, "was created in inference mode, and the call is outside of it"
        )
    if tensor.is_neg() or tensor.is_conj():
        raise _unwritable(spec, "is a view that negates; use .resolve_neg()")


def _unwritable(spec: InputSpec, why: str) -> InputError:
    return InputError(f"the network writes to the input `{spec.name}`, which {why}")


def _overlaps_itself(array: Array) -> bool:
    """Whether two elements may be in the same place."""
    if array.size == 0:
        return False
    reach = array.itemsize
    pairs = zip_equal(array.strides, array.shape)
    for stride, size in sorted((abs(step), size) for step, size in pairs if size > 1):
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False


def _share(target: Array, value: object, spec: InputSpec) -> bool:
    """Whether another input may have an element in common with `target`."""
    if spec.shape is None:
        return False
    shares: Any = np.shares_memory
    try:
        return shares(target, array_of(spec, value), max_work=_EFFORT)
    except np.exceptions.TooHardError:
        return True
