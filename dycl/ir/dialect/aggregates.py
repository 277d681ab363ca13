"""Tuples, lists, dicts and slices, and what is in them."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.operators import BINARY_KINDS
from dycl.ir.dialect.syntax import (
    VALUE,
    ValueOp,
    parse_operand_list,
    print_operand_list,
)
from dycl.ir.records import RecordType, RecordTypeAttr


class _AggregateOp(ValueOp):
    """`op(%a, %b)`."""

    def __init__(self, items: Sequence[SSAValue]):
        super().__init__(operands=[items], result_types=[VALUE])

    def print_body(self, printer: Printer) -> None:
        print_operand_list(printer, self.operands)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return parse_operand_list(parser)


@irdl_op_definition
class TupleOp(_AggregateOp):
    """`(a, b)`."""

    name = "dycl.tuple"
    items = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())


@irdl_op_definition
class RecordOp(ValueOp):
    """An instance of a dataclass or of a named tuple's class, of a tuple of fields.

    It is never changed after it is made: a program that does so is refused.
    """

    name = "dycl.record"
    fields = operand_def()
    record = prop_def(RecordTypeAttr)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, fields: SSAValue, record: RecordType):
        super().__init__(
            operands=[fields],
            properties={"record": record.attr},
            result_types=[VALUE],
        )

    @property
    def record_type(self) -> RecordType:
        """The class."""
        return RecordType.of(self.record)

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.fields)
        printer.print_string(" as ")
        printer.print_attribute(self.record)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        parser.parse_keyword("as")
        properties["record"] = parser.parse_attribute()
        return [operand]


@irdl_op_definition
class ListOp(_AggregateOp):
    """`[a, b]`: a new list each time it is run."""

    name = "dycl.list"
    items = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())


@irdl_op_definition
class DictOp(_AggregateOp):
    """`{a: b}`: key, value, key, value; a new dict each time it is run."""

    name = "dycl.dict"
    items = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())


@irdl_op_definition
class SliceOp(_AggregateOp):
    """`start:stop:step`."""

    name = "dycl.slice"
    items = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())


@irdl_op_definition
class SubscriptOp(ValueOp):
    """`v[i]`."""

    name = "dycl.subscript"
    operand = operand_def()
    index = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, index: SSAValue):
        super().__init__(operands=[operand, index], result_types=[VALUE])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        with printer.in_square_brackets():
            printer.print_operand(self.index)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            return [operand, parser.parse_unresolved_operand()]


@irdl_op_definition
class StoreSubscriptOp(ValueOp):
    """`v[i] = value`."""

    name = "dycl.store_subscript"
    RESULTS: ClassVar[int] = 0
    operand = operand_def()
    index = operand_def()
    value = operand_def()

    def __init__(self, operand: SSAValue, index: SSAValue, value: SSAValue):
        super().__init__(operands=[operand, index, value])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        with printer.in_square_brackets():
            printer.print_operand(self.index)
        printer.print_string(", ")
        printer.print_operand(self.value)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            index = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        return [operand, index, parser.parse_unresolved_operand()]


@irdl_op_definition
class UpdateSubscriptOp(ValueOp):
    """`v[i][j] = value` of a tensor v; with a kind, `v[i][j] += value` and its like.

    The result is v, as the methods of torch that update in place give it.
    """

    name = "dycl.update_subscript"
    kind = opt_prop_def(StringAttr)
    operand = operand_def()
    path = var_operand_def()
    value = operand_def()
    result = result_def()

    def __init__(
        self,
        operand: SSAValue,
        path: Sequence[SSAValue],
        value: SSAValue,
        kind: str | None = None,
        result_type: Attribute = VALUE,
    ):
        super().__init__(
            operands=[operand, path, value],
            properties={} if kind is None else {"kind": StringAttr(kind)},
            result_types=[result_type],
        )

    @property
    def kind_name(self) -> str | None:
        """The operator in the words of `dycl.inplace`, or None: only store."""
        return None if self.kind is None else self.kind.data

    def verify_(self) -> None:
        if self.kind is not None and self.kind.data not in BINARY_KINDS:
            raise VerifyException(f"{self.name} has no kind '{self.kind.data}'")

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" " if self.kind is None else f" {self.kind.data} ")
        printer.print_operand(self.operand)
        with printer.in_square_brackets():
            printer.print_list(self.path, printer.print_operand)
        printer.print_string(", ")
        printer.print_operand(self.value)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        kind = parser.parse_optional_identifier()
        if kind is not None:
            properties["kind"] = StringAttr(kind)
        operand = parser.parse_unresolved_operand()
        path = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(",")
        return [operand, *path, parser.parse_unresolved_operand()]


@irdl_op_definition
class UnpackOp(ValueOp):
    """`a, b = v`: exactly as many items as results; `a, *b = v`: at least.

    `v -> 3 star 1`: the second result is the list of what the others leave over.
    """

    name = "dycl.unpack"
    operand = operand_def()
    star = opt_prop_def(IntAttr)
    items = var_result_def()
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, count: int, star: int | None = None):
        super().__init__(
            operands=[operand],
            result_types=[[VALUE] * count],
            properties={} if star is None else {"star": IntAttr(star)},
        )

    def fits(self, count: int) -> bool:
        """Whether so many items can be given to the names."""
        names = len(self.results)
        return count == names if self.star is None else count >= names - 1

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        printer.print_string(f" -> {len(self.items)}")
        if self.star is not None:
            printer.print_string(f" star {self.star.data}")

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation("->")
        properties["count"] = IntAttr(parser.parse_integer(allow_boolean=False))
        if parser.parse_optional_keyword("star"):
            properties["star"] = IntAttr(parser.parse_integer(allow_boolean=False))
        return [operand]

    @classmethod
    def result_count(cls, properties: dict[str, Attribute]) -> int:
        count = properties.pop("count")
        assert isinstance(count, IntAttr)
        return count.data
