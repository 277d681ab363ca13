"""Attributes and calls of Python values."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure

from dycl.ir.dialect.syntax import (
    VALUE,
    PlainOp,
    ValueOp,
)


@irdl_op_definition
class GetattrOp(ValueOp):
    """`v.name`."""

    name = "dycl.getattr"
    operand = operand_def()
    attribute = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, attribute: str):
        super().__init__(
            operands=[operand],
            properties={"attribute": StringAttr(attribute)},
            result_types=[VALUE],
        )

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        printer.print_string(" ")
        printer.print_attribute(self.attribute)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        properties["attribute"] = StringAttr(parser.parse_str_literal())
        return [operand]


@irdl_op_definition
class SetattrOp(ValueOp):
    """`v.name = value`."""

    name = "dycl.setattr"
    RESULTS: ClassVar[int] = 0
    operand = operand_def()
    value = operand_def()
    attribute = prop_def(StringAttr)

    def __init__(self, operand: SSAValue, attribute: str, value: SSAValue):
        super().__init__(
            operands=[operand, value], properties={"attribute": StringAttr(attribute)}
        )

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        printer.print_string(" ")
        printer.print_attribute(self.attribute)
        printer.print_string(", ")
        printer.print_operand(self.value)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        properties["attribute"] = StringAttr(parser.parse_str_literal())
        parser.parse_punctuation(",")
        return [operand, parser.parse_unresolved_operand()]


class CallLike(ValueOp):
    """`op %callee [...](%a, %b, key = %c)`.

    Two names are no keywords: `"*" = %t` adds the items of a tuple to the arguments by
    position, `"**" = %d` (any number of them) the entries of a mapping by name.
    """

    @property
    def keyword_names(self) -> tuple[str, ...]:
        """Names of the last operands, those given by keyword."""
        names = cast("ArrayAttr[StringAttr]", self.properties["keywords"]).data
        return tuple([name.data for name in names]) if names else ()

    @property
    def positional(self) -> tuple[SSAValue, ...]:
        """Arguments given by position."""
        given = tuple(self.operands)
        return given[1 : len(given) - len(self.keyword_names)]

    @property
    def is_starred(self) -> bool:
        """Whether some arguments are still inside of tuples or mappings."""
        return not {"*", "**"}.isdisjoint(self.keyword_names)

    def takes_apart(self, index: int) -> bool:
        """Whether only what is in an operand is handed on: `f(*v)`, `f(**v)`."""
        names = self.keyword_names
        place = index - (len(self.operands) - len(names))
        return place >= 0 and names[place] in ("*", "**")

    @property
    def keyword_arguments(self) -> dict[str, SSAValue]:
        """Arguments given by keyword, in order."""
        names = self.keyword_names
        given = self.operands[len(self.operands) - len(names) :]
        return dict(zip(names, given, strict=True))

    def print_arguments(self, printer: Printer) -> None:
        """`(%a, key = %b)`."""
        names = self.keyword_names
        entries = [(None, v) for v in self.positional]
        given = self.operands[len(self.operands) - len(names) :]
        entries += list(zip(names, given, strict=True))

        def one(entry: tuple[str | None, SSAValue]) -> None:
            if entry[0] is not None:
                name = entry[0]
                plain = name.isascii() and name.isidentifier()
                name = name if plain else f'"{name}"'
                printer.print_string(f"{name} = ")
            printer.print_operand(entry[1])

        with printer.in_parens():
            printer.print_list(entries, one)

    @staticmethod
    def parse_arguments(
        parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        """`(%a, key = %b)`."""
        names: list[StringAttr] = []

        def one() -> UnresolvedOperand:
            key = parser.parse_optional_identifier()
            key = parser.parse_optional_str_literal() if key is None else key
            if key is not None:
                names.append(StringAttr(key))
                parser.parse_punctuation("=")
            return parser.parse_unresolved_operand()

        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)
        properties["keywords"] = ArrayAttr(names)
        return operands


@irdl_op_definition
class CallOp(CallLike):
    """`f(a, key=b)`."""

    name = "dycl.call"
    callee = operand_def()
    arguments = var_operand_def()
    keywords = prop_def(ArrayAttr[StringAttr])
    result = result_def()

    def __init__(
        self,
        callee: SSAValue,
        arguments: Sequence[SSAValue],
        keywords: Sequence[str] = (),
    ):
        super().__init__(
            operands=[callee, arguments],
            properties={"keywords": ArrayAttr(StringAttr(k) for k in keywords)},
            result_types=[VALUE],
        )

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.callee)
        self.print_arguments(printer)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        callee = parser.parse_unresolved_operand()
        return [callee, *cls.parse_arguments(parser, properties)]


@irdl_op_definition
class InvokeOp(CallLike):
    """`v.method(a, key=b)`."""

    name = "dycl.invoke"
    receiver = operand_def()
    arguments = var_operand_def()
    method = prop_def(StringAttr)
    keywords = prop_def(ArrayAttr[StringAttr])
    result = result_def()

    def __init__(
        self,
        receiver: SSAValue,
        method: str,
        arguments: Sequence[SSAValue],
        keywords: Sequence[str] = (),
    ):
        super().__init__(
            operands=[receiver, arguments],
            properties={
                "method": StringAttr(method),
                "keywords": ArrayAttr(StringAttr(k) for k in keywords),
            },
            result_types=[VALUE],
        )

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.receiver)
        printer.print_string(" ")
        printer.print_attribute(self.method)
        self.print_arguments(printer)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        receiver = parser.parse_unresolved_operand()
        properties["method"] = StringAttr(parser.parse_str_literal())
        return [receiver, *cls.parse_arguments(parser, properties)]


@irdl_op_definition
class YieldValueOp(PlainOp):
    """`yield v` in a generator function: whoever goes over it has `v` next.

    It stands in functions only: a loop over what one gives is put into its body.
    """

    RESULTS: ClassVar[int] = 0

    name = "dycl.yield_value"
    value = operand_def()

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value])
