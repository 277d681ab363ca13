"""Arrays and numbers of NumPy that are known when a network is compiled.

They are constants, which nothing writes to: `a[0] = 1` of one is refused.
"""

from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def

from dycl.ir.attributes import NoneValueAttr
from dycl.ir.classes import ByType

MAX_ELEMENTS = 1 << 14
"""Larger arrays have no form."""
_KINDS = "biuf"
"""Kinds of dtypes that have one: truths, integers, floats."""


@dataclass(frozen=True)
class ArrayConstant:
    """A small array, row-major, or a number: what NumPy's functions give of numbers."""

    dtype: str
    """NumPy's name of it."""
    shape: tuple[int, ...] | None
    """None: a number, such as `np.sqrt(2)`, and no array of rank 0."""
    data: tuple[int | float | bool, ...]

    @property
    def number(self) -> int | float | bool:
        """The number of Python's. Of numbers only."""
        assert self.shape is None
        return self.data[0]

    @property
    def is_plain(self) -> bool:
        """Whether it is a number that reckons as one of Python's, of 64 bits."""
        return self.shape is None and self.dtype in ("float64", "int64", "bool")

    @property
    def size(self) -> int:
        """How many elements there are."""
        return len(self.data)


@irdl_attr_definition
class NumpyAttr(ParametrizedAttribute, metaclass=ByType):
    """An array, or (without a shape) a number of NumPy's."""

    name = "dycl.numpy"
    dtype: StringAttr = param_def()
    shape: ArrayAttr | NoneValueAttr = param_def()
    data: ArrayAttr = param_def()


def is_numpys(value: object) -> bool:
    """Whether a value is an array or a number of NumPy's."""
    return any(
        (base.__module__, base.__name__) in (("numpy", "ndarray"), ("numpy", "generic"))
        for base in type(value).__mro__
    )


def array_constant(value: Any) -> ArrayConstant | None:
    """The constant of an array or number of NumPy's; None: it has no such form."""
    kind = type(value).__name__
    if value.dtype.kind not in _KINDS or not value.dtype.isnative:
        return None
    if value.size > MAX_ELEMENTS or value.dtype.itemsize > 8:
        return None
    data = tuple(cast("list[Any]", value.reshape(-1).tolist()))
    if value.dtype.kind == "u" and any(item >= 2**63 for item in data):
        return None
    if kind == "ndarray":
        return ArrayConstant(value.dtype.name, tuple(value.shape), data)
    return ArrayConstant(value.dtype.name, None, data) if value.ndim == 0 else None


def array_of(value: ArrayConstant) -> object:
    """The array, or number, of a constant; writing to it raises."""
    import numpy

    array = numpy.array(value.data, value.dtype)
    if value.shape is None:
        return array[0]
    array = array.reshape(value.shape)
    array.flags.writeable = False
    return array
