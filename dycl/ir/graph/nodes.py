"""Nodes of a graph tree: kernels, copies, numbers, and decisions around them."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import MemRefType, StringAttr, SymbolRefAttr, UnitAttr, i1
from xdsl.ir import (
    Attribute,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect.syntax import parse_region, parse_typed_operands
from dycl.ir.host.types import NUMBERS, count


@irdl_attr_definition
class ConditionType(ParametrizedAttribute, TypeAttribute, metaclass=ByType):
    """What a decision asks: a word that kernels set."""

    name = "graph.condition"


CONDITION = ConditionType()


@irdl_op_definition
class EndOp(IRDLOperation, metaclass=ByType):
    """The end of a body, which the text leaves out."""

    name = "graph.end"
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class ConditionOp(IRDLOperation, metaclass=ByType):
    """A condition, for one `graph.if` or `graph.while`."""

    name = "graph.condition"
    result = result_def(ConditionType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[CONDITION])


class NodeOp(IRDLOperation, metaclass=ByType):
    """What may be left out by a slot: `when` it is false, or `unless` it is."""

    GUARDS: ClassVar[tuple[str, str]] = ("when", "unless")

    @property
    def guard_slot(self) -> SSAValue | None:
        """The slot that is asked; None: it always runs."""
        raise NotImplementedError

    @property
    def is_negated(self) -> bool:
        """Whether it runs where the slot is false."""
        return "unless" in self.properties

    def negate(self) -> None:
        """Run where the slot is false, from now on."""
        self.properties["unless"] = UnitAttr()

    def print_guard(self, printer: Printer) -> None:
        """` when %p`, ` unless %p`, or nothing."""
        if (slot := self.guard_slot) is not None:
            printer.print_string(f" {self.GUARDS[self.is_negated]} ")
            printer.print_operand(slot)

    @classmethod
    def parse_guard(cls, parser: Parser) -> tuple[list[SSAValue], dict[str, Attribute]]:
        """The slot, if there is one, and the properties that go with it."""
        for word in cls.GUARDS:
            if parser.parse_optional_keyword(word) is not None:
                operand = parser.parse_unresolved_operand()
                slot = parser.resolve_operand(operand, MemRefType(i1, []))
                negated = word == cls.GUARDS[1]
                return [slot], {"unless": UnitAttr()} if negated else {}
        return [], {}


@irdl_op_definition
class LaunchOp(NodeOp):
    """Run a kernel of the module: it reads `ins` and fills `outs`.

    A number that it takes is a number, or a slot that holds it.
    """

    name = "graph.launch"
    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def()
    outputs = var_operand_def(MemRefType)
    guard = opt_operand_def(MemRefType)
    unless = opt_prop_def(UnitAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        kernel: str,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        guard: Sequence[SSAValue] = (),
    ):
        super().__init__(
            operands=[inputs, outputs, guard],
            properties={"kernel": SymbolRefAttr(kernel)},
        )

    @property
    def kernel_name(self) -> str:
        """The kernel's symbol."""
        return self.kernel.root_reference.data

    @property
    def guard_slot(self) -> SSAValue | None:
        return self.guard

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.kernel_name)
        for word, values in (("ins", self.inputs), ("outs", self.outputs)):
            printer.print_string(f" {word}(")
            printer.print_list(values, printer.print_operand)
            if values:
                printer.print_string(" : ")
                printer.print_list(values.types, printer.print_attribute)
            printer.print_string(")")
        self.print_guard(printer)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "LaunchOp":
        kernel = parser.parse_symbol_name().data
        inputs, outputs = (_parse_group(parser, word) for word in ("ins", "outs"))
        guard, properties = cls.parse_guard(parser)
        op = cls(kernel, inputs, outputs, guard)
        op.properties.update(properties)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def verify_(self) -> None:
        for value in self.inputs:
            if not isinstance(value.type, MemRefType) and value.type not in NUMBERS:
                raise VerifyException(f"a kernel does not read {value.type}")


def _parse_group(parser: Parser, word: str) -> list[SSAValue]:
    """`ins(%a, %b : T, T)`."""
    parser.parse_keyword(word)
    parser.parse_punctuation("(")
    values = parse_typed_operands(parser)
    parser.parse_punctuation(")")
    return values


@irdl_op_definition
class CopyOp(NodeOp):
    """Fill a buffer with the elements of another one of its type."""

    name = "graph.copy"
    source = operand_def(MemRefType)
    target = operand_def(MemRefType)
    guard = opt_operand_def(MemRefType)
    unless = opt_prop_def(UnitAttr)

    def __init__(
        self, source: SSAValue, target: SSAValue, guard: Sequence[SSAValue] = ()
    ):
        super().__init__(operands=[source, target, guard])

    @property
    def guard_slot(self) -> SSAValue | None:
        return self.guard

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_string(" to ")
        printer.print_operand(self.target)
        self.print_guard(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)

    @classmethod
    def parse(cls, parser: Parser) -> "CopyOp":
        source = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        target = parser.parse_unresolved_operand()
        guard, properties = cls.parse_guard(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        buffer = parser.parse_type()
        ends = [parser.resolve_operand(one, buffer) for one in (source, target)]
        op = cls(ends[0], ends[1], guard)
        op.properties.update(properties)
        op.attributes.update(attributes)
        return op

    def verify_(self) -> None:
        if self.source.type != self.target.type:
            raise VerifyException(f"{self.name} needs two buffers of one type")


@irdl_op_definition
class ScalarsOp(NodeOp):
    """One thread that computes numbers, fills slots, and sets conditions."""

    name = "graph.scalars"
    guard = opt_operand_def(MemRefType)
    unless = opt_prop_def(UnitAttr)
    body = region_def("single_block")

    def __init__(self, body: Region, guard: Sequence[SSAValue] = ()):
        super().__init__(operands=[guard], regions=[body])

    @property
    def guard_slot(self) -> SSAValue | None:
        return self.guard

    def print(self, printer: Printer) -> None:
        self.print_guard(printer)
        print_body(printer, self.body)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "ScalarsOp":
        guard, properties = cls.parse_guard(parser)
        op = cls(parse_region(parser, EndOp), guard)
        op.properties.update(properties)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op


@irdl_op_definition
class IfOp(IRDLOperation, metaclass=ByType):
    """Run one of two bodies. Attributes: `test` and `name`, as a decision has them."""

    name = "graph.if"
    condition = operand_def(ConditionType)
    then_body = region_def("single_block")
    else_body = region_def("single_block")

    def __init__(self, condition: SSAValue, then_body: Region, else_body: Region):
        super().__init__(operands=[condition], regions=[then_body, else_body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        print_body(printer, self.then_body)
        if not is_empty(self.else_body):
            printer.print_string(" else")
            print_body(printer, self.else_body)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "IfOp":
        condition = parse_condition(parser)
        bodies = [parse_region(parser, EndOp)]
        if parser.parse_optional_keyword("else") is not None:
            bodies.append(parse_region(parser, EndOp))
        else:
            bodies.append(empty())
        op = cls(condition, *bodies)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op


@irdl_op_definition
class WhileOp(IRDLOperation, metaclass=ByType):
    """Run a body as long as the condition is true, which the body sets anew."""

    name = "graph.while"
    condition = operand_def(ConditionType)
    body = region_def("single_block")

    def __init__(self, condition: SSAValue, body: Region):
        super().__init__(operands=[condition], regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        print_body(printer, self.body)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "WhileOp":
        op = cls(parse_condition(parser), parse_region(parser, EndOp))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op


def parse_condition(parser: Parser) -> SSAValue:
    """A condition that is named."""
    return parser.resolve_operand(parser.parse_unresolved_operand(), CONDITION)


def print_body(printer: Printer, body: Region) -> None:
    """A region without its end."""
    printer.print_string(" ")
    printer.print_region(body, print_block_terminators=False)


def empty() -> Region:
    """A body in which nothing happens."""
    from xdsl.ir import Block

    return Region(Block([EndOp()]))


def is_empty(body: Region) -> bool:
    """Whether nothing happens in a body."""
    return isinstance(body.block.first_op, EndOp)


def is_slot(value: SSAValue) -> bool:
    """Whether a value is memory for one number."""
    kind = value.type
    return (
        isinstance(kind, MemRefType)
        and kind.element_type in NUMBERS
        and count(kind) == 1
    )


def words_of(op: Operation) -> dict[str, Attribute]:
    """What a node says of the decision that it takes: `test` and `name`."""
    found = {key: op.attributes.get(key) for key in ("test", "name")}
    return {key: one for key, one in found.items() if isinstance(one, StringAttr)}
