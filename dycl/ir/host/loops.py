"""Loops of the host, whose length the input decides. Structured, as in `dycl`."""

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr, StringAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect import ConstantOp
from dycl.ir.dialect.syntax import (
    parse_carried,
    parse_region,
    print_carried,
    verify_words,
)
from dycl.ir.host.control import EndOp, UnreachableOp, YieldOp, print_branch
from dycl.ir.walking import walk


class _JumpOp(EndOp):
    """Base of what ends an iteration from any depth."""

    @property
    def loop(self) -> "WhileOp | None":
        """The loop that is meant: the nearest."""
        node = self.parent_op()
        while node is not None and not isinstance(node, WhileOp):
            node = node.parent_op()
        return node

    def verify_(self) -> None:
        if (loop := self.loop) is None:
            raise VerifyException(f"there is no loop around {self.name}")
        if loop.result_types != self.operand_types:
            _raise_types(self.name, self.operand_types, loop)


@irdl_op_definition
class BreakOp(_JumpOp):
    """Leave the nearest loop; the operands are its results."""

    name = "host.break"
    traits = traits_def(IsTerminator())


@irdl_op_definition
class ContinueOp(_JumpOp):
    """Go to the nearest loop's next iteration with these carried values."""

    name = "host.continue"
    traits = traits_def(IsTerminator())


@irdl_op_definition
class ConditionOp(IRDLOperation, metaclass=ByType):
    """End of a loop's first region: whether to go on, and the carried values."""

    name = "host.condition"
    condition = operand_def(i1)
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(WhileOp)))
    assembly_format = "$condition (`,` $values^ `:` type($values))? attr-dict"

    def __init__(
        self,
        condition: SSAValue,
        values: Sequence[SSAValue] = (),
        *,
        location: LocationAttr,
    ):
        super().__init__(operands=[condition, values])
        self.location = location


@irdl_op_definition
class WhileOp(IRDLOperation, metaclass=ByType):
    """The first region decides whether the second is run, then all starts again.

    `host.condition` hands its values to the second region, or makes them the results;
    `host.yield` and `host.continue` hand theirs to the first region. Unless the
    condition is the constant `true`, it is a *decision*, recorded for each iteration.
    """

    name = "host.while"
    initial = var_operand_def()
    results_ = var_result_def()
    before = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        initial: Sequence[SSAValue],
        before: Region,
        body: Region,
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[initial],
            result_types=[[a.type for a in before.block.args]],
            regions=[before, body],
        )
        self.location = location

    @property
    def condition(self) -> ConditionOp:
        """The end of the first region. Needs a loop that verifies."""
        end = self.before.block.last_op
        assert isinstance(end, ConditionOp)
        return end

    @property
    def is_decision(self) -> bool:
        """Whether the condition may be false."""
        owner = self.condition.condition.owner
        return not isinstance(owner, ConstantOp)

    @property
    def breaks(self) -> list[BreakOp]:
        """The breaks that mean this loop."""
        inside = walk(self.body)
        return [op for op in inside if isinstance(op, BreakOp) and op.loop is self]

    def text(self, attribute: str) -> str:
        """`name` or `test`, or ""."""
        found = self.attributes.get(attribute)
        return found.data if isinstance(found, StringAttr) else ""

    def print(self, printer: Printer) -> None:
        print_carried(printer, self.before.block.args, self.initial)
        print_branch(printer, self.before)
        printer.print_string(" do")
        entered = self.body.block.args
        if entered:
            with printer.in_parens():
                printer.print_list(entered, printer.print_ssa_value)
        print_branch(printer, self.body)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "WhileOp":
        inner, outer = parse_carried(parser)
        types = [a.type for a in inner]
        before = parse_region(parser, UnreachableOp.at_unknown_place, inner)
        parser.parse_keyword("do")
        names = (
            parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
            if types
            else []
        )
        arguments = [a.resolve(t) for a, t in zip(names, types, strict=True)]
        body = parse_region(parser, YieldOp.create, arguments)
        return cls.create(
            operands=outer,
            result_types=types,
            regions=[before, body],
            attributes=parser.parse_optional_attr_dict(),
        )

    def verify_(self) -> None:
        verify_words(self)
        end, last = self.before.block.last_op, self.body.block.last_op
        if not isinstance(end, ConditionOp):
            raise VerifyException("the first region must end in host.condition")
        if last is None or not last.has_trait(IsTerminator):
            raise VerifyException("the body must end in a terminator")
        _check_types(self, "starts with", self.initial.types)
        _check_types(self, "carries", _types(self.before.block))
        _check_types(self, "hands its body", _types(self.body.block))
        _check_types(self, "is left with", end.values.types)
        if isinstance(last, YieldOp):
            _check_types(self, "is given by its body", last.operand_types)


def _types(block: Block) -> list[Attribute]:
    return [a.type for a in block.args]


def _check_types(op: WhileOp, what: str, given: Sequence[Attribute]) -> None:
    if tuple(given) != tuple(op.result_types):
        _raise_types(f"what host.while {what}", given, op)


def _raise_types(what: str, given: Sequence[Attribute], op: Operation) -> None:
    got = ", ".join(map(str, given))
    want = ", ".join(map(str, op.result_types))
    raise VerifyException(f"{what} is ({got}), but {op.name} returns ({want})")
