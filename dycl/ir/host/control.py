"""Control flow of the host: decisions, joins, early exits. Structured, as in `dycl`.

`host.return` and `host.leave` may end a region at any depth; a region that ends so
does not fall through to what follows its op.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr, StringAttr, i1
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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect.syntax import (
    parse_region,
    parse_result_types,
    print_result_types,
    verify_words,
)


class EndOp(IRDLOperation, metaclass=ByType):
    """Base of ops that end a region with some values."""

    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, values: Sequence[SSAValue] = (), *, location: LocationAttr):
        super().__init__(operands=[values])
        self.location = location


@irdl_op_definition
class YieldOp(EndOp):
    """Hand values to the op that owns the region (a loop: to the next iteration)."""

    name = "host.yield"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(IfOp, _while_op())))


@irdl_op_definition
class UnreachableOp(IRDLOperation, metaclass=ByType):
    """The end of a block that no path reaches (both sides of its last `if` left)."""

    name = "host.unreachable"
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict"

    def __init__(self, *, location: LocationAttr):
        super().__init__()
        self.location = location

    @classmethod
    def at_unknown_place(cls) -> "UnreachableOp":
        """What the parser puts at the end of a block that has no end."""
        return cls.create()


@irdl_op_definition
class LeaveOp(IRDLOperation, metaclass=ByType):
    """Leave the nearest enclosing `host.scope` of this label with these values."""

    name = "host.leave"
    label = prop_def(StringAttr)
    values = var_operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$label ($values^ `:` type($values))? attr-dict"

    def __init__(
        self, label: str, values: Sequence[SSAValue] = (), *, location: LocationAttr
    ):
        super().__init__(operands=[values], properties={"label": StringAttr(label)})
        self.location = location

    @property
    def scope(self) -> "ScopeOp | None":
        """The scope that is left."""
        node = self.parent_op()
        while node is not None:
            if isinstance(node, ScopeOp) and node.label == self.label:
                return node
            node = node.parent_op()
        return None

    def verify_(self) -> None:
        if (scope := self.scope) is None:
            raise VerifyException(f"there is no scope {self.label} around host.leave")
        if scope.result_types != self.operand_types:
            _raise_types(f"host.leave {self.label}", self, scope)


@irdl_op_definition
class IfOp(IRDLOperation, metaclass=ByType):
    """Take one of two regions; a region that yields gives the op's results.

    With `name` or `test` (the condition in the user's words) it is a *decision*: the
    host records which side was taken.
    """

    name = "host.if"
    condition = operand_def(i1)
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
        *,
        location: LocationAttr,
    ):
        super().__init__(
            operands=[condition],
            result_types=[result_types],
            regions=[then_region, else_region],
        )
        self.location = location

    @property
    def is_decision(self) -> bool:
        """Whether the host records which side was taken."""
        return "name" in self.attributes or "test" in self.attributes

    def text(self, attribute: str) -> str:
        """`name` or `test`, or ""."""
        found = self.attributes.get(attribute)
        return found.data if isinstance(found, StringAttr) else ""

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        print_result_types(printer, self.result_types)
        print_branch(printer, self.then_region)
        if not is_empty(self.else_region):
            printer.print_string(" else")
            print_branch(printer, self.else_region)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "IfOp":
        condition = parser.parse_unresolved_operand()
        types = parse_result_types(parser)
        then_region = parse_region(parser, YieldOp.create)
        if parser.parse_optional_keyword("else") is not None:
            else_region = parse_region(parser, YieldOp.create)
        else:
            else_region = Region(Block([YieldOp.create()]))
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=[parser.resolve_operand(condition, i1)],
            result_types=types,
            regions=[then_region, else_region],
            attributes=attributes,
        )

    def verify_(self) -> None:
        verify_words(self)
        for side, region in (("then", self.then_region), ("else", self.else_region)):
            last = region.block.last_op
            if last is None or not last.has_trait(IsTerminator):
                raise VerifyException(f"the {side} branch must end in a terminator")
            if isinstance(last, YieldOp) and last.operand_types != self.result_types:
                _raise_types(f"the {side} branch", last, self)


@irdl_op_definition
class ScopeOp(IRDLOperation, metaclass=ByType):
    """A region that `host.leave` ends from any depth; where an inlined call returns."""

    name = "host.scope"
    label = prop_def(StringAttr)
    results_ = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        label: str,
        result_types: Sequence[Attribute],
        body: Region,
        *,
        location: LocationAttr,
    ):
        super().__init__(
            properties={"label": StringAttr(label)},
            result_types=[result_types],
            regions=[body],
        )
        self.location = location

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.label)
        print_result_types(printer, self.result_types)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "ScopeOp":
        label = parser.parse_str_literal()
        types = parse_result_types(parser)
        body = parse_region(parser, UnreachableOp.at_unknown_place)
        return cls.create(
            properties={"label": StringAttr(label)},
            result_types=types,
            regions=[body],
            attributes=parser.parse_optional_attr_dict(),
        )

    def verify_(self) -> None:
        last = self.body.block.last_op
        if last is None or not last.has_trait(IsTerminator):
            raise VerifyException("a host.scope ends in host.leave or another exit")


def _while_op() -> type[Operation]:
    from dycl.ir.host.loops import WhileOp

    return WhileOp


def is_empty(region: Region) -> bool:
    """Whether a branch does nothing: `{ host.yield }`."""
    last = region.block.last_op
    return (
        region.block.first_op is last
        and isinstance(last, YieldOp)
        and not last.operands
    )


def print_branch(printer: Printer, region: Region) -> None:
    """A branch; an empty `host.yield` at its end goes without saying."""
    last = region.block.last_op
    hide = isinstance(last, YieldOp) and not last.operands and not last.attributes
    printer.print_string(" ")
    printer.print_region(
        region, print_entry_block_args=False, print_block_terminators=not hide
    )


def _raise_types(what: str, end: Operation, op: Operation) -> None:
    got = ", ".join(map(str, end.operand_types))
    want = ", ".join(map(str, op.result_types))
    raise VerifyException(f"{what} gives ({got}), but {op.name} returns ({want})")
