"""The choice of one body out of several."""

from collections.abc import Sequence

from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect.syntax import parse_region
from dycl.ir.graph.nodes import ConditionType, EndOp, parse_condition, print_body


@irdl_op_definition
class SwitchOp(IRDLOperation, metaclass=ByType):
    """Run the body whose number the condition is; none, if there is no such body.

    Attributes: `test` and `name`, as the first decision has them.
    """

    name = "graph.switch"
    condition = operand_def(ConditionType)
    bodies = var_region_def("single_block")

    def __init__(self, condition: SSAValue, bodies: Sequence[Region]):
        super().__init__(operands=[condition], regions=[bodies])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        for body in self.bodies:
            printer.print_string(" case")
            print_body(printer, body)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "SwitchOp":
        condition = parse_condition(parser)
        bodies: list[Region] = []
        while parser.parse_optional_keyword("case") is not None:
            bodies.append(parse_region(parser, EndOp))
        op = cls(condition, bodies)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def verify_(self) -> None:
        if len(self.bodies) < 2:
            raise VerifyException("graph.switch has two bodies or more")
