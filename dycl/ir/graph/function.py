"""The function that is one graph, and what its runs return."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect.syntax import parse_region, parse_typed_operands, print_function

BEHIND = "behind"
"""Attribute of the graph of a segment: the number of the exit that does not return, but
leads on to what the host does next."""


@irdl_op_definition
class FuncOp(IRDLOperation, metaclass=ByType):
    """A network, or a segment of one, whose runs are runs of one graph; `params` names
    its arguments."""

    name = "graph.func"
    sym_name = prop_def(StringAttr)
    params = prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, params: Attribute, body: Region):
        super().__init__(
            properties={"sym_name": StringAttr(name), "params": params},
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        print_function(printer, self.sym_name, self.params, self.attributes, self.body)

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        symbol = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_argument
        )
        parser.parse_keyword("params")
        params = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(symbol.data, params, parse_region(parser, ReturnOp, arguments))
        op.attributes.update({} if attributes is None else attributes.data)
        return op

    @property
    def returned(self) -> "ReturnOp":
        """Its end. Needs a function that verifies."""
        end = self.body.block.last_op
        assert isinstance(end, ReturnOp)
        return end

    def verify_(self) -> None:
        if not isinstance(self.body.block.last_op, ReturnOp):
            raise VerifyException("the body of graph.func ends in graph.return")
        if len(self.params) != len(self.body.block.args):
            raise VerifyException("graph.func has a name for each argument")


@irdl_op_definition
class ReturnOp(IRDLOperation, metaclass=ByType):
    """What runs return: for each number of `graph.exit` a structure of the operands.

    Attribute `numbers`: which operands are slots that stand for a number.
    """

    name = "graph.return"
    values = var_operand_def()
    structures = prop_def(ArrayAttr)
    traits = traits_def(IsTerminator())

    def __init__(
        self, values: Sequence[SSAValue] = (), structures: Sequence[Attribute] = ()
    ):
        super().__init__(
            operands=[values], properties={"structures": ArrayAttr(structures)}
        )

    def print(self, printer: Printer) -> None:
        if self.values:
            printer.print_string(" ")
            printer.print_list(self.values, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list(self.values.types, printer.print_attribute)
        printer.print_string(" as ")
        printer.print_attribute(self.structures)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "ReturnOp":
        values = parse_typed_operands(parser)
        parser.parse_keyword("as")
        structures = parser.parse_attribute()
        assert isinstance(structures, ArrayAttr)
        op = cls(values, structures.data)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op
