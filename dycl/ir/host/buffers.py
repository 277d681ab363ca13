"""Buffers of the host: where they come from, and the kernels that fill them."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.attributes import NoneValueAttr
from dycl.ir.classes import ByType
from dycl.ir.host.types import (
    NONE,
    NUMBERS,
    STR,
    BufferType,
    count,
    why_not_a_buffer,
)


def constant_type(value: Attribute) -> Attribute:
    """The type that `host.constant` gives to a value.

    Raises VerifyException for a value that the host cannot hold.
    """
    match value:
        case DenseIntOrFPElementsAttr():
            return MemRefType(value.get_element_type(), value.get_shape())
        case IntegerAttr() if value.type in (i1, i64):
            return value.type
        case FloatAttr() if value.type == f64:
            return f64
        case StringAttr():
            return STR
        case NoneValueAttr():
            return NONE
        case _:
            raise VerifyException(f"host.constant cannot hold {value}")


@irdl_op_definition
class ConstantOp(IRDLOperation, metaclass=ByType):
    """A scalar, or a constant tensor in a buffer that nobody writes.

    The type follows from the value: `3 : i64`, `true`, `0.5 : f64`, `"text"`,
    `#dycl.none`, `dense<[1.0, 2.0]> : tensor<2xf32>`.
    """

    name = "host.constant"
    value = prop_def()
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: Attribute, *, location: LocationAttr):
        """Raises VerifyException for a value that the host cannot hold."""
        super().__init__(
            properties={"value": value}, result_types=[constant_type(value)]
        )
        self.location = location

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.value)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "ConstantOp":
        value = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        try:
            result_type = constant_type(value)
        except VerifyException as error:
            parser.raise_error(str(error))
        return cls.create(
            properties={"value": value},
            attributes=attributes,
            result_types=[result_type],
        )

    def verify_(self) -> None:
        if self.result.type != (want := constant_type(self.value)):
            raise VerifyException(f"host.constant {self.value} is of type {want}")


@irdl_op_definition
class ParamOp(IRDLOperation, metaclass=ByType):
    """A parameter or buffer of the model, by its name in the state dict."""

    name = "host.param"
    path = prop_def(StringAttr)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$path attr-dict `:` type($result)"

    def __init__(self, path: str, result_type: BufferType, *, location: LocationAttr):
        super().__init__(
            properties={"path": StringAttr(path)}, result_types=[result_type]
        )
        self.location = location


@irdl_op_definition
class AllocOp(IRDLOperation, metaclass=ByType):
    """A buffer for the output of one launch.

    Its content lasts until the next call of the host function, so a host may keep one
    piece of memory for it; what the function returns is copied out.
    """

    name = "host.alloc"
    result = result_def(MemRefType)
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: BufferType, *, location: LocationAttr):
        super().__init__(result_types=[result_type])
        self.location = location


@irdl_op_definition
class ViewOp(IRDLOperation, metaclass=ByType):
    """The same memory in another shape."""

    name = "host.view"
    operand = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(
        self, operand: SSAValue, result_type: BufferType, *, location: LocationAttr
    ):
        super().__init__(operands=[operand], result_types=[result_type])
        self.location = location

    def verify_(self) -> None:
        before, after = self.operand.type, self.result.type
        assert isinstance(before, MemRefType)
        assert isinstance(after, MemRefType)
        sizes = {count(before), count(after)} - {None}
        if before.element_type != after.element_type or len(sizes) > 1:
            raise VerifyException(f"{before} cannot be seen as {after}")


@irdl_op_definition
class CastOp(IRDLOperation, metaclass=ByType):
    """The same memory under a type that leaves more of its sizes open."""

    name = "host.cast"
    operand = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(
        self, operand: SSAValue, result_type: BufferType, *, location: LocationAttr
    ):
        super().__init__(operands=[operand], result_types=[result_type])
        self.location = location


@irdl_op_definition
class DimOp(IRDLOperation, metaclass=ByType):
    """The size of a dimension of a buffer."""

    name = "host.dim"
    dim = prop_def(IntegerAttr)
    operand = operand_def(MemRefType)
    result = result_def(i64)
    traits = traits_def(Pure())
    assembly_format = "$operand $dim attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, dim: int, *, location: LocationAttr):
        super().__init__(
            operands=[operand],
            properties={"dim": IntegerAttr(dim, i64)},
            result_types=[i64],
        )
        self.location = location


@irdl_op_definition
class CheckedOp(IRDLOperation, metaclass=ByType):
    """The value, if the condition is true; else a RuntimeError with the message."""

    name = "host.checked"
    message = prop_def(StringAttr)
    value = operand_def()
    condition = operand_def(i1)
    result = result_def()
    assembly_format = (
        "$value `,` $condition $message attr-dict `:` type($value) `->` type($result)"
    )

    def __init__(
        self,
        value: SSAValue,
        condition: SSAValue,
        message: str,
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[value, condition],
            properties={"message": StringAttr(message)},
            result_types=[value.type],
        )
        self.location = location


@irdl_op_definition
class KeepOp(IRDLOperation, metaclass=ByType):
    """A copy of a buffer, for the next iteration of a loop.

    A launch fills the same buffer in every iteration, so what is carried to the next
    one is copied out. The copy lasts until the second next time that this op is run:
    by then the iteration that it was for is over. A host may so do with two pieces of
    memory, filled by turns.
    """

    name = "host.keep"
    operand = operand_def(MemRefType)
    result = result_def(MemRefType)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, *, location: LocationAttr):
        super().__init__(operands=[operand], result_types=[operand.type])
        self.location = location

    def verify_(self) -> None:
        if self.operand.type != self.result.type:
            raise VerifyException("host.keep gives a buffer of the type that it takes")


@irdl_op_definition
class ReadOp(IRDLOperation, metaclass=ByType):
    """The only element of a buffer as a number (`t.item()`)."""

    name = "host.read"
    operand = operand_def(MemRefType)
    result = result_def()
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(
        self, operand: SSAValue, result_type: Attribute, *, location: LocationAttr
    ):
        super().__init__(operands=[operand], result_types=[result_type])
        self.location = location

    def verify_(self) -> None:
        buffer = self.operand.type
        assert isinstance(buffer, MemRefType)
        if count(buffer) not in (1, None):
            raise VerifyException(f"host.read needs one element, {buffer} has more")
        if self.result.type not in NUMBERS:
            raise VerifyException(f"host.read gives a number, not {self.result.type}")


@irdl_op_definition
class LaunchOp(IRDLOperation, metaclass=ByType):
    """Run a kernel of this module: it reads `ins` and fills every buffer of `outs`."""

    name = "host.launch"
    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def()
    outputs = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$kernel `ins` `(` ($inputs^ `:` type($inputs))? `)` "
        "`outs` `(` ($outputs^ `:` type($outputs))? `)` attr-dict"
    )

    def __init__(
        self,
        kernel: str,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[inputs, outputs], properties={"kernel": SymbolRefAttr(kernel)}
        )
        self.location = location

    @property
    def kernel_name(self) -> str:
        """The kernel's symbol."""
        return self.kernel.root_reference.data

    def verify_(self) -> None:
        for value in self.inputs:
            if not isinstance(value.type, MemRefType) and value.type not in NUMBERS:
                raise VerifyException(
                    f"a kernel reads buffers and numbers, not {value.type}"
                )
        for value in (*self.inputs, *self.outputs):
            if isinstance(value.type, MemRefType) and (
                why := why_not_a_buffer(value.type)
            ):
                raise VerifyException(f"{value.type} {why}")
