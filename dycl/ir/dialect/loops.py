"""Python's loops as regions: `dycl.for` over what is iterated, `dycl.while`.

The names that the body assigns are carried from one iteration to the next.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.decisions import DecisionOp
from dycl.ir.dialect.ends import (
    BreakOp,
    ConditionOp,
    UnreachableOp,
    YieldOp,
    verify_end,
    verify_types,
)
from dycl.ir.dialect.operators import ConstantOp
from dycl.ir.dialect.syntax import (
    VALUE,
    RunsOnHost,
    parse_carried,
    parse_region,
    parse_result_types,
    print_carried,
    print_region,
    print_result_types,
    verify_words,
)
from dycl.ir.interfaces import (
    LoopOp,
    RegionBranchOp,
    RegionSuccessor,
    RegionTerminator,
)


@irdl_op_definition
class ForOp(LoopOp):
    """Python's `for item in iterable`, with the names that the body assigns carried.

    Attribute: `test`, what is asked before each iteration, in the user's words.
    """

    name = "dycl.for"
    FORWARDED_FROM: ClassVar[int | None] = 1
    ARGUMENTS_FROM: ClassVar[int] = 1
    iterable = operand_def()
    initial = var_operand_def()
    results_ = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, iterable: SSAValue, initial: Sequence[SSAValue], body: Region):
        super().__init__(
            operands=[iterable, initial],
            result_types=[[a.type for a in body.block.args[1:]]],
            regions=[body],
        )

    @property
    def entered(self) -> Sequence[Block]:
        return (self.body.block,)

    def region_successors(
        self, source: RegionBranchOp | RegionTerminator
    ) -> tuple[RegionSuccessor, ...]:
        behind = RegionSuccessor(None, self.results)
        if isinstance(source, BreakOp):
            return (behind,)
        return RegionSuccessor(self.body, self.body.block.args[1:]), behind

    @property
    def item(self) -> SSAValue:
        """The loop's item, inside the body."""
        return self.body.block.args[0]

    def print(self, printer: Printer) -> None:
        item, *carried = self.body.block.args
        printer.print_string(" ")
        printer.print_ssa_value(item)
        printer.print_string(" in ")
        printer.print_operand(self.iterable)
        if self.iterable.type != VALUE:
            printer.print_string(" : ")
            printer.print_attribute(self.iterable.type)
        print_carried(printer, carried, self.initial)
        print_region(printer, self.body, hide_end=True)
        if self.attributes:
            printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "ForOp":
        item = parser.parse_argument(expect_type=False)
        parser.parse_keyword("in")
        name = parser.parse_unresolved_operand()
        typed = parser.parse_optional_punctuation(":") is not None
        iterable = parser.resolve_operand(name, parser.parse_type() if typed else VALUE)
        inner, outer = parse_carried(parser)
        body = parse_region(parser, YieldOp, [item.resolve(VALUE), *inner])
        op = cls(iterable, outer, body)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def verify_(self) -> None:
        verify_words(self)
        if len(self.body.block.args) != len(self.initial) + 1:
            raise VerifyException("dycl.for needs one block argument per carried value")
        verify_end(self, "the body", self.body)


ROLLED = "rolled"
"""On a `dycl.while`: how often it runs its body is known, and nobody decides it."""


@irdl_op_definition
class WhileOp(LoopOp, DecisionOp):
    """Python's `while`: the first region decides whether the second is run.

    `dycl.condition` hands its values to the second region, or makes them the results;
    `dycl.yield` and `dycl.continue` hand theirs to the first region, and `dycl.break`
    makes them the results. Unless the condition is a constant, it is a *decision*,
    recorded for each iteration. Attribute: `rolled`, the loop was a `dycl.for` over
    known items, and its condition is none.
    """

    name = "dycl.while"
    FORWARDED_FROM: ClassVar[int | None] = 0
    initial = var_operand_def()
    results_ = var_result_def()
    before = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect(), RunsOnHost())

    def __init__(self, initial: Sequence[SSAValue], before: Region, body: Region):
        super().__init__(
            operands=[initial],
            result_types=[[a.type for a in before.block.args]],
            regions=[before, body],
        )

    def print(self, printer: Printer) -> None:
        args = self.before.block.args
        print_carried(printer, args, self.initial)
        if [a.type for a in args] != list(self.result_types):
            print_result_types(printer, self.result_types)
        print_region(printer, self.before)
        printer.print_string(" do")
        if args:
            with printer.in_parens():
                printer.print_list(
                    list(zip(self.body.block.args, args, strict=True)),
                    lambda pair: self._print_entered(printer, *pair),
                )
        print_region(printer, self.body, hide_end=True)
        if self.attributes:
            printer.print_op_attributes(self.attributes)

    @staticmethod
    def _print_entered(printer: Printer, entered: SSAValue, carried: SSAValue) -> None:
        """`%b`, with its type where that is not the carried one's."""
        printer.print_ssa_value(entered)
        if entered.type != carried.type:
            printer.print_string(" : ")
            printer.print_attribute(entered.type)

    @classmethod
    def parse(cls, parser: Parser) -> "WhileOp":
        inner, outer = parse_carried(parser)
        types = [a.type for a in inner]
        results = parse_result_types(parser) or types
        before = parse_region(parser, UnreachableOp, inner)
        parser.parse_keyword("do")
        waiting = iter(types)

        def entered() -> Parser.Argument:
            name = parser.parse_argument(expect_type=False)
            value_type = next(waiting, VALUE)
            if parser.parse_optional_punctuation(":") is not None:
                value_type = parser.parse_type()
            return name.resolve(value_type)

        arguments = (
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, entered)
            if types
            else []
        )
        return cls.create(
            operands=outer,
            result_types=results,
            regions=[before, parse_region(parser, YieldOp, arguments)],
            attributes=parser.parse_optional_attr_dict(),
        )

    @property
    def entered(self) -> Sequence[Block]:
        return (self.before.block, self.body.block)

    def region_successors(
        self, source: RegionBranchOp | RegionTerminator
    ) -> tuple[RegionSuccessor, ...]:
        match source:
            case ConditionOp():
                entered = RegionSuccessor(self.body, self.body.block.args)
                return entered, RegionSuccessor(None, self.results)
            case BreakOp():
                return (RegionSuccessor(None, self.results),)
            case _:
                return (RegionSuccessor(self.before, self.before.block.args),)

    @property
    def terminators(self) -> list[RegionTerminator]:
        """The condition, then the terminators inside the body, in order."""
        return [self.condition, *self.jumps]

    @property
    def condition(self) -> ConditionOp:
        """The end of the first region. Needs a loop that verifies."""
        last_op = self.before.block.last_op
        assert isinstance(last_op, ConditionOp)
        return last_op

    @property
    def is_tested(self) -> bool:
        """Whether the condition may be false."""
        return not isinstance(self.condition.condition.owner, ConstantOp)

    @property
    def is_rolled(self) -> bool:
        """Whether it is known how often the body is run."""
        return ROLLED in self.attributes

    @property
    def is_decision(self) -> bool:
        """Whether the data decides the condition."""
        return self.is_tested and not self.is_rolled

    def verify_(self) -> None:
        verify_words(self)
        verify_end(self, "the body", self.body)
        if not isinstance(self.before.block.last_op, ConditionOp):
            raise VerifyException("the first region must end in dycl.condition")
        carried = [a.type for a in self.before.block.args]
        entered = [a.type for a in self.body.block.args]
        for what, given, wanted in (
            ("starts with", self.initial.types, carried),
            ("returns", self.result_types, carried),
            ("hands its body", self.condition.values.types, entered),
            ("is left with", self.condition.values.types, self.result_types),
        ):
            verify_types(f"dycl.while {what}", given, wanted)
        for jump in self.jumps:
            to = self.result_types if isinstance(jump, BreakOp) else carried
            verify_types(f"{jump.name} gives dycl.while", jump.operand_types, to)
