"""What the syntax of all `dycl` ops shares: operand lists, regions, optional types."""

from collections.abc import Callable, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import IRDLOperation, irdl_attr_definition
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, OpTrait
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType


@irdl_attr_definition
class ValueType(ParametrizedAttribute, TypeAttribute, metaclass=ByType):
    """A Python value whose type is not decided yet (source and normal levels)."""

    name = "dycl.value"


VALUE = ValueType()


class RunsOnHost(OpTrait):
    """Ops that the host runs itself: the same in the hcfg and host levels.

    `dycl-lower-host` gives them other types (`i1` for `!torch.bool`, `memref` for
    tensors) and no other op; which types fit, `dycl.ir.host.rules` says.
    """


class ValueOp(IRDLOperation, metaclass=ByType):
    """Base of ops whose types are left out when all of them are `!dycl.value`.

    A subclass says how the part between its name and the attributes is written
    (`print_body`, `parse_body`); operands come back unresolved, in order.
    """

    RESULTS: ClassVar[int] = 1
    """How many results the op has when the syntax does not say."""

    def print_body(self, printer: Printer) -> None:
        raise NotImplementedError

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        raise NotImplementedError

    def print(self, printer: Printer) -> None:
        self.print_body(printer)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        types = [*self.operand_types, *self.result_types]
        if any(t != VALUE for t in types):
            printer.print_string(" : ")
            printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> "ValueOp":
        properties: dict[str, Attribute] = {}
        position = parser.pos
        operands = cls.parse_body(parser, properties)
        attributes = parser.parse_optional_attr_dict()
        inputs: Sequence[Attribute] = [VALUE] * len(operands)
        outputs: Sequence[Attribute] = [VALUE] * cls.result_count(properties)
        if parser.parse_optional_punctuation(":") is not None:
            function_type = parser.parse_function_type()
            inputs, outputs = function_type.inputs.data, function_type.outputs.data
        return cls.create(
            operands=parser.resolve_operands(operands, inputs, position),
            result_types=outputs,
            properties=properties,
            attributes=attributes,
        )

    @classmethod
    def result_count(cls, properties: dict[str, Attribute]) -> int:
        """The number of results of an op whose types are not written."""
        return cls.RESULTS


class PlainOp(ValueOp):
    """`op %a, %b`."""

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )


def print_operand_list(printer: Printer, operands: Sequence[SSAValue]) -> None:
    """`(%a, %b)`."""
    with printer.in_parens():
        printer.print_list(operands, printer.print_operand)


def parse_operand_list(parser: Parser) -> list[UnresolvedOperand]:
    """`(%a, %b)`."""
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )


def parse_typed_operands(parser: Parser) -> list[SSAValue]:
    """`%a, %b : T, T`, or nothing."""
    names = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    if not names:
        return []
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return list(parser.resolve_operands(names, types, parser.pos))


def print_result_types(printer: Printer, types: Sequence[Attribute]) -> None:
    """` -> (T, T)`, or nothing."""
    if types:
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(types, printer.print_attribute)


def parse_result_types(parser: Parser) -> list[Attribute]:
    """` -> (T, T)`, or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return []
    return list(
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    )


def print_region(printer: Printer, region: Region, *, hide_end: bool = False) -> None:
    """A region without its block arguments; a trivial `dycl.yield` may be hidden."""
    last = region.block.last_op
    hide = hide_end and last is not None and not last.operands and _is_yield(last)
    printer.print_string(" ")
    printer.print_region(
        region, print_entry_block_args=False, print_block_terminators=not hide
    )


def print_function(
    printer: Printer,
    name: StringAttr,
    params: Attribute,
    attributes: dict[str, Attribute],
    body: Region,
) -> None:
    """A function with the names of its arguments: ` @f(%x : T) params ["x"] {...}`."""
    printer.print_string(" ")
    printer.print_symbol_name(name.data)
    with printer.in_parens():
        printer.print_list(body.block.args, printer.print_block_argument)
    printer.print_string(" params ")
    printer.print_attribute(params)
    printer.print_op_attributes(attributes, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


def _is_yield(op: Operation) -> bool:
    return op.name == "dycl.yield" and not op.attributes


def parse_region(
    parser: Parser,
    implicit_end: Callable[[], Operation],
    arguments: Sequence[Parser.Argument] = (),
) -> Region:
    """A region; one without a terminator ends in `implicit_end()`."""
    region = parser.parse_region(arguments)
    if not region.blocks:
        region.add_block(Block())
    last = region.block.last_op
    if last is None or not last.has_trait(IsTerminator):
        region.block.add_op(implicit_end())
    return region


def verify_words(op: Operation) -> None:
    """Raise VerifyException unless `test` and `name`, where given, are texts."""
    for key in ("test", "name"):
        attribute = op.attributes.get(key)
        if attribute is not None and not isinstance(attribute, StringAttr):
            raise VerifyException(f"`{key}` of {op.name} is {attribute}, not a text")


def string_property(op: Operation, name: str) -> str:
    """The text of a string property."""
    return cast(StringAttr, op.properties[name]).data


def print_carried(
    printer: Printer, inner: Sequence[SSAValue], outer: Sequence[SSAValue]
) -> None:
    """` carry(%inner : T = %outer : T, ...)`, or nothing."""
    if not inner:
        return
    printer.print_string(" carry(")
    printer.print_list(
        list(zip(inner, outer, strict=True)), lambda p: _print_carried_one(printer, *p)
    )
    printer.print_string(")")


def _print_carried_one(printer: Printer, inner: SSAValue, outer: SSAValue) -> None:
    _print_typed(printer, inner)
    printer.print_string(" = ")
    _print_typed(printer, outer)


def _print_typed(printer: Printer, value: SSAValue) -> None:
    printer.print_ssa_value(value)
    if value.type != VALUE:
        printer.print_string(" : ")
        printer.print_attribute(value.type)


def parse_carried(parser: Parser) -> tuple[list[Parser.Argument], list[SSAValue]]:
    """` carry(%inner : T = %outer : T, ...)`, or nothing."""
    if parser.parse_optional_keyword("carry") is None:
        return [], []

    def parse_optional_type() -> Attribute:
        typed = parser.parse_optional_punctuation(":") is not None
        return parser.parse_type() if typed else VALUE

    def one() -> tuple[Parser.Argument, SSAValue]:
        inner = parser.parse_argument(expect_type=False)
        inner_type = parse_optional_type()
        parser.parse_punctuation("=")
        outer = parser.parse_unresolved_operand()
        return (
            inner.resolve(inner_type),
            parser.resolve_operand(outer, parse_optional_type()),
        )

    pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)
    return [inner for inner, _ in pairs], [outer for _, outer in pairs]
