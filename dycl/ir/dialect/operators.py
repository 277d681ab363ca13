"""Python's operators as ops, and values known at compile time.

Each op means exactly what Python means by it; `dycl.ir.semantics` evaluates them.
"""

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.syntax import (
    VALUE,
    PlainOp,
    RunsOnHost,
    ValueOp,
    string_property,
)

BINARY_KINDS: dict[str, str] = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
"""Keyword of `dycl.binary` and `dycl.inplace` -> Python's operator."""

UNARY_KINDS: dict[str, str] = {"neg": "-", "pos": "+", "invert": "~", "not": "not "}
"""Keyword of `dycl.unary` -> Python's operator."""

COMPARE_KINDS: dict[str, str] = {
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "is": "is",
    "is_not": "is not",
    "in": "in",
    "not_in": "not in",
}
"""Keyword of `dycl.compare` -> Python's operator."""


@irdl_op_definition
class ConstantOp(ValueOp):
    """A Python value known at compile time."""

    name = "dycl.constant"
    value = prop_def()
    result = result_def()
    traits = traits_def(Pure(), ConstantLike(), RunsOnHost())

    def __init__(self, value: Attribute, result_type: Attribute = VALUE):
        # Without asking how many of each there are: most ops are constants.
        Operation.__init__(
            self, properties={"value": value}, result_types=[result_type]
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.value)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        if self.result.type != VALUE:
            printer.print_string(" -> ")
            printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> "ConstantOp":
        value = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        typed = parser.parse_optional_punctuation("->") is not None
        op = cls(value, parser.parse_type() if typed else VALUE)
        op.attributes.update(attributes)
        return op


class _NamedOp(ValueOp):
    """`op %a, %b` with a leading keyword from a fixed set: `op kind %a, %b`."""

    KINDS: ClassVar[dict[str, str]] = {}

    @property
    def kind_name(self) -> str:
        """The keyword."""
        return string_property(self, "kind")

    @property
    def operator(self) -> str:
        """Python's operator."""
        return self.KINDS[self.kind_name]

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind_name} ")
        printer.print_list(self.operands, printer.print_operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["kind"] = StringAttr(parser.parse_keyword_in(tuple(cls.KINDS)))
        return parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )

    def verify_(self) -> None:
        if self.kind_name not in self.KINDS:
            raise VerifyException(f"{self.name} has no kind '{self.kind_name}'")


@irdl_op_definition
class UnaryOp(_NamedOp):
    """`-a`, `+a`, `~a`, `not a`."""

    name = "dycl.unary"
    KINDS: ClassVar[dict[str, str]] = UNARY_KINDS
    kind = prop_def(StringAttr)
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, kind: str, operand: SSAValue, result_type: Attribute = VALUE):
        super().__init__(
            operands=[operand],
            properties={"kind": StringAttr(kind)},
            result_types=[result_type],
        )


class _BinaryLike(_NamedOp):
    def __init__(
        self, kind: str, lhs: SSAValue, rhs: SSAValue, result_type: Attribute = VALUE
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={"kind": StringAttr(kind)},
            result_types=[result_type],
        )


@irdl_op_definition
class BinaryOp(_BinaryLike):
    """`a + b` and its like."""

    name = "dycl.binary"
    KINDS: ClassVar[dict[str, str]] = BINARY_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())


@irdl_op_definition
class InplaceOp(_BinaryLike):
    """`a += b` and its like; the result is what the name is bound to afterwards."""

    name = "dycl.inplace"
    KINDS: ClassVar[dict[str, str]] = BINARY_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()


@irdl_op_definition
class CompareOp(_BinaryLike):
    """One comparison (a chain is several, joined by `dycl.if`)."""

    name = "dycl.compare"
    KINDS: ClassVar[dict[str, str]] = COMPARE_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())


@irdl_op_definition
class ToBoolOp(PlainOp):
    """`bool(a)`, as `if a:` asks for it."""

    name = "dycl.to_bool"
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, operand: SSAValue, result_type: Attribute = VALUE):
        super().__init__(operands=[operand], result_types=[result_type])


@irdl_op_definition
class SelectOp(PlainOp):
    """The second operand if the first is true, else the third; both are computed."""

    name = "dycl.select"
    condition = operand_def()
    if_true = operand_def()
    if_false = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue):
        super().__init__(
            operands=[condition, if_true, if_false], result_types=[if_true.type]
        )


@irdl_op_definition
class UnboundOp(ValueOp):
    """A local name that has no value on this path; reading it is an error.

    Without a name it stands in a place that nobody reads on this path.
    """

    name = "dycl.unbound"
    variable = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, variable: str, result_type: Attribute = VALUE):
        super().__init__(
            properties={"variable": StringAttr(variable)}, result_types=[result_type]
        )

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.variable)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["variable"] = StringAttr(parser.parse_str_literal())
        return []


@irdl_op_definition
class UnsupportedOp(ValueOp):
    """Python that DyCL refuses, if it can be reached: code, what, and what to do."""

    name = "dycl.unsupported"
    code = prop_def(StringAttr)
    what = prop_def(StringAttr)
    help = prop_def(StringAttr)
    result = result_def()

    def __init__(self, code: str, what: str, help: str):
        super().__init__(
            properties={
                "code": StringAttr(code),
                "what": StringAttr(what),
                "help": StringAttr(help),
            },
            result_types=[VALUE],
        )

    def print_body(self, printer: Printer) -> None:
        for prop in (self.code, self.what, self.help):
            printer.print_string(" ")
            printer.print_attribute(prop)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        for name in ("code", "what", "help"):
            properties[name] = StringAttr(parser.parse_str_literal())
        return []
