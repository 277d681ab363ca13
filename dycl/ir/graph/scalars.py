"""What a thread of `graph.scalars` does besides computing."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, MemRefType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.graph.nodes import CONDITION, ConditionType


@irdl_op_definition
class WriteOp(IRDLOperation, metaclass=ByType):
    """Fill a slot with a number."""

    name = "graph.write"
    value = operand_def()
    slot = operand_def(MemRefType)
    assembly_format = "$value `to` $slot attr-dict `:` type($value) `->` type($slot)"

    def __init__(self, value: SSAValue, slot: SSAValue):
        super().__init__(operands=[value, slot])

    def verify_(self) -> None:
        slot = self.slot.type
        assert isinstance(slot, MemRefType)
        if slot.element_type != self.value.type:
            raise VerifyException(f"{slot} does not hold {self.value.type}")


@irdl_op_definition
class SetOp(IRDLOperation, metaclass=ByType):
    """Set a condition to a bool, or to the number of a body.

    That of a run which has stopped is false, or the number of no body.
    """

    name = "graph.set"
    condition = operand_def(ConditionType)
    value = operand_def()

    def __init__(self, condition: SSAValue, value: SSAValue):
        super().__init__(operands=[condition, value])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        if self.value.type != i1:
            printer.print_string(" : ")
            printer.print_attribute(self.value.type)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "SetOp":
        names = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        names.append(parser.parse_unresolved_operand())
        is_number = parser.parse_optional_punctuation(":") is not None
        kind = parser.parse_type() if is_number else i1
        condition, value = (
            parser.resolve_operand(name, each)
            for name, each in zip(names, (CONDITION, kind), strict=True)
        )
        op = cls(condition, value)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def verify_(self) -> None:
        if self.value.type not in (i1, i64):
            raise VerifyException("graph.set takes a bool or the number of a body")


@irdl_op_definition
class StopOp(IRDLOperation, metaclass=ByType):
    """If true, the run is of no use: the host has to do it."""

    name = "graph.stop"
    value = operand_def(i1)

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "StopOp":
        op = cls(parser.resolve_operand(parser.parse_unresolved_operand(), i1))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op


class _NumberedOp(IRDLOperation, metaclass=ByType):
    """An op with a number, and a bool without which it does nothing."""

    @property
    def index(self) -> int:
        """The number."""
        number = self.properties["number"]
        assert isinstance(number, IntAttr)
        return number.data


@irdl_op_definition
class RecordOp(_NumberedOp):
    """Note which side of a decision is taken, if `when` is true or is not there."""

    name = "graph.record"
    number = prop_def(IntAttr)
    value = operand_def(i1)
    when = opt_operand_def(i1)

    def __init__(self, number: int, value: SSAValue, when: Sequence[SSAValue] = ()):
        super().__init__(operands=[value, when], properties={"number": IntAttr(number)})

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.index}, ")
        printer.print_operand(self.value)
        _print_when(printer, self.when)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "RecordOp":
        number = parser.parse_integer()
        parser.parse_punctuation(",")
        value = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        op = cls(number, value, _parse_when(parser))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op


@irdl_op_definition
class ExitOp(_NumberedOp):
    """Note which return ends the run, if `when` is true or is not there."""

    name = "graph.exit"
    number = prop_def(IntAttr)
    when = opt_operand_def(i1)

    def __init__(self, number: int, when: Sequence[SSAValue] = ()):
        super().__init__(operands=[when], properties={"number": IntAttr(number)})

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.index}")
        _print_when(printer, self.when)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "ExitOp":
        op = cls(parser.parse_integer(), _parse_when(parser))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op


def _print_when(printer: Printer, when: SSAValue | None) -> None:
    if when is not None:
        printer.print_string(" when ")
        printer.print_operand(when)


def _parse_when(parser: Parser) -> list[SSAValue]:
    if parser.parse_optional_keyword("when") is None:
        return []
    return [parser.resolve_operand(parser.parse_unresolved_operand(), i1)]
