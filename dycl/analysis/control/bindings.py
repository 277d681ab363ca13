"""Reads of names that have a value only on some paths: which of them are safe.

if p: y = f(x)                  (b := g(x)) is bound where `a and (b := g(x)) > 1`
...                             was true: `a` was true as well, then.
if p: x = x + y                 y is bound here: the same predicate decided twice
"""

from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from dycl.analysis.folding.constants import Known, Walk
from dycl.analysis.memory.mutation import changed_values
from dycl.ir import (
    CompareOp,
    ConstantOp,
    IfOp,
    ItemOp,
    SelectOp,
    ToBoolOp,
    UnboundOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.torch import BoolT, FloatT, IntT


def bound_reads(block: Block, environment: Environment) -> set[tuple[Operation, int]]:
    """The operands (op, index) that surely have a value where they are read."""
    walk = _Bindings(environment, changed_values(block, environment))
    walk.block(block)
    return walk.found


class _Bindings(Walk):
    def __init__(self, environment: Environment, changed: set[SSAValue]):
        super().__init__(environment, changed)
        self.found: set[tuple[Operation, int]] = set()

    def note_operands(self, op: Operation) -> None:
        super().note_operands(op)
        for index, operand in enumerate(op.operands):
            if isinstance(operand.owner, (IfOp, SelectOp)) and self.is_bound(operand):
                self.found.add((op, index))

    def is_bound(self, value: SSAValue) -> bool:
        """Whether a value is none that a branch left without one."""
        owner = value.owner
        if isinstance(owner, UnboundOp):
            return False
        if isinstance(owner, Block):
            return isinstance(owner.parent_op(), FuncOp)
        if not isinstance(owner, (IfOp, SelectOp)):
            return not owner.regions
        fact = self.fact(owner.condition)
        sides = _sides(value)
        if isinstance(fact, Known):
            sides = [sides[0 if fact.value else 1]]
        return all(side is None or self.is_bound(side) for side in sides)

    def decide(self, predicate: SSAValue | None, taken: bool) -> None:
        """What decides a predicate decides those that it was made of, too."""
        waiting = [] if predicate is None else [(predicate, taken)]
        while waiting:
            value, known = waiting.pop()
            if self.decided.get(value) is known:
                continue
            super().decide(value, known)
            waiting += [(other, known) for other in _equal(value)]
            if isinstance(value.owner, ToBoolOp):
                waiting += [(other, known) for other in self.asked_again(value.owner)]
            if isinstance(value.owner, (IfOp, SelectOp)):
                condition = value.owner.condition
                for side, is_then in zip(_sides(value), (True, False), strict=True):
                    if _constant(side, condition, is_then) is (not known):
                        waiting.append((condition, not is_then))

    def asked_again(self, op: ToBoolOp) -> list[SSAValue]:
        """What was asked for its truth, and what else asks that of it."""
        if op.operand in self.changed:
            return [op.operand]
        users = [use.operation for use in op.operand.uses]
        again = [o.result for o in users if isinstance(o, ToBoolOp) and o is not op]
        return [op.operand, *again]


def _sides(value: SSAValue) -> list[SSAValue | None]:
    """What the two sides of an `if` or a select give; None: that side leaves."""
    owner = value.owner
    if isinstance(owner, SelectOp):
        return [owner.if_true, owner.if_false]
    assert isinstance(owner, IfOp)
    index = cast(OpResult, value).index
    ends = [owner.end_of(region.block) for region in owner.regions]
    return [None if end is None else end.forwarded[index] for end in ends]


def _constant(side: SSAValue | None, condition: SSAValue, is_then: bool) -> bool | None:
    """The truth that one side always has."""
    if side is condition:
        return is_then
    truth = None if side is None else constant_value(side)
    return truth if isinstance(truth, bool) else None


def _equal(value: SSAValue) -> list[SSAValue]:
    """Other comparisons of the same numbers, other reads of the same tensor."""
    op = value.owner
    if isinstance(op, ItemOp):
        reads = [use.operation for use in op.operand.uses]
        same = [o for o in reads if isinstance(o, ItemOp) and o is not op]
        return [o.result for o in same if o.result.type == op.result.type]
    if not isinstance(op, CompareOp) or op.lhs.type not in (IntT, FloatT, BoolT):
        return []
    others = [use.operation for use in op.lhs.uses if use.operation is not op]
    return [
        other.result
        for other in others
        if isinstance(other, CompareOp)
        and (other.kind_name, other.lhs) == (op.kind_name, op.lhs)
        and _is_same(other.rhs, op.rhs)
    ]


def _is_same(one: SSAValue, other: SSAValue) -> bool:
    if isinstance(one.owner, ConstantOp) and isinstance(other.owner, ConstantOp):
        return one.owner.value == other.owner.value
    return one is other
