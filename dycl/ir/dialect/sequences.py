"""Lists whose length the data decides: values, made anew by each op.

A Python list that a data-dependent branch or loop changes is a *sequence* from
`dycl-carry-lists` on: no name is changed, a loop carries what the list is by then. On
the host a buffer that becomes an item is copied, since a launch may fill it anew.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect.syntax import (
    VALUE,
    PlainOp,
    RunsOnHost,
    ValueOp,
    parse_operand_list,
    print_operand_list,
    string_property,
)


@irdl_attr_definition
class SequenceType(ParametrizedAttribute, TypeAttribute, metaclass=ByType):
    """A list of any length whose items are of one type."""

    name = "dycl.sequence"
    element: Attribute = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<` type `>`."""
        with parser.in_angle_brackets():
            return [parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        """Print `<` type `>`."""
        with printer.in_angle_brackets():
            printer.print_attribute(self.element)


@irdl_op_definition
class SequenceOp(ValueOp):
    """A sequence of these items."""

    name = "dycl.sequence"
    items = var_operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, items: Sequence[SSAValue], result_type: Attribute = VALUE):
        super().__init__(operands=[items], result_types=[result_type])

    def print_body(self, printer: Printer) -> None:
        print_operand_list(printer, self.operands)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return parse_operand_list(parser)


class _TwoOperandOp(PlainOp):
    """`op %a, %b`, and no other number of operands."""

    def __init__(self, lhs: SSAValue, rhs: SSAValue, result_type: Attribute = VALUE):
        super().__init__(operands=[lhs, rhs], result_types=[result_type])

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        first = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        return [first, parser.parse_unresolved_operand()]


@irdl_op_definition
class AppendOp(_TwoOperandOp):
    """A sequence with one more item at its end."""

    name = "dycl.append"
    sequence = operand_def()
    value = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())


@irdl_op_definition
class ExtendOp(_TwoOperandOp):
    """A sequence with all items of another at its end."""

    name = "dycl.extend"
    sequence = operand_def()
    other = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())


@irdl_op_definition
class TakeOp(PlainOp):
    """`s[start:stop]`: bounds below 0 count from the end, others are clamped."""

    name = "dycl.take"
    sequence = operand_def()
    start = operand_def()
    stop = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(
        self,
        sequence: SSAValue,
        start: SSAValue,
        stop: SSAValue,
        result_type: Attribute = VALUE,
    ):
        super().__init__(operands=[sequence, start, stop], result_types=[result_type])


@irdl_op_definition
class LengthOp(ValueOp):
    """How many items a sequence has."""

    name = "dycl.length"
    sequence = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, sequence: SSAValue, result_type: Attribute):
        super().__init__(operands=[sequence], result_types=[result_type])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.sequence)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return [parser.parse_unresolved_operand()]


@irdl_op_definition
class GetOp(ValueOp):
    """An item of a sequence; an index below 0 counts from the end.

    Not Pure: as in Python there may be no such item, which raises IndexError.
    """

    name = "dycl.get"
    sequence = operand_def()
    index = operand_def()
    result = result_def()
    traits = traits_def(RunsOnHost())

    def __init__(self, sequence: SSAValue, index: SSAValue, result_type: Attribute):
        super().__init__(operands=[sequence, index], result_types=[result_type])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.sequence)
        with printer.in_square_brackets():
            printer.print_operand(self.index)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        sequence = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            return [sequence, parser.parse_unresolved_operand()]


@irdl_op_definition
class ConcatOp(ValueOp):
    """One tensor of a sequence's items.

    `stack`: tensors, along a new dimension; `cat`: tensors, along one that they have;
    `tensor`: numbers, of the result's dtype; `index`: ints that are an index, which may
    be none. Not Pure: an empty sequence raises what torch raises, as do tensors that do
    not fit.
    """

    name = "dycl.concat"
    KINDS: ClassVar[tuple[str, ...]] = ("stack", "cat", "tensor", "index")
    kind = prop_def(StringAttr)
    dim = prop_def(IntegerAttr)
    sequence = operand_def()
    result = result_def()
    traits = traits_def(RunsOnHost())

    def __init__(self, kind: str, sequence: SSAValue, dim: int, result_type: Attribute):
        """`dim` counts from the front: it is not negative."""
        super().__init__(
            operands=[sequence],
            properties={"kind": StringAttr(kind), "dim": IntegerAttr(dim, i64)},
            result_types=[result_type],
        )

    @property
    def kind_name(self) -> str:
        """The keyword."""
        return string_property(self, "kind")

    @property
    def dimension(self) -> int:
        """The new or growing dimension."""
        return self.dim.value.data

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind_name} ")
        printer.print_operand(self.sequence)
        printer.print_string(f" dim {self.dimension}")

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["kind"] = StringAttr(parser.parse_keyword_in(cls.KINDS))
        sequence = parser.parse_unresolved_operand()
        parser.parse_keyword("dim")
        number = parser.parse_integer(allow_boolean=False, allow_negative=False)
        properties["dim"] = IntegerAttr(IntAttr(number), i64)
        return [sequence]

    def verify_(self) -> None:
        if self.kind_name not in self.KINDS:
            raise VerifyException(f"dycl.concat has no kind '{self.kind_name}'")


@irdl_op_definition
class ToListOp(ValueOp):
    """`t.tolist()`: a tensor's numbers as a sequence, of sequences for each row."""

    name = "dycl.tolist"
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return [parser.parse_unresolved_operand()]
