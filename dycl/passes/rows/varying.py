"""Which values differ from row to row; all others are one number or tensor for all.

one row                       many rows
-------                       ---------
func.func @f(%x) {dycl.rows}  %x, %y, %c, %z differ from row to row
%w = dycl.param "w"           %w and %i do not: in each iteration
%i = dycl.constant 0          %i is one number for all rows that are left
%y = torch.aten.mm %x, %w
"""

from collections.abc import Iterable

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import BreakOp, ContinueOp, IfOp, LeaveOp, ReturnOp, ScopeOp, WhileOp
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.walking import walk

_NEW = frozenset(
    f"torch.aten.{name}" for name in ("new_zeros", "new_ones", "new_full", "new_empty")
)
"""What they give depends on the dtype of their first operand only."""


def loses_rows(op: Operation) -> bool:
    """Whether rows may leave an op otherwise than at its ends."""
    return any(
        isinstance(end, ReturnOp)
        or (
            isinstance(end, (BreakOp, ContinueOp, LeaveOp))
            and (end.target is None or not op.is_ancestor(end.target))
        )
        for end in walk(op)
    )


class Varying:
    """The values that differ from row to row, and the loops that rows leave."""

    def __init__(self, entry: FuncOp, rows: Iterable[SSAValue]):
        self._values = set(rows)
        self._loops: dict[WhileOp, bool] = {}
        while True:
            before = len(self._values)
            self._block(entry.body.block, False)
            if len(self._values) == before:
                break

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._values

    def is_left_by_rows(self, loop: WhileOp) -> bool:
        """Whether some rows may be in a loop, or in the program, longer than others."""
        return loop.condition.condition in self or any(
            isinstance(op, (BreakOp, ContinueOp, ReturnOp, LeaveOp))
            and _leads_out(op, loop)
            for op in walk(loop.body.block)
        )

    def _block(self, block: Block, divided: bool) -> None:
        for op in block.ops:
            match op:
                case IfOp():
                    inner = divided or op.condition in self
                    for region in op.regions:
                        self._block(region.block, inner)
                    if op.condition in self or loses_rows(op):
                        self._add(op.results)
                    else:
                        for region in op.regions:
                            self._forward(region.block.last_op, op)
                case ScopeOp():
                    self._block(op.body.block, divided)
                    self._add(op.results)
                case WhileOp():
                    self._while(op)
                case _ if op.name in _NEW:
                    pass
                case _:
                    for region in op.regions:
                        self._block(region.block, divided)
                    if any(operand in self for operand in op.operands):
                        self._add(op.results)

    def _while(self, loop: WhileOp) -> None:
        carried, entered = loop.before.block.args, loop.body.block.args
        shrinks = self.is_left_by_rows(loop)
        for number, value in enumerate(loop.initial):
            if value in self:
                self._add([carried[number]])
        self._block(loop.before.block, shrinks)
        for number, value in enumerate(loop.condition.values):
            if value in self:
                self._add([entered[number], loop.results[number]])
        self._block(loop.body.block, shrinks)
        ends = [
            end
            for end in walk(loop.body.block)
            if isinstance(end, RegionTerminator) and end.target is loop
        ]
        again = [end for end in ends if not isinstance(end, BreakOp)]
        for end in again:
            for number, value in enumerate(end.forwarded):
                # What rows that came on different ways carry may differ.
                if value in self or len(again) > 1:
                    self._add([carried[number]])
        for number, slot in enumerate(zip(carried, entered, strict=True)):
            if any(value in self for value in slot):
                self._add(slot)
                self._add([loop.results[number]])
        if shrinks:
            self._add(loop.results)

    def _forward(self, end: Operation | None, op: IfOp) -> None:
        if isinstance(end, RegionTerminator) and end.target is op:
            for value, result in zip(end.forwarded, op.results, strict=True):
                if value in self:
                    self._add([result])

    def _add(self, values: Iterable[SSAValue]) -> None:
        self._values.update(values)


def _leads_out(end: Operation, loop: WhileOp) -> bool:
    """Whether a jump leaves an iteration of a loop otherwise than at its end."""
    if isinstance(end, ReturnOp):
        return True
    assert isinstance(end, RegionTerminator)
    target = end.target
    return target is loop or (target is not None and target.is_ancestor(loop))
