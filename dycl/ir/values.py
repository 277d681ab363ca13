"""Python values and attributes: what `dycl.constant` and `dycl.object` can hold.

What is not plain data (an object of the model, a function, a parameter) is a `...Ref`
here and an attribute of `dycl.ir.attributes` in the IR. `to_attr` and `from_attr`
convert both ways without importing torch.
"""

import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from dycl.ir.arrays import (
    ArrayConstant,
    NumpyAttr,
    array_constant,
    is_numpys,
)
from dycl.ir.attributes import (
    DeviceAttr,
    DictAttr,
    FunctionAttr,
    GlobalAttr,
    LeafAttr,
    LoggerAttr,
    MethodAttr,
    NoneValueAttr,
    ParamAttr,
    PartialAttr,
    PropertyAttr,
    RangeAttr,
    SetAttr,
    TorchSizeAttr,
    TupleAttr,
    UnsupportedAttr,
)
from dycl.ir.records import Record, RecordAttr


@dataclass(frozen=True)
class ObjectRef:
    """An object of the model (a `dycl.object`), by path; "" is the model itself."""

    path: str


@dataclass(frozen=True)
class FunctionRef:
    """A function of the user's, by symbol."""

    symbol: str


@dataclass(frozen=True)
class MethodRef:
    """A function of the user's bound to an object of the model."""

    symbol: str
    self_path: str


@dataclass(frozen=True)
class Partial:
    """A function with its first arguments, and some by keyword, given already."""

    callee: object
    args: tuple[object, ...]
    kwargs: dict[str, object]


@dataclass(frozen=True)
class PropertyRef:
    """A property, by the symbols of its getter and, if it has one, its setter."""

    symbol: str
    setter: str = ""


@dataclass(frozen=True)
class GlobalRef:
    """Something importable, by its full name."""

    name: str


@dataclass(frozen=True)
class DeviceRef:
    """A torch.device, by its text."""

    device: str


@dataclass(frozen=True)
class LoggerRef:
    """`logging.getLogger(name)`."""

    name: str


@dataclass(frozen=True)
class UnsupportedRef:
    """A value without a form in the IR, and why."""

    reason: str


@dataclass(frozen=True)
class ParamRef:
    """A parameter or buffer: name in the state dict, shape, element type."""

    path: str
    shape: tuple[int, ...]
    dtype: Attribute


@dataclass(frozen=True)
class LeafRef:
    """The n-th returned value, inside a structure."""

    index: int


@dataclass(frozen=True)
class TensorConstant:
    """A small tensor, row-major; `dtype` is the IR's element type."""

    shape: tuple[int, ...]
    dtype: Attribute
    data: tuple[int | float | bool, ...]


class NotAConstant(Exception):
    """The value has no attribute form."""


def to_attr(value: object) -> Attribute:
    """The attribute that stands for a Python value.

    Raises NotAConstant when there is none.
    """
    writer = _WRITERS.get(type(value))
    return _of_subclass(value) if writer is None else writer(value)


_ENTRIES = 1 << 14
"""Attributes of one kind that are made once: a network repeats numbers and names."""


@lru_cache(_ENTRIES)
def _of_int(value: int) -> Attribute:
    if not -(2**63) <= value < 2**63:
        raise NotAConstant(f"{value}, an integer of more than 64 bits")
    return IntegerAttr(value, i64)


_of_text = lru_cache(_ENTRIES)(StringAttr)


@lru_cache(_ENTRIES)
def _symbol(name: str) -> SymbolRefAttr:
    return SymbolRefAttr(_of_text(name))


@lru_cache(_ENTRIES)
def _of_global(ref: GlobalRef) -> GlobalAttr:
    return GlobalAttr(_of_text(ref.name))


@lru_cache(_ENTRIES)
def _of_param(ref: ParamRef) -> ParamAttr:
    sizes = ArrayAttr(cast("list[IntegerAttr]", list(map(_of_int, ref.shape))))
    return ParamAttr(_of_text(ref.path), sizes, ref.dtype)


def _of_dict(value: dict[object, object]) -> DictAttr:
    return DictAttr(ArrayAttr(to_attr(x) for kv in value.items() for x in kv))


def _of_set(value: set[object] | frozenset[object]) -> SetAttr:
    items = sorted(map(to_attr, value), key=str)
    return SetAttr(_of_text(type(value).__name__), ArrayAttr(items))


def _of_property(ref: PropertyRef) -> PropertyAttr:
    setter = _symbol(ref.setter) if ref.setter else NoneValueAttr()
    return PropertyAttr(_symbol(ref.symbol), setter)


def _of_tensor(tensor: TensorConstant) -> Attribute:
    dtype = _signless(tensor.dtype)
    tensor_type = cast(Any, TensorType(dtype, list(tensor.shape)))
    return DenseIntOrFPElementsAttr.from_list(tensor_type, cast(Any, tensor.data))


def _of_array(value: ArrayConstant) -> Attribute:
    shape = None if value.shape is None else list(value.shape)
    parts = map(to_attr, (value.dtype, shape, list(value.data)))
    return cast(Any, NumpyAttr)(*parts)


_NONE = NoneValueAttr()
_BOOLS = (IntegerAttr(0, i1), IntegerAttr(1, i1))

_WRITERS: dict[type, Callable[[Any], Attribute]] = {
    type(None): lambda value: _NONE,
    bool: lambda value: _BOOLS[value],
    int: _of_int,
    float: lambda value: FloatAttr(value, f64),
    str: _of_text,
    range: lambda r: RangeAttr(*map(IntAttr, (r.start, r.stop, r.step))),
    tuple: lambda value: TupleAttr(ArrayAttr(map(to_attr, value))),
    list: lambda value: ArrayAttr(map(to_attr, value)),
    dict: _of_dict,
    set: _of_set,
    frozenset: _of_set,
    ObjectRef: lambda ref: _symbol(ref.path),
    FunctionRef: lambda ref: FunctionAttr(_symbol(ref.symbol)),
    MethodRef: lambda ref: MethodAttr(_symbol(ref.symbol), _symbol(ref.self_path)),
    Partial: lambda ref: PartialAttr(*map(to_attr, (ref.callee, ref.args, ref.kwargs))),
    PropertyRef: _of_property,
    GlobalRef: _of_global,
    DeviceRef: lambda ref: DeviceAttr(_of_text(ref.device)),
    LoggerRef: lambda ref: LoggerAttr(_of_text(ref.name)),
    UnsupportedRef: lambda ref: UnsupportedAttr(_of_text(ref.reason)),
    ParamRef: _of_param,
    Record: lambda record: record.attr(list(map(to_attr, record.items))),
    LeafRef: lambda ref: LeafAttr(IntAttr(ref.index)),
    TensorConstant: _of_tensor,
    ArrayConstant: _of_array,
}


_PLAIN: dict[type, Callable[[Any], object]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    list: list,
    dict: dict,
}


def is_torch_size(value: object) -> bool:
    """Whether a value is a `torch.Size`."""
    return is_class_of_sizes(type(value))


def is_class_of_sizes(value: object) -> bool:
    """Whether a value is the class `torch.Size`."""
    if not isinstance(value, type) or not issubclass(value, tuple):
        return False
    kind = cast(type, value)
    return (kind.__module__, kind.__name__) == ("torch", "Size")


def torch_size(sizes: Iterable[int]) -> tuple[int, ...]:
    """The `torch.Size` of some sizes."""
    import torch

    return torch.Size(sizes)


def _of_subclass(value: object) -> Attribute:
    """The attribute of a value whose class is no class of ours or Python's own."""
    if is_torch_size(value):
        return TorchSizeAttr(ArrayAttr(map(to_attr, cast("tuple[int, ...]", value))))
    if isinstance(value, tuple):
        raise NotAConstant("a named tuple")
    if is_numpys(value) and (array := array_constant(value)) is not None:
        return _of_array(array)
    for kind in filter(lambda kind: isinstance(value, kind), _PLAIN):
        return _WRITERS[kind](_PLAIN[kind](value))
    raise NotAConstant(f"a value of type {type(value).__name__}")


def from_attr(attr: Attribute) -> object:
    """The Python value (or a `...Ref` to what is not plain data) of an attribute.

    Raises NotAConstant for an attribute that stands for no Python value.
    """
    reader = _READERS.get(type(attr))
    if reader is None:
        raise NotAConstant(f"the attribute {attr}")
    return reader(attr)


def _number(attr: IntegerAttr) -> int:
    number = attr.value.data
    return bool(number) if attr.type == i1 else number


def _dict(attr: DictAttr) -> dict[object, object]:
    flat = [from_attr(x) for x in attr.items]
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _method(attr: MethodAttr) -> MethodRef:
    owner = attr.self_object.root_reference.data
    return MethodRef(attr.function.root_reference.data, owner)


def _param(attr: ParamAttr) -> ParamRef:
    shape = tuple(s.value.data for s in attr.shape)
    return ParamRef(attr.path.data, shape, attr.dtype)


def _tensor(attr: DenseIntOrFPElementsAttr) -> TensorConstant:
    tensor_type = cast(TensorType[Attribute], attr.type)
    values = tuple(attr.get_values())
    element = tensor_type.element_type
    if element == i1:
        values = tuple(bool(v) for v in values)
    shape = tuple(tensor_type.get_shape())
    return TensorConstant(shape, _signed(element), cast(Any, values))


def _array(attr: NumpyAttr) -> ArrayConstant:
    dtype, shape, data = map(from_attr, (attr.dtype, attr.shape, attr.data))
    sizes = None if shape is None else tuple(cast("list[int]", shape))
    return ArrayConstant(cast(str, dtype), sizes, tuple(cast("list[Any]", data)))


def _record(attr: RecordAttr) -> Record:
    return Record.of(attr, list(map(from_attr, attr.items)))


def _partial(attr: PartialAttr) -> Partial:
    args, kwargs = from_attr(attr.args), from_attr(attr.kwargs)
    return Partial(from_attr(attr.callee), cast(Any, args), cast(Any, kwargs))


_READERS: dict[type[Attribute], Callable[[Any], object]] = {
    NoneValueAttr: lambda attr: None,
    IntegerAttr: _number,
    FloatAttr: lambda attr: attr.value.data,
    StringAttr: lambda attr: attr.data,
    ArrayAttr: lambda attr: [from_attr(x) for x in attr],
    TupleAttr: lambda attr: tuple(from_attr(x) for x in attr.items),
    TorchSizeAttr: lambda attr: torch_size(map(cast(Any, from_attr), attr.items)),
    DictAttr: _dict,
    SetAttr: lambda a: getattr(builtins, a.kind.data)(map(from_attr, a.items)),
    RangeAttr: lambda attr: range(attr.start.data, attr.stop.data, attr.step.data),
    SymbolRefAttr: lambda attr: ObjectRef(attr.root_reference.data),
    FunctionAttr: lambda attr: FunctionRef(attr.symbol.root_reference.data),
    MethodAttr: _method,
    PartialAttr: _partial,
    RecordAttr: _record,
    PropertyAttr: lambda attr: PropertyRef(*attr.symbols),
    GlobalAttr: lambda attr: GlobalRef(attr.qualified_name.data),
    DeviceAttr: lambda attr: DeviceRef(attr.device.data),
    LoggerAttr: lambda attr: LoggerRef(attr.logger.data),
    UnsupportedAttr: lambda attr: UnsupportedRef(attr.reason.data),
    ParamAttr: _param,
    LeafAttr: lambda attr: LeafRef(attr.index.data),
    DenseIntOrFPElementsAttr: _tensor,
    NumpyAttr: _array,
}
"""By class and not by `match`: this is asked for every constant in every pass."""


def _signless(dtype: Attribute) -> Attribute:
    """Dense attributes hold signless integers for `si64`; `ui8` stays what it is."""
    if isinstance(dtype, IntegerType) and not _is_unsigned(dtype):
        return IntegerType(dtype.width.data)
    return dtype


def _is_unsigned(dtype: IntegerType) -> bool:
    return dtype.signedness.data == Signedness.UNSIGNED


def _signed(dtype: Attribute) -> Attribute:
    if isinstance(dtype, IntegerType) and dtype != i1 and not _is_unsigned(dtype):
        return IntegerType(dtype.width.data, Signedness.SIGNED)
    return dtype


def is_hashable_key(value: object) -> bool:
    """Whether a constant may be a dict key: plain data all the way down."""
    if isinstance(value, tuple):
        return all(map(is_hashable_key, cast(tuple[object, ...], value)))
    return value is None or isinstance(value, (bool, int, float, str, ObjectRef))
