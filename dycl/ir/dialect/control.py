"""Branches and scopes as regions: every construct has one way in.

What may end a region, at any depth, is in `ends`; loops are in `loops`.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.decisions import DecisionOp
from dycl.ir.dialect.ends import LeaveOp, UnreachableOp, YieldOp, verify_end
from dycl.ir.dialect.syntax import (
    VALUE,
    RunsOnHost,
    parse_region,
    parse_result_types,
    print_region,
    print_result_types,
    verify_words,
)
from dycl.ir.interfaces import (
    RegionBranchOp,
    RegionTerminator,
)


@irdl_op_definition
class IfOp(DecisionOp):
    """Take one of two regions; a region that yields gives the op's results."""

    name = "dycl.if"
    condition = operand_def()
    results_ = var_result_def()
    then_region = region_def("single_block")
    else_region = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect(), RunsOnHost())

    def __init__(
        self,
        condition: SSAValue,
        result_types: Sequence[Attribute],
        then_region: Region,
        else_region: Region,
        attributes: dict[str, Attribute] | None = None,
    ):
        super().__init__(
            operands=[condition],
            result_types=[result_types],
            regions=[then_region, else_region],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        if self.condition.type != VALUE:
            printer.print_string(" : ")
            printer.print_attribute(self.condition.type)
        print_result_types(printer, self.result_types)
        print_region(printer, self.then_region, hide_end=True)
        if not _is_empty(self.else_region):
            printer.print_string(" else")
            print_region(printer, self.else_region, hide_end=True)
        if self.attributes:
            printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "IfOp":
        condition = parser.parse_unresolved_operand()
        typed = parser.parse_optional_punctuation(":") is not None
        condition_type = parser.parse_type() if typed else VALUE
        types = parse_result_types(parser)
        then_region = parse_region(parser, YieldOp)
        if parser.parse_optional_keyword("else") is not None:
            else_region = parse_region(parser, YieldOp)
        else:
            else_region = Region(Block([YieldOp()]))
        attributes = parser.parse_optional_attr_dict()
        return cls(
            parser.resolve_operand(condition, condition_type),
            types,
            then_region,
            else_region,
            attributes,
        )

    def verify_(self) -> None:
        verify_words(self)
        for side, region in (("then", self.then_region), ("else", self.else_region)):
            verify_end(self, f"the {side} branch", region)


@irdl_op_definition
class ScopeOp(RegionBranchOp):
    """A region that `dycl.leave` ends from any depth; where an inlined call returns."""

    name = "dycl.scope"
    label = prop_def(StringAttr)
    results_ = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect(), RunsOnHost())

    def __init__(self, label: str, result_types: Sequence[Attribute], body: Region):
        super().__init__(
            properties={"label": StringAttr(label)},
            result_types=[result_types],
            regions=[body],
        )

    @property
    def terminators(self) -> list[RegionTerminator]:
        """The leaves of this scope, at any depth, in order."""
        result: list[RegionTerminator] = []
        label = self.label
        # Scopes nest as deep as a chain of joins is long, so each step counts.
        todo: list[Operation | None] = [self.body.block.first_op]
        while todo:
            op = todo.pop()
            while op is not None:
                now, op = op, op._next_op  # its property takes as long as all the rest
                if isinstance(now, LeaveOp):
                    if now.label == label:
                        result.append(now)
                elif now.regions and not (
                    isinstance(now, ScopeOp) and now.label == label
                ):
                    todo.append(op)
                    inner = [b.first_op for r in now.regions for b in r.blocks]
                    todo += reversed(inner)
                    break
        return result

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.label)
        print_result_types(printer, self.result_types)
        print_region(printer, self.body)
        if self.attributes:
            printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "ScopeOp":
        label = parser.parse_str_literal()
        types = parse_result_types(parser)
        op = cls(label, types, parse_region(parser, UnreachableOp))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def verify_(self) -> None:
        last = self.body.block.last_op
        if last is None or isinstance(last, YieldOp):
            raise VerifyException("a dycl.scope ends in dycl.leave or another exit")


def _is_empty(region: Region) -> bool:
    block = region.block
    last = block.last_op
    return block.first_op is last and isinstance(last, YieldOp) and not last.operands
