"""The types of the torch dialect, with torch-mlir's own syntax.

A type inside another torch type is written without its `!torch.` prefix:
`!torch.list<optional<vtensor<[1,?],f32>>>`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    IntAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from dycl.ir.torch.base import TorchType
from dycl.ir.torch.simple_types import (
    AnyType,
    BoolType,
    DeviceType,
    FloatType,
    GeneratorType,
    IntType,
    LinearParamsType,
    NoneType,
    NumberType,
    QInt8Type,
    QInt16Type,
    QInt32Type,
    QUInt8Type,
    StrType,
)

DYNAMIC: int = -1
"""The size of a dimension that is written `?`."""


_INTEGERS = (
    i1,
    *(IntegerType(bits, Signedness.SIGNED) for bits in (4, 8, 16, 32, 64)),
    *(IntegerType(bits, Signedness.UNSIGNED) for bits in (4, 8, 16, 32, 64)),
)


# --- tensors ------------------------------------------------------------------


class TensorType(TorchType):
    """What the two tensor types share: a shape and an element type, both optional.

    `[2,?],f32` has both, `*,f32` has no shape, `[2],unk` has no element type; a type
    with neither is written without parameters.
    """

    shape: ArrayAttr[IntAttr] | NoneAttr = param_def()
    dtype: Attribute = param_def()

    @classmethod
    def of(cls, shape: Sequence[int] | None, dtype: Attribute | None) -> Self:
        """The type of these sizes (-1 is `?`, None: unranked) and element type.

        Raises VerifyException for a size below -1 or an element type that torch has
        not (integers are `si64`, `ui8`, ...; only `i1` is signless).
        """
        sizes = None if shape is None else tuple(shape)
        return cast(Self, _tensor_type(cls, sizes, dtype))

    def sizes(self) -> tuple[int, ...] | None:
        """The size of each dimension, -1 for `?`; None if the rank is unknown."""
        if isinstance(self.shape, ArrayAttr):
            return tuple([dim.data for dim in self.shape.data])
        return None

    def element_type(self) -> Attribute | None:
        """The element type, None if it is unknown."""
        return None if type(self.dtype) is NoneAttr else self.dtype

    def is_fully_typed(self) -> bool:
        """Whether rank and element type are known (a dimension may still be `?`).

        torch-mlir aborts the process on some tensors that are not.
        """
        return self.sizes() is not None and self.element_type() is not None

    def verify(self) -> None:
        """Raise VerifyException if torch-mlir would refuse the type."""
        if any(size < DYNAMIC for size in self.sizes() or ()):
            raise VerifyException(f"'{self.name}' has a negative size")
        dtype = self.element_type()
        if isinstance(dtype, IndexType) or (
            isa(dtype, IntegerType) and dtype not in _INTEGERS
        ):
            raise VerifyException(
                f"'{dtype}' is not an element type of a torch tensor; "
                "integers are signed (si64) or unsigned (ui8)"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<` (`*` | `[` sizes `]`) `,` (`unk` | type) `>`, or nothing."""
        if parser.parse_optional_punctuation("<") is None:
            return [NoneAttr(), NoneAttr()]
        shape: Attribute
        if parser.parse_optional_punctuation("*") is not None:
            shape = NoneAttr()
        else:
            shape = ArrayAttr(
                parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: _parse_size(parser)
                )
            )
        parser.parse_punctuation(",")
        unknown = parser.parse_optional_keyword("unk") is not None
        dtype = NoneAttr() if unknown else parser.parse_type()
        parser.parse_punctuation(">")
        return [shape, dtype]

    def print_parameters(self, printer: Printer) -> None:
        """Print the parameters, nothing if all is unknown."""
        sizes, dtype = self.sizes(), self.element_type()
        if sizes is None and dtype is None:
            return
        with printer.in_angle_brackets():
            if sizes is None:
                printer.print_string("*,")
            else:
                dims = ",".join("?" if d == DYNAMIC else str(d) for d in sizes)
                printer.print_string(f"[{dims}],")
            if dtype is None:
                printer.print_string("unk")
            else:
                printer.print_attribute(dtype)


@lru_cache(maxsize=4096)
def _tensor_type(
    cls: type[TensorType], shape: tuple[int, ...] | None, dtype: Attribute | None
) -> TensorType:
    """The type, made once: xDSL checks each new one, and networks repeat shapes."""
    sizes = NoneAttr() if shape is None else ArrayAttr(map(IntAttr, shape))
    return cls(sizes, NoneAttr() if dtype is None else dtype)


def _parse_size(parser: AttrParser) -> IntAttr:
    if parser.parse_optional_punctuation("?") is not None:
        return IntAttr(DYNAMIC)
    return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))


@irdl_attr_definition
class VTensorType(TensorType):
    """A tensor with value semantics, `!torch.vtensor<[1,?],f32>`."""

    name = "torch.vtensor"
    # Declared here too: equality and hash see a class's own fields only.
    shape: ArrayAttr[IntAttr] | NoneAttr = param_def()
    dtype: Attribute = param_def()

    @property
    def is_single(self) -> bool:
        """Whether a tensor has exactly one element in each run."""
        sizes = self.sizes()
        return sizes is not None and all(size == 1 for size in sizes)


@irdl_attr_definition
class NonVTensorType(TensorType):
    """A tensor that may be mutated or aliased, `!torch.tensor<[1,?],f32>`."""

    name = "torch.tensor"
    # Declared here too: equality and hash see a class's own fields only.
    shape: ArrayAttr[IntAttr] | NoneAttr = param_def()
    dtype: Attribute = param_def()


# --- containers ---------------------------------------------------------------


def _parse_inner(parser: AttrParser) -> Attribute:
    """Parse a torch type without its `!torch.` prefix."""
    position = parser.pos
    name = parser.parse_identifier("torch type expected")
    inner = parser.ctx.get_optional_type(f"torch.{name}")
    if inner is None or not issubclass(inner, TorchType):
        parser.raise_error(f"unknown torch type '{name}'", position)
    return inner.new(inner.parse_parameters(parser))


def _print_inner(printer: Printer, inner: Attribute) -> None:
    if not isinstance(inner, TorchType):
        raise TypeError(f"{inner} is not a type of the torch dialect")
    printer.print_string(inner.name.removeprefix("torch."))
    inner.print_parameters(printer)


class ContainerType(TorchType):
    """A type with torch types as parameters, `!torch.<name><a, b, ...>`."""

    @abstractmethod
    def contained(self) -> Sequence[Attribute]:
        """The parameters in the order of the text."""

    def verify(self) -> None:
        """Raise VerifyException if a parameter is not a torch type."""
        for inner in self.contained():
            if not isinstance(inner, TorchType):
                raise VerifyException(f"'{inner}' is not a type of the torch dialect")

    def print_parameters(self, printer: Printer) -> None:
        """Print the parameters without their `!torch.` prefix."""
        with printer.in_angle_brackets():
            printer.print_list(self.contained(), lambda t: _print_inner(printer, t))


class _ElementType(ContainerType):
    """A container of one parameter."""

    element: Attribute = param_def()

    @classmethod
    def of(cls, element: Attribute) -> Self:
        """The container of this type; raises VerifyException if it is not torch's."""
        return cls(element)

    def contained(self) -> Sequence[Attribute]:
        return (self.element,)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [_parse_inner(parser)]


@irdl_attr_definition
class ListType(_ElementType):
    """A list of values of one type, `!torch.list<int>`."""

    name = "torch.list"
    # Declared here too: equality and hash see a class's own fields only.
    element: Attribute = param_def()


@irdl_attr_definition
class OptionalType(_ElementType):
    """A value or None, `!torch.optional<float>`."""

    name = "torch.optional"
    # Declared here too: equality and hash see a class's own fields only.
    element: Attribute = param_def()


class _ElementsType(ContainerType):
    """A container of any number of parameters."""

    elements: ArrayAttr[Attribute] = param_def()

    @classmethod
    def of(cls, elements: Sequence[Attribute]) -> Self:
        """The container of these types; VerifyException if one is not torch's."""
        return cls(ArrayAttr(elements))

    def contained(self) -> Sequence[Attribute]:
        return self.elements.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        types = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, lambda: _parse_inner(parser)
        )
        return [ArrayAttr(types)]


@irdl_attr_definition
class TupleType(_ElementsType):
    """A tuple, `!torch.tuple<vtensor<[1],f32>, int>`."""

    name = "torch.tuple"
    # Declared here too: equality and hash see a class's own fields only.
    elements: ArrayAttr[Attribute] = param_def()


@irdl_attr_definition
class UnionType(_ElementsType):
    """One of several types, `!torch.union<int, float>`."""

    name = "torch.union"
    # Declared here too: equality and hash see a class's own fields only.
    elements: ArrayAttr[Attribute] = param_def()


@irdl_attr_definition
class DictType(ContainerType):
    """A dictionary, `!torch.dict<str, tensor>`."""

    name = "torch.dict"
    key: Attribute = param_def()
    value: Attribute = param_def()

    def contained(self) -> Sequence[Attribute]:
        """The type of the keys and the type of the values."""
        return (self.key, self.value)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<` key `,` value `>`."""
        with parser.in_angle_brackets():
            key = _parse_inner(parser)
            parser.parse_punctuation(",")
            return [key, _parse_inner(parser)]


@irdl_attr_definition
class NnModuleType(TorchType):
    """A TorchScript module object, `!torch.nn.Module<"Net">`."""

    name = "torch.nn.Module"
    class_name: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<` name `>`."""
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal())]

    def print_parameters(self, printer: Printer) -> None:
        """Print `<` name `>`."""
        with printer.in_angle_brackets():
            printer.print_string_literal(self.class_name.data)


si64 = IntegerType(64, Signedness.SIGNED)
"""The element type of `torch.int64` tensors."""

TYPES: tuple[type[TorchType], ...] = (
    VTensorType,
    NonVTensorType,
    ListType,
    OptionalType,
    TupleType,
    UnionType,
    DictType,
    NnModuleType,
    IntType,
    FloatType,
    BoolType,
    NoneType,
    StrType,
    NumberType,
    DeviceType,
    GeneratorType,
    AnyType,
    LinearParamsType,
    QInt8Type,
    QUInt8Type,
    QInt16Type,
    QInt32Type,
)
