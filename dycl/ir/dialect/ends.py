"""How regions end: what is handed over, and to whom.

`dycl.return`, `dycl.break`, `dycl.continue` and `dycl.leave` may end a region at any
depth: a region that ends so does not fall through to what follows its op.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.syntax import VALUE, RunsOnHost, ValueOp
from dycl.ir.interfaces import LoopTerminator, RegionBranchOp, RegionTerminator
from dycl.ir.returned import verify_structure


class EndOp(ValueOp, RegionTerminator):
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
class YieldOp(EndOp):
    """Hand values to the op that owns the region (a loop: to the next iteration)."""

    name = "dycl.yield"
    values = var_operand_def()
    traits = lazy_traits_def(
        lambda: (IsTerminator(), HasParent(*_owners()), RunsOnHost())
    )

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])

    @property
    def target(self) -> RegionBranchOp | None:
        """The op that owns the region."""
        around = self.parent_op()
        return around if isinstance(around, RegionBranchOp) else None


@irdl_op_definition
class ReturnOp(EndOp):
    """Leave the function with these values.

    `structure` (an attribute of the typed level and later) is the value that `forward`
    returns, with a `#dycl.leaf` for each operand.
    """

    name = "dycl.return"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), RunsOnHost())

    def __init__(
        self, values: Sequence[SSAValue] = (), structure: Attribute | None = None
    ):
        attributes = {} if structure is None else {"structure": structure}
        super().__init__(operands=[values], attributes=attributes)

    @property
    def structure(self) -> Attribute | None:
        """What the function returns, with a `#dycl.leaf` for each operand."""
        return self.attributes.get("structure")

    def verify_(self) -> None:
        if self.structure is not None:
            verify_structure(self.name, self.structure, len(self.values))


class _JumpOp(EndOp, LoopTerminator):
    """Base of what ends an iteration of the nearest loop, from any depth."""

    def verify_(self) -> None:
        from dycl.ir.dialect.loops import ForOp

        if (loop := self.target) is None:
            raise VerifyException(f"there is no loop around {self.name}")
        if isinstance(loop, ForOp):  # A while verifies what it is given itself.
            what = f"{self.name} gives dycl.for"
            verify_types(what, self.operand_types, loop.result_types)


@irdl_op_definition
class BreakOp(_JumpOp):
    """Leave the nearest loop; the operands are its results."""

    name = "dycl.break"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), RunsOnHost())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@irdl_op_definition
class ContinueOp(_JumpOp):
    """Go to the nearest loop's next iteration with these carried values."""

    name = "dycl.continue"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), RunsOnHost())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@irdl_op_definition
class ConditionOp(EndOp):
    """End of a while's first region: whether to go on, and the carried values."""

    name = "dycl.condition"
    FORWARDED_FROM: ClassVar[int] = 1
    condition = operand_def()
    values = var_operand_def()
    traits = lazy_traits_def(
        lambda: (IsTerminator(), HasParent(_while()), RunsOnHost())
    )

    def __init__(self, condition: SSAValue, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[condition, values])

    @property
    def target(self) -> RegionBranchOp | None:
        """The loop."""
        around = self.parent_op()
        return around if isinstance(around, _while()) else None


@irdl_op_definition
class UnreachableOp(EndOp):
    """The end of a block that no path reaches (both sides of its last `if` left)."""

    name = "dycl.unreachable"
    traits = traits_def(IsTerminator(), RunsOnHost())

    def __init__(self):
        super().__init__()


@irdl_op_definition
class LeaveOp(EndOp):
    """Leave the nearest enclosing `dycl.scope` of this label with these values."""

    name = "dycl.leave"
    label = prop_def(StringAttr)
    values = var_operand_def()
    traits = traits_def(IsTerminator(), RunsOnHost())

    def __init__(self, label: str, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values], properties={"label": StringAttr(label)})

    @property
    def target(self) -> RegionBranchOp | None:
        """The nearest scope of the label."""
        scope_op, around = _scope(), self.parent_op()
        while around is not None:
            if isinstance(around, scope_op) and around.properties["label"] == (
                self.label
            ):
                return around
            around = around.parent_op()
        return None

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.label)
        super().print_body(printer)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["label"] = StringAttr(parser.parse_str_literal())
        return super().parse_body(parser, properties)

    def verify_(self) -> None:
        if (scope := self.target) is None:
            raise VerifyException(f"there is no scope {self.label} around {self.name}")
        what = f"{self.name} {self.label} gives"
        verify_types(what, self.operand_types, scope.result_types)


def _owners() -> tuple[type[RegionBranchOp], ...]:
    """The ops whose regions end in `dycl.yield`; they import this file."""
    from dycl.ir.dialect.control import IfOp
    from dycl.ir.dialect.exceptions import TryOp
    from dycl.ir.dialect.loops import ForOp
    from dycl.ir.dialect.selection import SwitchOp

    return IfOp, ForOp, _while(), SwitchOp, TryOp


def _scope() -> type[RegionBranchOp]:
    from dycl.ir.dialect.control import ScopeOp

    return ScopeOp


def _while() -> type[RegionBranchOp]:
    from dycl.ir.dialect.loops import WhileOp

    return WhileOp


def verify_end(op: Operation, what: str, region: Region) -> None:
    """Raise VerifyException unless a region ends, and yields what its op returns."""
    last = region.block.last_op
    if last is None or not last.has_trait(IsTerminator):
        raise VerifyException(f"{what} of {op.name} must end in a terminator")
    if isinstance(last, YieldOp) and not _agree(last.operand_types, op.result_types):
        got = ", ".join(map(str, last.operand_types))
        want = ", ".join(map(str, op.result_types))
        raise VerifyException(f"{what} yields ({got}), but {op.name} returns ({want})")


def verify_types(
    what: str, given: Sequence[Attribute], wanted: Sequence[Attribute]
) -> None:
    """Raise VerifyException unless the types of what is handed over agree."""
    if not _agree(given, wanted):
        got, want = (", ".join(map(str, types)) for types in (given, wanted))
        raise VerifyException(f"{what} ({got}), but ({want}) is wanted")


def _agree(given: Sequence[Attribute], wanted: Sequence[Attribute]) -> bool:
    """Types agree where both are known; an undecided `!dycl.value` fits any type."""
    return len(given) == len(wanted) and all(
        g == w or VALUE in (g, w) for g, w in zip(given, wanted, strict=True)
    )
