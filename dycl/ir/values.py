"""Python values and attributes: what `dycl.constant` and `dycl.object` can hold.

What is not plain data (an object of the model, a function, a parameter) is a `...Ref`
here and an attribute of `dycl.ir.attributes` in the IR. `to_attr` and `from_attr`
convert both ways without importing torch.
"""

from collections.abc import Callable
from dataclasses import dataclass
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
    match value:
        case None:
            return NoneValueAttr()
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            if not -(2**63) <= value < 2**63:
                raise NotAConstant(f"{value}, an integer of more than 64 bits")
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case tuple():
            if type(value) is not tuple:  # pyright: ignore[reportUnknownArgumentType]
                raise NotAConstant("a named tuple")
            return TupleAttr(ArrayAttr(map(to_attr, cast(tuple[object, ...], value))))
        case list():
            return ArrayAttr(map(to_attr, cast(list[object], value)))
        case dict():
            entries = cast(dict[object, object], value).items()
            return DictAttr(ArrayAttr(to_attr(x) for kv in entries for x in kv))
        case _:
            return _ref_to_attr(value)


def _ref_to_attr(value: object) -> Attribute:
    match value:
        case ObjectRef(path):
            return SymbolRefAttr(path)
        case FunctionRef(symbol):
            return FunctionAttr(SymbolRefAttr(symbol))
        case MethodRef(symbol, path):
            return MethodAttr(SymbolRefAttr(symbol), SymbolRefAttr(path))
        case Partial(callee, args, kwargs):
            return PartialAttr(to_attr(callee), to_attr(args), to_attr(kwargs))
        case PropertyRef(symbol, setter):
            known = SymbolRefAttr(setter) if setter else NoneValueAttr()
            return PropertyAttr(SymbolRefAttr(symbol), known)
        case GlobalRef(name):
            return GlobalAttr(StringAttr(name))
        case DeviceRef(device):
            return DeviceAttr(StringAttr(device))
        case LoggerRef(name):
            return LoggerAttr(StringAttr(name))
        case UnsupportedRef(reason):
            return UnsupportedAttr(StringAttr(reason))
        case ParamRef(path, shape, dtype):
            sizes = ArrayAttr(IntegerAttr(s, i64) for s in shape)
            return ParamAttr(StringAttr(path), sizes, dtype)
        case Record():
            return value.attr(list(map(to_attr, value.items)))
        case LeafRef(index):
            return LeafAttr(IntAttr(index))
        case TensorConstant(shape, dtype, data):
            tensor_type = cast(Any, TensorType(_signless(dtype), list(shape)))
            return DenseIntOrFPElementsAttr.from_list(tensor_type, cast(Any, data))
        case _:
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
    DictAttr: _dict,
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
