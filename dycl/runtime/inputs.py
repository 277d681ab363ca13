"""Check and accept what a network is called with.

An array may be strided, in Fortran order or in foreign byte order: it is copied into
shape. Its dtype and shape must be those that the network was compiled for; sizes that
have a name may be any in its range, one in all inputs.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, cast

import numpy as np

from dycl.runtime.buffers import Array, Buffer, adopt
from dycl.runtime.dtypes import array_of_tensor, bits_of, numpy_dtype
from dycl.runtime.kernels import Argument
from dycl.runtime.lent import CUDA, NAMES, Lent, device_of
from dycl.runtime.open_shapes import OpenShapes, Shape, SizeRange, shape_text
from dycl.runtime.zipping import zip_equal


class InputError(ValueError):
    """An input does not fit the compiled network; the text says which and why."""

    code = "DY601"

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


@dataclass(frozen=True)
class InputSpec:
    """One input: a tensor, or with `shape` None an `int`, `float` or `bool`."""

    name: str
    dtype: str
    shape: Shape | None
    """A size, or the name of one that each call decides, for each dimension."""

    def __str__(self) -> str:
        """`float32[1, 3]`, `float32[1, n]`, `int`."""
        return self.dtype + ("" if self.shape is None else shape_text(self.shape))

    @property
    def is_open(self) -> bool:
        """Whether a call decides a size."""
        return any(isinstance(size, str) for size in self.shape or ())

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape of a tensor. TypeError: it is a number, or `is_open`."""
        sizes = [size for size in self.shape or () if isinstance(size, int)]
        if self.shape is None or len(sizes) < len(self.shape):
            raise TypeError(f"{self} has no fixed shape")
        return tuple(sizes)

    def takes(self, shape: tuple[int, ...]) -> bool:
        """Whether a tensor may have this shape, whatever the range of a size is."""
        wanted = self.shape or ()
        return len(shape) == len(wanted) and all(
            isinstance(want, str) or want == size
            for want, size in zip_equal(wanted, shape)
        )


class Inputs:
    """All inputs of a network, in order."""

    def __init__(self, specs: Sequence[InputSpec], ranges: Sequence[SizeRange] = ()):
        """`ranges` are those of the names in the shapes."""
        self.specs = tuple(specs)
        self.ranges = tuple(ranges)
        self._open = OpenShapes(ranges)
        self.on_gpu = False
        """Whether tensors on a GPU are taken, as `Lent`."""
        self._names = tuple(spec.name for spec in self.specs)
        self._wanted = tuple(
            (s, None if s.shape is None else numpy_dtype(s.dtype), s.shape)
            for s in self.specs
        )

    def accept(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[list[Argument], bool]:
        """The arguments for the host, and whether a torch tensor was among them.

        InputError: count, name, kind, shape, dtype or device is not what is wanted.
        """
        values = self.in_order(args, kwargs)
        if len(values) != len(self.specs):
            raise InputError(
                f"the network takes {counted_inputs(self._names)}, but {len(values)} "
                f"{'was' if len(values) == 1 else 'were'} given"
            )
        saw_torch = False
        known: dict[str, tuple[int, str]] = {}
        accepted: list[Argument] = []
        for (spec, dtype, shape), value in zip_equal(self._wanted, values):
            if type(value) is np.ndarray:
                # What is right already, without a call: this is in every run.
                if value.dtype == dtype and value.shape == shape:
                    flags = value.flags
                    if flags.c_contiguous and flags.aligned:
                        accepted.append(Buffer(value))
                        continue
            elif is_torch_tensor(value):
                saw_torch = True
                array = plain_array(value)
                if array is not None and array.dtype == dtype and array.shape == shape:
                    flags = array.flags
                    if flags.c_contiguous and flags.aligned:
                        accepted.append(Buffer(array))
                        continue
            if dtype is None:
                accepted.append(_number(spec, value))
            elif (device := device_of(value)) is not None and device[0] in NAMES:
                accepted.append(self._lent(spec, value, *device))
            elif spec.is_open:
                accepted.append(self._open_buffer(spec, dtype, value, known))
            else:
                accepted.append(_buffer(spec, dtype, value))
        return accepted, saw_torch

    def _lent(self, spec: InputSpec, value: object, kind: int, number: int) -> Buffer:
        """A tensor on a GPU. InputError: the network does not run on that one."""
        where = f"cuda:{number}" if kind == CUDA else NAMES[kind]
        if not self.on_gpu:
            raise refused(spec, f"is on device {where}; move it with .cpu()")
        if (kind, number) != (CUDA, 0):
            raise refused(spec, f"is on device {where}, and the network on cuda:0")
        return Lent(spec, value)

    def _open_buffer(
        self,
        spec: InputSpec,
        dtype: np.dtype[Any],
        value: object,
        known: dict[str, tuple[int, str]],
    ) -> Buffer:
        """A tensor of which the call decides sizes: `known`, by name."""
        array = _array(spec, dtype, value)
        shape = spec.shape or ()
        why = self._open.why_unfit(spec.name, shape, array.shape, known)
        if why is not None:
            raise refused(spec, why, self._open.words(shape))
        return adopt(array)

    def in_order(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[object, ...]:
        """What is given for each input. InputError: a name is unknown or missing."""
        if not kwargs:
            return args
        given = dict(zip(self._names, args))
        for name, value in kwargs.items():
            if name not in self._names:
                inputs = counted_inputs(self._names)
                raise InputError(
                    f"the network has no input `{name}`; it takes {inputs}"
                )
            if name in given:
                raise InputError(f"the input `{name}` was given twice")
            given[name] = value
        if missing := [n for n in self._names if n not in given]:
            raise InputError(f"the input `{missing[0]}` is missing")
        return (*(given[n] for n in self._names), *args[len(self._names) :])


def as_arrays(values: tuple[object, ...]) -> tuple[object, ...] | None:
    """The same values, each tensor of torch's as NumPy has it.

    None: there is no such tensor, or one that NumPy cannot have at once.
    """
    arrays: list[object] = []
    saw_torch = False
    for value in values:
        if is_torch_tensor(value):
            saw_torch = True
            value = plain_array(value)
            if value is None:
                return None
        arrays.append(value)
    return tuple(arrays) if saw_torch else None


def accept_one(spec: InputSpec, value: object) -> Argument:
    """One argument for the host. InputError: it does not fit."""
    if spec.shape is None:
        return _number(spec, value)
    return _buffer(spec, numpy_dtype(spec.dtype), value)


def is_torch_tensor(value: object) -> bool:
    """Whether this is a tensor of torch's; torch is not imported to find out."""
    return _is_tensor_class(type(value))


@lru_cache(maxsize=256)
def _is_tensor_class(cls: type) -> bool:
    return any(
        c.__name__ == "Tensor" and c.__module__.partition(".")[0] == "torch"
        for c in cls.__mro__
    )


def counted_inputs(names: Sequence[str]) -> str:
    """`2 inputs (x, n)`."""
    plural = "" if len(names) == 1 else "s"
    listed = f" ({', '.join(names)})" if names else ""
    return f"{len(names) or 'no'} input{plural}{listed}"


def _buffer(spec: InputSpec, dtype: np.dtype[Any], value: object) -> Buffer:
    array = _array(spec, dtype, value)
    if not spec.takes(array.shape):
        raise refused(spec, f"has shape {list(array.shape)}")
    return adopt(array)


def _array(spec: InputSpec, dtype: np.dtype[Any], value: object) -> Array:
    """What NumPy has of a tensor of this dtype."""
    array = array_of(spec, value)
    if array.dtype.newbyteorder("=") != dtype:
        raise refused(spec, f"has dtype {array.dtype.name}")
    return array


def array_of(spec: InputSpec, value: object) -> Array:
    """A NumPy view of the tensor, or a copy where NumPy needs one."""
    if isinstance(value, (np.ndarray, np.generic)):
        return bits_of(np.asarray(cast(Array, value)))
    if is_torch_tensor(value):
        return _from_torch(spec, cast(Any, value))
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(cast(Any, value))
        except (BufferError, RuntimeError, TypeError) as error:
            raise refused(spec, f"cannot be read by NumPy: {error}") from error
    if hasattr(value, "__array__"):
        return np.asarray(cast(Any, value))
    raise refused(spec, f"is {kind_of(value)}, not a tensor")


def plain_array(tensor: Any) -> Array | None:
    """A tensor of torch's as NumPy has it, at once or not at all."""
    try:
        return array_of_tensor(tensor.detach() if tensor.requires_grad else tensor)
    except (RuntimeError, TypeError):  # another device, layout or dtype
        return None


def _from_torch(spec: InputSpec, tensor: Any) -> Array:
    if tensor.device.type != "cpu":
        raise refused(spec, f"is on device {tensor.device}; move it with .cpu()")
    dtype = str(tensor.dtype).removeprefix("torch.")
    if dtype != spec.dtype:
        raise refused(spec, f"has dtype {dtype}")
    if str(tensor.layout) != "torch.strided":
        raise refused(spec, f"has layout {tensor.layout}; use .to_dense()")
    return array_of_tensor(tensor.detach().resolve_neg().resolve_conj())


_REAL = (float, int, np.floating, np.integer)


def _number(spec: InputSpec, value: object) -> Any:
    if spec.dtype == "node":
        return value  # a root, as `dycl.runtime.trees` has it
    if type(value) is float and spec.dtype == "float":
        return value
    if isinstance(value, Enum):
        raise refused(spec, f"is {value!r}, a member of an enum: give its value")
    if isinstance(value, str) and spec.dtype == "str":
        return value
    if isinstance(value, (bool, np.bool_)):
        if spec.dtype == "bool":
            return bool(value)
    elif isinstance(value, (int, np.integer)) and spec.dtype == "int":
        number = operator.index(cast(int, value))
        if -(2**63) <= number < 2**63:
            return number
        raise refused(spec, "does not fit in 64 bits")
    elif spec.dtype == "float" and isinstance(value, _REAL):
        try:
            return float(cast(float, value))
        except OverflowError as error:  # an int
            raise refused(spec, "does not fit in a float") from error
    raise refused(spec, f"is {kind_of(value)}")


def kind_of(value: object) -> str:
    """What a value is, in the words of an error."""
    return "None" if value is None else f"of type {type(value).__name__}"


def refused(spec: InputSpec, how: str, ranges: str = "") -> InputError:
    """The error of an input that is not what is wanted."""
    return InputError(
        f"the input `{spec.name}` {how}; the network was compiled for {spec}{ranges}"
    )
