"""What a run does besides computing: exceptions, output; and the texts for both."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.calls import CallLike
from dycl.ir.dialect.syntax import (
    VALUE,
    RunsOnHost,
    ValueOp,
    parse_operand_list,
    print_operand_list,
    string_property,
)
from dycl.ir.interfaces import RegionTerminator

CHECKS = {"RuntimeError": "torch._check", "IndexError": "torch._check_index"}
"""Effects of a bool and a text: they raise this with the text, if the bool is false."""


class NamedCall(CallLike):
    """`op "name"(%a, key = %b)`: all operands are arguments."""

    KEY: ClassVar[str] = "function"

    @property
    def positional(self) -> tuple[SSAValue, ...]:
        """Arguments given by position."""
        return tuple(self.operands[: len(self.operands) - len(self.keyword_names)])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.properties[self.KEY])
        self.print_arguments(printer)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties[cls.KEY] = StringAttr(parser.parse_str_literal())
        return cls.parse_arguments(parser, properties)


CLASSES = "dycl.classes"
"""On a `dycl.raise`: what the exception's class derives from besides `as`."""
AGAIN = "dycl.again"
"""On a `dycl.raise` in a handler: it raises what the handler has caught, whatever that
is. No other part of it counts."""


@irdl_op_definition
class RaiseOp(ValueOp, RegionTerminator):
    """End the run with an exception of this class and these arguments.

    `as` names the builtin class that the exception's class derives from.
    """

    name = "dycl.raise"
    RESULTS: ClassVar[int] = 0
    exception = prop_def(StringAttr)
    base = opt_prop_def(StringAttr)
    values = var_operand_def()
    traits = traits_def(IsTerminator(), RunsOnHost())

    def __init__(
        self, exception: str, values: Sequence[SSAValue] = (), base: str | None = None
    ):
        properties: dict[str, Attribute] = {"exception": StringAttr(exception)}
        if base is not None:
            properties["base"] = StringAttr(base)
        super().__init__(operands=[values], properties=properties)

    @classmethod
    def again(cls) -> "RaiseOp":
        """The end of a handler that raises again what it has caught."""
        op = cls("builtins.BaseException")
        op.attributes[AGAIN] = UnitAttr()
        return op

    @property
    def is_again(self) -> bool:
        """Whether it raises what the handler around it has caught."""
        return AGAIN in self.attributes

    @property
    def exception_name(self) -> str:
        """Full name of the exception's class."""
        return string_property(self, "exception")

    @property
    def class_names(self) -> list[str]:
        """The class and those it derives from; not those of Python's own classes."""
        others = cast("ArrayAttr[StringAttr] | None", self.attributes.get(CLASSES))
        names = [self.exception_name, *(n.data for n in others or ())]
        return names if self.base is None else [*names, self.base.data]

    @property
    def base_name(self) -> str:
        """The builtin class that stands in where the exception's is not to be had."""
        return self.exception_name if self.base is None else self.base.data

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.exception)
        if self.base is not None:
            printer.print_string(" as ")
            printer.print_attribute(self.base)
        print_operand_list(printer, self.values)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["exception"] = StringAttr(parser.parse_str_literal())
        if parser.parse_optional_keyword("as") is not None:
            properties["base"] = StringAttr(parser.parse_str_literal())
        return parse_operand_list(parser)

    def verify_(self) -> None:
        if not self.base_name.startswith("builtins."):
            raise VerifyException(
                f'"{self.exception_name}" is not a builtin exception: say which one '
                'may stand in for it, by `as "builtins.Exception"`'
            )


@irdl_op_definition
class EffectOp(NamedCall):
    """Call a function of the host for what it does, not for what it gives.

    Effects happen in the order of the program, each exactly when a run gets there.
    """

    name = "dycl.effect"
    RESULTS: ClassVar[int] = 0
    function = prop_def(StringAttr)
    keywords = prop_def(ArrayAttr[StringAttr])
    arguments = var_operand_def()
    traits = traits_def(RunsOnHost())

    def __init__(
        self,
        function: str,
        arguments: Sequence[SSAValue],
        keywords: Mapping[str, SSAValue],
    ):
        super().__init__(
            operands=[[*arguments, *keywords.values()]],
            properties={
                "function": StringAttr(function),
                "keywords": ArrayAttr(map(StringAttr, keywords)),
            },
        )

    @property
    def function_name(self) -> str:
        """Full name of what is called."""
        return string_property(self, "function")


@irdl_op_definition
class FormatOp(NamedCall):
    """`template.format(a, key=b)`, a text."""

    name = "dycl.format"
    KEY: ClassVar[str] = "template"
    template = prop_def(StringAttr)
    keywords = prop_def(ArrayAttr[StringAttr])
    arguments = var_operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(
        self,
        template: str,
        arguments: Sequence[SSAValue],
        keywords: Mapping[str, SSAValue],
        result_type: Attribute = VALUE,
    ):
        super().__init__(
            operands=[[*arguments, *keywords.values()]],
            properties={
                "template": StringAttr(template),
                "keywords": ArrayAttr(map(StringAttr, keywords)),
            },
            result_types=[result_type],
        )

    @property
    def template_text(self) -> str:
        """The text with its `{}`."""
        return string_property(self, "template")
