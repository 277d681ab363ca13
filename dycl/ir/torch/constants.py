"""The constants of the torch dialect: Python scalars and literal tensors."""

import re
import struct
from typing import Self

from xdsl.dialects.builtin import (
    AnyFloat,
    BoolAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute
from xdsl.irdl import (
    base,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.hints import isa

from dycl.ir.torch.base import TorchOp
from dycl.ir.torch.parsing import TorchParserMixin
from dycl.ir.torch.simple_types import (
    BoolT,
    BoolType,
    DeviceType,
    FloatT,
    FloatType,
    IntT,
    IntType,
    NoneT,
    NoneType,
    NumberType,
    StrT,
    StrType,
)
from dycl.ir.torch.types import NonVTensorType, TensorType, VTensorType

PythonScalar = int | float | bool | str | None


# --- constants ----------------------------------------------------------------


class ConstantOp(TorchOp):
    """A Python scalar."""

    traits = traits_def(Pure(), ConstantLike())

    def python_value(self) -> PythonScalar:
        """The scalar."""
        raise NotImplementedError


@irdl_op_definition
class ConstantIntOp(ConstantOp):
    """`torch.constant.int 5`."""

    name = "torch.constant.int"
    value = prop_def(IntegerAttr.constr(type=i64))
    result = result_def(IntType)
    assembly_format = "$value attr-dict"

    def __init__(self, value: int, *, location: LocationAttr):
        """Raises VerifyException if the value does not fit in 64 bits."""
        super().__init__(
            properties={"value": IntegerAttr(value, i64)}, result_types=[IntT]
        )
        self.location = location

    def python_value(self) -> int:
        """The int."""
        return self.value.value.data


@irdl_op_definition
class ConstantFloatOp(ConstantOp):
    """`torch.constant.float 0.5`; infinities and NaNs are written as their bits."""

    name = "torch.constant.float"
    value = prop_def(FloatAttr.constr(f64))
    result = result_def(FloatType)

    def __init__(self, value: float, *, location: LocationAttr):
        super().__init__(
            properties={"value": FloatAttr(value, f64)}, result_types=[FloatT]
        )
        self.location = location

    def python_value(self) -> float:
        """The float."""
        return self.value.value.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse a decimal literal or 16 hexadecimal digits."""
        start = parser.pos
        number = parser.parse_number()
        text = parser.lexer.input.content[start : parser.pos]
        if isinstance(number, int):
            if not text.lower().startswith("0x"):
                parser.raise_error("expected a float literal such as '5.0'", start)
            number = struct.unpack("<d", struct.pack("<Q", number))[0]
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            properties={"value": FloatAttr(number, f64)},
            attributes=attributes,
            result_types=[FloatT],
        )

    def print(self, printer: Printer) -> None:
        """Print the number as torch-mlir does."""
        printer.print_string(" ")
        printer.print_float(self.python_value(), f64)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ConstantBoolOp(ConstantOp):
    """`torch.constant.bool true`."""

    name = "torch.constant.bool"
    value = prop_def(IntegerAttr.constr(type=i1))
    result = result_def(BoolType)
    assembly_format = "$value attr-dict"

    def __init__(self, value: bool, *, location: LocationAttr):
        super().__init__(
            properties={"value": BoolAttr.from_bool(value)}, result_types=[BoolT]
        )
        self.location = location

    def python_value(self) -> bool:
        """The bool."""
        return bool(self.value.value.data)


@irdl_op_definition
class ConstantStrOp(ConstantOp):
    """`torch.constant.str "same"`."""

    name = "torch.constant.str"
    # xDSL reads a string with escaped non-ASCII characters as bytes.
    value = prop_def(base(StringAttr) | base(BytesAttr))
    result = result_def(StrType)
    assembly_format = "$value attr-dict"

    def __init__(self, value: str, *, location: LocationAttr):
        super().__init__(properties={"value": StringAttr(value)}, result_types=[StrT])
        self.location = location

    def python_value(self) -> str:
        """The str; raises UnicodeDecodeError if the text is not UTF-8."""
        value = self.value
        return value.data if isinstance(value, StringAttr) else value.data.decode()


@irdl_op_definition
class ConstantNoneOp(ConstantOp):
    """`torch.constant.none`."""

    name = "torch.constant.none"
    result = result_def(NoneType)
    assembly_format = "attr-dict"

    def __init__(self, *, location: LocationAttr):
        super().__init__(result_types=[NoneT])
        self.location = location

    def python_value(self) -> None:
        """None."""


def constant(value: PythonScalar, *, location: LocationAttr) -> ConstantOp:
    """The operation that produces this scalar."""
    match value:
        case None:
            return ConstantNoneOp(location=location)
        case bool():
            return ConstantBoolOp(value, location=location)
        case int():
            return ConstantIntOp(value, location=location)
        case float():
            return ConstantFloatOp(value, location=location)
        case str():
            return ConstantStrOp(value, location=location)


@irdl_op_definition
class ConstantDeviceOp(TorchOp):
    """`torch.constant.device "cpu"`."""

    name = "torch.constant.device"
    value = prop_def(StringAttr)
    result = result_def(DeviceType)
    traits = traits_def(Pure(), ConstantLike())
    assembly_format = "$value attr-dict"


@irdl_op_definition
class ConstantNumberOp(TorchOp):
    """An int or a float as a `Scalar`; has no custom syntax."""

    name = "torch.constant.number"
    value = prop_def(IntegerAttr.constr(type=i64) | FloatAttr.constr(f64))
    result = result_def(NumberType)
    traits = traits_def(Pure(), ConstantLike())


# --- constant tensors ---------------------------------------------------------


class LiteralOp(TorchOp):
    """A constant tensor, written `(value) : type`."""

    value = prop_def(base(DenseIntOrFPElementsAttr) | base(DenseResourceAttr))
    result = result_def(TensorType)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse what follows the name.

        Refuses the bits of floats where the parser would take them for numbers.
        """
        parser.parse_punctuation("(")
        start = parser.pos
        value = parser.parse_attribute()
        text = parser.lexer.input.content[start : parser.pos]
        text = text.rpartition(":")[0]  # not the type: `tensor<0xf32>`
        parser.parse_punctuation(")")
        if (
            isa(value, DenseIntOrFPElementsAttr)
            and isinstance(value.get_element_type(), AnyFloat)
            and re.search(r"(?<![\w\"])0[xX]", text)
            and not isinstance(parser, TorchParserMixin)
        ):
            parser.raise_error("this parser cannot read the bits of floats", start)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            properties={"value": value},
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        """Print what follows the name."""
        with printer.in_parens():
            printer.print_attribute(self.value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class VTensorLiteralOp(LiteralOp):
    """`torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : !torch.vtensor<..>`."""

    name = "torch.vtensor.literal"
    result = result_def(VTensorType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(
        self,
        value: DenseIntOrFPElementsAttr | DenseResourceAttr,
        *,
        location: LocationAttr,
    ):
        """The tensor of these elements; shape and dtype are those of the value.

        Raises ValueError if the value is not of a `tensor<...>` type, VerifyException
        if torch has no such element type (`tensor<2xi64>` instead of `2xsi64`).
        """
        type_ = value.type
        if not isa(type_, BuiltinTensorType[Attribute]):
            raise ValueError(f"{type_} is not a tensor type")
        result = VTensorType.of(type_.get_shape(), type_.get_element_type())
        super().__init__(properties={"value": value}, result_types=[result])
        self.location = location


@irdl_op_definition
class TensorLiteralOp(LiteralOp):
    """`torch.tensor.literal(dense<1> : tensor<2xsi64>) : !torch.tensor`."""

    name = "torch.tensor.literal"
    result = result_def(NonVTensorType)
