"""Python's values and operators as ops.

Each op means exactly what Python means by it; `dycl.ir.semantics` evaluates them.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.syntax import (
    VALUE,
    ValueOp,
    parse_operand_list,
    print_operand_list,
    string_property,
)

BINARY_KINDS = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
UNARY_KINDS = ("neg", "pos", "invert", "not")
COMPARE_KINDS = ("lt", "le", "gt", "ge", "eq", "ne", "is", "is_not", "in", "not_in")


class _ConstantValue(ConstantLike):
    def get_constant_value(self, op: Operation) -> Attribute:
        return op.properties["value"]


@irdl_op_definition
class ConstantOp(ValueOp):
    """A Python value known at compile time."""

    name = "dycl.constant"
    value = prop_def()
    result = result_def()
    traits = traits_def(Pure(), _ConstantValue())

    def __init__(self, value: Attribute, result_type: Attribute = VALUE):
        super().__init__(properties={"value": value}, result_types=[result_type])

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

    KINDS: ClassVar[tuple[str, ...]] = ()

    @property
    def kind_name(self) -> str:
        """The keyword."""
        return string_property(self, "kind")

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind_name} ")
        printer.print_list(self.operands, printer.print_operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["kind"] = StringAttr(parser.parse_keyword_in(cls.KINDS))
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
    KINDS: ClassVar[tuple[str, ...]] = UNARY_KINDS
    kind = prop_def(StringAttr)
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())

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
    KINDS: ClassVar[tuple[str, ...]] = BINARY_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())


@irdl_op_definition
class InplaceOp(_BinaryLike):
    """`a += b` and its like; the result is what the name is bound to afterwards."""

    name = "dycl.inplace"
    KINDS: ClassVar[tuple[str, ...]] = BINARY_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()


@irdl_op_definition
class CompareOp(_BinaryLike):
    """One comparison (a chain is several, joined by `dycl.if`)."""

    name = "dycl.compare"
    KINDS: ClassVar[tuple[str, ...]] = COMPARE_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())


class _PlainOp(ValueOp):
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


@irdl_op_definition
class TruthOp(_PlainOp):
    """`bool(a)`, as `if a:` asks for it."""

    name = "dycl.truth"
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, result_type: Attribute = VALUE):
        super().__init__(operands=[operand], result_types=[result_type])


@irdl_op_definition
class SelectOp(_PlainOp):
    """The second operand if the first is true, else the third; both are computed."""

    name = "dycl.select"
    condition = operand_def()
    if_true = operand_def()
    if_false = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue):
        super().__init__(
            operands=[condition, if_true, if_false], result_types=[if_true.type]
        )


@irdl_op_definition
class UnpackOp(ValueOp):
    """`a, b = v`: exactly as many items as results."""

    name = "dycl.unpack"
    operand = operand_def()
    items = var_result_def()
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, count: int):
        super().__init__(operands=[operand], result_types=[[VALUE] * count])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        printer.print_string(f" -> {len(self.items)}")

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation("->")
        properties["count"] = IntAttr(parser.parse_integer(allow_boolean=False))
        return [operand]

    @classmethod
    def result_count(cls, properties: dict[str, Attribute]) -> int:
        count = properties.pop("count")
        assert isinstance(count, IntAttr)
        return count.data


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


class _CallLike(ValueOp):
    """`op %callee [...](%a, %b, key = %c)`."""

    @property
    def keyword_names(self) -> tuple[str, ...]:
        """Names of the last operands, those given by keyword."""
        names = self.properties["keywords"]
        assert isinstance(names, ArrayAttr)
        return tuple(n.data for n in names if isinstance(n, StringAttr))

    @property
    def positional(self) -> tuple[SSAValue, ...]:
        """Arguments given by position."""
        given = self.operands[1:]
        return tuple(given[: len(given) - len(self.keyword_names)])

    @property
    def keyword_arguments(self) -> dict[str, SSAValue]:
        """Arguments given by keyword, in order."""
        names = self.keyword_names
        given = self.operands[len(self.operands) - len(names) :]
        return dict(zip(names, given, strict=True))

    def print_arguments(self, printer: Printer) -> None:
        """`(%a, key = %b)`."""
        entries = [(None, v) for v in self.positional]
        entries += list(self.keyword_arguments.items())

        def one(entry: tuple[str | None, SSAValue]) -> None:
            if entry[0] is not None:
                printer.print_string(f"{entry[0]} = ")
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
            if key is not None:
                names.append(StringAttr(key))
                parser.parse_punctuation("=")
            return parser.parse_unresolved_operand()

        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)
        properties["keywords"] = ArrayAttr(names)
        return operands


@irdl_op_definition
class CallOp(_CallLike):
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
class InvokeOp(_CallLike):
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
class UnboundOp(ValueOp):
    """A local name that has no value on this path; reading it is an error."""

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
