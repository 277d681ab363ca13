"""One of several, chosen by the data: where a key stands, and a region for each place.

`experts[i](x)` is a `dycl.position` (which may raise) and a `dycl.switch` whose arms
know which expert they call.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.ends import YieldOp, verify_end
from dycl.ir.dialect.syntax import (
    VALUE,
    RunsOnHost,
    ValueOp,
    parse_region,
    parse_result_types,
    print_region,
    print_result_types,
)
from dycl.ir.interfaces import (
    RegionBranchOp,
)
from dycl.ir.values import from_attr


@irdl_op_definition
class PositionOp(ValueOp):
    """Where a key stands among `keys`: an int from 0 on.

    `keys` is a length (the key is an index of a sequence, negative ones count from its
    end) or a tuple of a dict's keys. `error` is what a key that is not there raises:
    the name of the exception and its text with `{}` for the key, `"IndexError: index
    {} is out of range"`. Without a text the exception holds the key itself; the empty
    `error` raises nothing: the result is then the number of keys.

    Not Pure: it raises, so it stays where the user wrote it.
    """

    name = "dycl.position"
    key = operand_def()
    keys = prop_def()
    error = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(RunsOnHost())

    def __init__(self, key: SSAValue, keys: Attribute, error: str):
        super().__init__(
            operands=[key],
            properties={"keys": keys, "error": StringAttr(error)},
            result_types=[VALUE],
        )

    @property
    def known_keys(self) -> object:
        """The length, or the tuple of keys."""
        return from_attr(self.keys)

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.key)
        printer.print_string(" in ")
        printer.print_attribute(self.keys)
        if self.error.data:
            printer.print_string(" else ")
            printer.print_attribute(self.error)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        key = parser.parse_unresolved_operand()
        parser.parse_keyword("in")
        properties["keys"] = parser.parse_attribute()
        error = ""
        if parser.parse_optional_keyword("else") is not None:
            error = parser.parse_str_literal()
        properties["error"] = StringAttr(error)
        return [key]

    def verify_(self) -> None:
        if type(self.known_keys) not in (int, tuple):
            raise VerifyException("the keys are a length or a tuple")


@irdl_op_definition
class SwitchOp(RegionBranchOp):
    """Take the region of this number; one that yields gives the op's results.

    The last region is that of every number without a case. Attribute: `test`, what the
    number stands for in the user's words; `cases`, what the user calls the cases, if
    not by their numbers.
    """

    name = "dycl.switch"
    position = operand_def()
    results_ = var_result_def()
    arms = var_region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        position: SSAValue,
        result_types: Sequence[Attribute],
        arms: Sequence[Region],
        attributes: dict[str, Attribute] | None = None,
    ):
        super().__init__(
            operands=[position],
            result_types=[result_types],
            regions=[arms],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.position)
        if self.position.type != VALUE:
            printer.print_string(" : ")
            printer.print_attribute(self.position.type)
        print_result_types(printer, self.result_types)
        for number, arm in enumerate(self.arms):
            is_last = number == len(self.arms) - 1
            printer.print_string(" default" if is_last else f" case {number}")
            print_region(printer, arm, hide_end=True)
        if self.attributes:
            printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "SwitchOp":
        position = parser.parse_unresolved_operand()
        typed = parser.parse_optional_punctuation(":") is not None
        position_type = parser.parse_type() if typed else VALUE
        types = parse_result_types(parser)
        arms: list[Region] = []
        while parser.parse_optional_keyword("case") is not None:
            if parser.parse_integer() != len(arms):
                parser.raise_error(f"case {len(arms)} must come here")
            arms.append(parse_region(parser, YieldOp))
        parser.parse_keyword("default")
        arms.append(parse_region(parser, YieldOp))
        return cls(
            parser.resolve_operand(position, position_type),
            types,
            arms,
            parser.parse_optional_attr_dict(),
        )

    def verify_(self) -> None:
        if not self.arms:
            raise VerifyException("dycl.switch needs a default arm")
        for number, arm in enumerate(self.arms):
            verify_end(self, f"arm {number}", arm)

    def blocks(self) -> list[Block]:
        """The arms' blocks, in order."""
        return [arm.block for arm in self.arms]
