"""Arithmetic on the host: Python's numbers, with exactly Python's meaning.

`//` and `%` round down, `/` and `%` by zero raise ZeroDivisionError, a comparison with
NaN is false (`ne`: true), `and`/`or` on numbers are bitwise, ints do not overflow
where Python runs them. Operands of different number types mix as in Python.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import LocationAttr, StringAttr, i1
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
from xdsl.utils.exceptions import VerifyException

from dycl.ir import number_functions
from dycl.ir.dialect.syntax import (
    ValueOp,
    parse_operand_list,
    print_operand_list,
    string_property,
)
from dycl.ir.host.types import NONE, NUMBERS, SCALARS, STR

BINARY_KINDS: dict[str, str] = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
"""Keyword of `host.binary` -> Python's operator."""

UNARY_KINDS: dict[str, str] = {"neg": "-", "pos": "+", "invert": "~", "not": "not "}
"""Keyword of `host.unary` -> Python's operator."""

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
"""Keyword of `host.compare` -> Python's operator."""


class _ScalarOp(ValueOp):
    """`host.op kind %a, %b : (T, T) -> T`, or without a kind."""

    KINDS: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        operands: Sequence[SSAValue],
        result_type: Attribute,
        kind: str | None,
        location: LocationAttr,
    ):
        super().__init__(
            operands=operands,
            result_types=[result_type],
            properties={} if kind is None else {"kind": StringAttr(kind)},
        )
        self.location = location

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind_name} " if self.KINDS else " ")
        printer.print_list(self.operands, printer.print_operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        if cls.KINDS:
            properties["kind"] = StringAttr(parser.parse_keyword_in(tuple(cls.KINDS)))
        return parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )

    @property
    def kind_name(self) -> str:
        """The keyword."""
        return string_property(self, "kind")

    @property
    def operator(self) -> str:
        """Python's operator."""
        return self.KINDS[self.kind_name]

    def verify_(self) -> None:
        if self.KINDS and self.kind_name not in self.KINDS:
            raise VerifyException(f"{self.name} has no kind '{self.kind_name}'")
        for t in (*self.operand_types, *self.result_types):
            if t not in SCALARS:
                raise VerifyException(f"{self.name} works on scalars, not on {t}")
        self.verify_types()

    def verify_types(self) -> None:
        """What holds beyond all types being scalars."""

    def need_numbers(self, what: str) -> None:
        """Raise VerifyException unless the operands are numbers."""
        for t in self.operand_types:
            if t not in NUMBERS:
                raise VerifyException(f"{what} needs numbers, not {SCALARS[t]}")


@irdl_op_definition
class UnaryOp(_ScalarOp):
    """`-a`, `+a`, `~a`, `not a`."""

    name = "host.unary"
    KINDS: ClassVar[dict[str, str]] = UNARY_KINDS
    kind = prop_def(StringAttr)
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(
        self,
        kind: str,
        operand: SSAValue,
        result_type: Attribute,
        *,
        location: LocationAttr,
    ):
        super().__init__([operand], result_type, kind, location)

    def verify_types(self) -> None:
        if self.kind_name == "not":
            if self.result.type != i1:
                raise VerifyException("`not` gives a bool")
        else:
            self.need_numbers(f"`{self.operator}`")


@irdl_op_definition
class BinaryOp(_ScalarOp):
    """`a + b` and its like.

    Not Pure: a division by zero raises, so it stays where the user wrote it.
    """

    name = "host.binary"
    KINDS: ClassVar[dict[str, str]] = BINARY_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()

    def __init__(
        self,
        kind: str,
        lhs: SSAValue,
        rhs: SSAValue,
        result_type: Attribute,
        *,
        location: LocationAttr,
    ):
        super().__init__([lhs, rhs], result_type, kind, location)

    def verify_types(self) -> None:
        if set(self.operand_types) != {STR} or self.kind_name != "add":
            self.need_numbers(f"`{self.operator}`")


@irdl_op_definition
class CompareOp(_ScalarOp):
    """One comparison; false where an operand is NaN, but for `ne`."""

    name = "host.compare"
    KINDS: ClassVar[dict[str, str]] = COMPARE_KINDS
    kind = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def(i1)
    traits = traits_def(Pure())

    def __init__(
        self, kind: str, lhs: SSAValue, rhs: SSAValue, *, location: LocationAttr
    ):
        super().__init__([lhs, rhs], i1, kind, location)

    def verify_types(self) -> None:
        types = set(self.operand_types)
        match self.kind_name:
            case "lt" | "le" | "gt" | "ge" if types != {STR}:
                self.need_numbers(f"`{self.operator}`")
            case "is" | "is_not" if NONE not in types and types != {i1}:
                raise VerifyException(
                    "`is` has a meaning for None and bools only: numbers and texts "
                    "have no identity on the host"
                )
            case "in" | "not_in" if types != {STR}:
                raise VerifyException("`in` needs two texts")
            case _:
                pass


@irdl_op_definition
class TruthOp(_ScalarOp):
    """`bool(a)`, as `if a:` asks for it."""

    name = "host.truth"
    operand = operand_def()
    result = result_def(i1)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, *, location: LocationAttr):
        super().__init__([operand], i1, None, location)


@irdl_op_definition
class BuiltinOp(ValueOp):
    """A function of `dycl.ir.number_functions`: `"math.sqrt"(%a)`.

    Not Pure: it may raise, so it stays where the user wrote it.
    """

    name = "host.builtin"
    function = prop_def(StringAttr)
    arguments = var_operand_def()
    result = result_def()

    def __init__(
        self,
        function: str,
        arguments: Sequence[SSAValue],
        result_type: Attribute,
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[arguments],
            properties={"function": StringAttr(function)},
            result_types=[result_type],
        )
        self.location = location

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f' "{self.function.data}"')
        print_operand_list(printer, self.operands)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["function"] = StringAttr(parser.parse_str_literal())
        return parse_operand_list(parser)

    def verify_(self) -> None:
        name = self.function.data
        if name not in number_functions.NAMES:
            raise VerifyException(f"no function of numbers: {name}")
        for t in (*self.operand_types, *self.result_types):
            if t not in NUMBERS:
                raise VerifyException(f"{name} works on numbers, not on {t}")


@irdl_op_definition
class SelectOp(ValueOp):
    """The second operand if the first is true, else the third: scalars or buffers."""

    name = "host.select"
    condition = operand_def(i1)
    if_true = operand_def()
    if_false = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(
        self,
        condition: SSAValue,
        if_true: SSAValue,
        if_false: SSAValue,
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[condition, if_true, if_false], result_types=[if_true.type]
        )
        self.location = location

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

    def verify_(self) -> None:
        if not self.if_true.type == self.if_false.type == self.result.type:
            raise VerifyException(
                f"host.select chooses between {self.if_true.type} and "
                f"{self.if_false.type}: both must be {self.result.type}"
            )
