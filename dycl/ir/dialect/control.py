"""Control flow as regions: every construct has one way in; exits may leave early.

`dycl.return`, `dycl.break`, `dycl.continue` and `dycl.leave` may end a region at any
depth: a region that ends so does not fall through to what follows its op.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect.syntax import (
    VALUE,
    ValueOp,
    parse_carried,
    parse_region,
    parse_result_types,
    print_carried,
    print_region,
    print_result_types,
)


class _EndOp(ValueOp):
    """`op %a, %b` that ends a region."""

    RESULTS: ClassVar[int] = 0

    def print_body(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return (
            parser.parse_optional_undelimited_comma_separated_list(
                parser.parse_optional_unresolved_operand,
                parser.parse_unresolved_operand,
            )
            or []
        )


@irdl_op_definition
class YieldOp(_EndOp):
    """Hand values to the op that owns the region (a loop: to the next iteration)."""

    name = "dycl.yield"
    values = var_operand_def()
    traits = lazy_traits_def(
        lambda: (IsTerminator(), HasParent(IfOp, ForOp, WhileOp, _switch_op()))
    )

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@irdl_op_definition
class ReturnOp(_EndOp):
    """Leave the function with these values.

    `structure` (an attribute of the typed storey and later) is the value that `forward`
    returns, with a `#dycl.leaf` for each operand.
    """

    name = "dycl.return"
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    def __init__(
        self, values: Sequence[SSAValue] = (), structure: Attribute | None = None
    ):
        attributes = {} if structure is None else {"structure": structure}
        super().__init__(operands=[values], attributes=attributes)

    @property
    def structure(self) -> Attribute | None:
        """What the function returns, with a `#dycl.leaf` for each operand."""
        return self.attributes.get("structure")


@irdl_op_definition
class BreakOp(_EndOp):
    """Leave the nearest loop; the operands are its results."""

    name = "dycl.break"
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@irdl_op_definition
class ContinueOp(_EndOp):
    """Go to the nearest loop's next iteration with these carried values."""

    name = "dycl.continue"
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@irdl_op_definition
class ConditionOp(_EndOp):
    """End of a while's first region: whether to go on, and the carried values."""

    name = "dycl.condition"
    condition = operand_def()
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(WhileOp)))

    def __init__(self, condition: SSAValue, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[condition, values])


@irdl_op_definition
class UnreachableOp(_EndOp):
    """The end of a block that no path reaches (both sides of its last `if` left)."""

    name = "dycl.unreachable"
    traits = traits_def(IsTerminator())

    def __init__(self):
        super().__init__()


@irdl_op_definition
class LeaveOp(ValueOp):
    """Leave the nearest enclosing `dycl.scope` of this label with these values."""

    name = "dycl.leave"
    RESULTS: ClassVar[int] = 0
    label = prop_def(StringAttr)
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    def __init__(self, label: str, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values], properties={"label": StringAttr(label)})

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.label)
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["label"] = StringAttr(parser.parse_str_literal())
        return (
            parser.parse_optional_undelimited_comma_separated_list(
                parser.parse_optional_unresolved_operand,
                parser.parse_unresolved_operand,
            )
            or []
        )


@irdl_op_definition
class IfOp(IRDLOperation, metaclass=ByType):
    """Take one of two regions; a region that yields gives the op's results.

    Attributes: `test`, the condition in the user's words; `name`, what the decision is
    called in `net.path` (set when branches are outlined).
    """

    name = "dycl.if"
    condition = operand_def()
    results_ = var_result_def()
    then_region = region_def("single_block")
    else_region = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

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

    @property
    def test(self) -> str:
        """The condition in the user's words, or ""."""
        attr = self.attributes.get("test")
        return attr.data if isinstance(attr, StringAttr) else ""

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
        for side, region in (("then", self.then_region), ("else", self.else_region)):
            _verify_end(self, f"the {side} branch", region, YieldOp)


@irdl_op_definition
class ForOp(IRDLOperation, metaclass=ByType):
    """Python's `for item in iterable`, with the names that the body assigns carried.

    Attribute: `test`, what is asked before each iteration, in the user's words.
    """

    name = "dycl.for"
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
        if len(self.body.block.args) != len(self.initial) + 1:
            raise VerifyException("dycl.for needs one block argument per carried value")
        _verify_end(self, "the body", self.body, YieldOp)


@irdl_op_definition
class WhileOp(IRDLOperation, metaclass=ByType):
    """Python's `while`: the first region decides whether the second is run.

    `dycl.condition` hands its values to the second region, or makes them the results;
    `dycl.yield` and `dycl.continue` hand theirs to the first region, and `dycl.break`
    makes them the results. Attributes: `test` and `name`, as of `dycl.if`.
    """

    name = "dycl.while"
    initial = var_operand_def()
    results_ = var_result_def()
    before = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, initial: Sequence[SSAValue], before: Region, body: Region):
        super().__init__(
            operands=[initial],
            result_types=[[a.type for a in before.block.args]],
            regions=[before, body],
        )

    def print(self, printer: Printer) -> None:
        carried = self.before.block.args
        print_carried(printer, carried, self.initial)
        if [a.type for a in carried] != list(self.result_types):
            print_result_types(printer, self.result_types)
        print_region(printer, self.before)
        printer.print_string(" do")
        if carried:
            with printer.in_parens():
                printer.print_list(
                    list(zip(self.body.block.args, carried, strict=True)),
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
            found = next(waiting, VALUE)
            if parser.parse_optional_punctuation(":") is not None:
                found = parser.parse_type()
            return name.resolve(found)

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
    def condition(self) -> ConditionOp:
        """The end of the first region. Needs a loop that verifies."""
        end = self.before.block.last_op
        assert isinstance(end, ConditionOp)
        return end

    @property
    def jumps(self) -> list[YieldOp | ContinueOp | BreakOp]:
        """The ends inside the body that mean this loop, in order."""
        found: list[YieldOp | ContinueOp | BreakOp] = []
        stack = list(reversed(list(self.body.block.ops)))
        while stack:
            op = stack.pop()
            match op:
                case YieldOp() if op.parent is not self.body.block:
                    pass
                case YieldOp() | ContinueOp() | BreakOp():
                    found.append(op)
                case _:
                    pass
            if not isinstance(op, (ForOp, WhileOp)):
                inner = [o for r in op.regions for b in r.blocks for o in b.ops]
                stack += reversed(inner)
        return found

    @property
    def back_edges(self) -> list[YieldOp | ContinueOp]:
        """The ends inside the body that lead to the next iteration."""
        return [end for end in self.jumps if not isinstance(end, BreakOp)]

    @property
    def breaks(self) -> list[BreakOp]:
        """The breaks of this loop."""
        return [end for end in self.jumps if isinstance(end, BreakOp)]

    def verify_(self) -> None:
        _verify_end(self, "the body", self.body, YieldOp)
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
            _verify_types(f"dycl.while {what}", given, wanted)
        for end in self.jumps:
            to = self.result_types if isinstance(end, BreakOp) else carried
            _verify_types(f"{end.name} gives dycl.while", end.operand_types, to)


@irdl_op_definition
class ScopeOp(IRDLOperation, metaclass=ByType):
    """A region that `dycl.leave` ends from any depth; where an inlined call returns."""

    name = "dycl.scope"
    label = prop_def(StringAttr)
    results_ = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, label: str, result_types: Sequence[Attribute], body: Region):
        super().__init__(
            properties={"label": StringAttr(label)},
            result_types=[result_types],
            regions=[body],
        )

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


def _switch_op() -> type[Operation]:
    from dycl.ir.dialect.selection import SwitchOp

    return SwitchOp


def _is_empty(region: Region) -> bool:
    block = region.block
    last = block.last_op
    return block.first_op is last and isinstance(last, YieldOp) and not last.operands


def _verify_end(
    op: Operation, what: str, region: Region, ends: type[IRDLOperation]
) -> None:
    last = region.block.last_op
    if last is None or not last.has_trait(IsTerminator):
        raise VerifyException(f"{what} of {op.name} must end in a terminator")
    if isinstance(last, ends) and not _agree(last.operand_types, op.result_types):
        got = ", ".join(map(str, last.operand_types))
        want = ", ".join(map(str, op.result_types))
        raise VerifyException(f"{what} yields ({got}), but {op.name} returns ({want})")


def _verify_types(
    what: str, given: Sequence[Attribute], wanted: Sequence[Attribute]
) -> None:
    if not _agree(given, wanted):
        got, want = (", ".join(map(str, types)) for types in (given, wanted))
        raise VerifyException(f"{what} ({got}), but ({want}) is wanted")


def _agree(given: Sequence[Attribute], wanted: Sequence[Attribute]) -> bool:
    """Types agree where both are known; an undecided `!dycl.value` fits any type."""
    return len(given) == len(wanted) and all(
        g == w or VALUE in (g, w) for g, w in zip(given, wanted, strict=True)
    )
