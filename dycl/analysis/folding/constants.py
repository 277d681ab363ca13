"""What is known of each value without the data: a forward walk over structured IR.

The lattice: nothing is known; `Known(v)`, the value is v; `Choice(c, a, b)`, the value
is a where the predicate c is true and b where it is not. A choice becomes known inside
the branches of `dycl.if c`, and after an early exit that took one of its sides away. So
a decision is made once: `if p > 0.5: m = 1` followed by `if m == 0` has one predicate.
Where a condition is known, the branch that is not taken gives nothing to the join: see
Wegman and Zadeck, "Constant Propagation with Conditional Branches", 1991.

Facts are returned; nothing is stored in the IR.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.folding.evaluation import ASKING, MAX_ELEMENTS, constant, fold
from dycl.analysis.folding.scopes import UNKNOWN, WaysOut, agreed, is_same
from dycl.analysis.memory.mutation import changed_values, written_by
from dycl.ir import (
    CompareOp,
    ConstantOp,
    ForOp,
    IfOp,
    LeaveOp,
    PositionOp,
    ScopeOp,
    SelectOp,
    UnaryOp,
    UnboundOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.records import Record
from dycl.ir.values import TensorConstant
from dycl.ir.walking import ops_in, walk


@dataclass(frozen=True)
class Known:
    """The value is this, on every path that gets here."""

    value: object


@dataclass(frozen=True)
class Choice:
    """The value is one of two, and the predicate says which."""

    predicate: SSAValue
    if_true: object
    if_false: object


Fact = Known | Choice


@dataclass
class Facts:
    """The facts of a function.

    `of` holds for a value wherever it is visible; `at` adds what a branch knows: for an
    op, the operands whose value is known there only.
    """

    of: dict[SSAValue, Fact] = field(default_factory=dict[SSAValue, Fact])
    at: dict[Operation, dict[int, object]] = field(
        default_factory=dict[Operation, dict[int, object]]
    )


def known_values(module: ModuleOp) -> Facts:
    """The facts of the entry function (none without one)."""
    entry = entry_function(module)
    return Facts() if entry is None else analyse(entry.body.block, Environment(module))


def analyse(block: Block, environment: Environment) -> Facts:
    """The facts of a function's body."""
    walk = Walk(environment, changed_values(block, environment))
    walk.block(block)
    return walk.facts


class Walk:
    """The walk; `facts` is what it found."""

    def __init__(self, environment: Environment, changed: set[SSAValue]):
        self.environment = environment
        self.changed = changed
        self.facts = Facts()
        self.decided: dict[SSAValue, bool] = {}
        """The predicates known where the walk is."""
        # What to put back at the end of a block: copies of `decided` would make a
        # chain of exits quadratic.
        self.before: list[tuple[SSAValue, bool | None]] = []
        self.comparisons = _Comparisons()
        self.early: dict[SSAValue, Fact] | None = {}
        """Tensors that something changes later: up to there they are what is known."""
        self.ways_out = WaysOut()
        self.is_early = False
        """Whether the op that is visited has such an operand."""

    def block(self, block: Block) -> None:
        """Visit ops in order; what they decide holds up to the end of the block."""
        with self.locally():
            for op in ops_in(block):
                if type(op) is ConstantOp:  # which most ops are
                    self.is_early = False
                    self.set(op, constant(op))
                    continue
                self.note_operands(op)
                self.watch_changes(op)
                if isinstance(op, IfOp):
                    self.if_op(op)
                elif isinstance(op, ScopeOp):
                    self.scope(op)
                elif isinstance(op, RegionBranchOp):
                    for region in op.regions:
                        self.block(region.block)
                elif isinstance(op, LeaveOp):
                    self.ways_out.leave(op, [_value(self.fact(v)) for v in op.values])
                else:
                    self.value_op(op)

    def scope(self, op: ScopeOp) -> None:
        """A result is known that all ways out give."""
        with self.ways_out.of(op) as rows:
            self.block(op.body.block)
        for number, result in enumerate(op.results):
            value = agreed(rows, number)
            if value is not UNKNOWN:
                self.facts.of[result] = Known(value)

    def watch_changes(self, op: Operation) -> None:
        """From the first op that may change a tensor on, no early fact holds."""
        if self.early is None:
            return
        if isinstance(op, (ForOp, WhileOp)):
            written = any(written_by(item, self.environment) for item in walk(op))
        else:
            written = bool(written_by(op, self.environment))
        if written:
            self.early = None

    def decide(self, predicate: SSAValue | None, taken: bool) -> None:
        """A predicate is known from here on, and with `k < 2` also `k < 3`."""
        if predicate is not None:
            for implied in (predicate, *self.comparisons.implied(predicate, taken)):
                self.before.append((implied, self.decided.get(implied)))
                self.decided[implied] = taken

    @contextmanager
    def locally(self) -> Generator[None]:
        """Forget at the end what is decided inside."""
        mark = len(self.before)
        yield
        while len(self.before) > mark:
            predicate, taken = self.before.pop()
            if taken is None:
                del self.decided[predicate]
            else:
                self.decided[predicate] = taken

    def note_operands(self, op: Operation) -> None:
        """Record the operands that only this branch knows."""
        if not self.decided:
            return
        for index, operand in enumerate(op.operands):
            if type(self.facts.of.get(operand)) is Known:
                continue
            local = self.fact(operand)
            if isinstance(local, Known):
                self.facts.at.setdefault(op, {})[index] = local.value

    def fact(self, value: SSAValue) -> Fact | None:
        """What is known of a value in this branch."""
        decided = self.decided
        if decided and value in decided:
            return Known(decided[value])
        fact = self.facts.of.get(value)
        if type(fact) is Choice and fact.predicate in decided:
            taken = self.decided[fact.predicate]
            return Known(fact.if_true if taken else fact.if_false)
        return fact

    def if_op(self, op: IfOp) -> None:
        fact = self.fact(op.condition)
        predicate, positive = _predicate(op.condition, fact)
        sides = [op.then_region.block, op.else_region.block]
        for taken, block in zip((True, False), sides, strict=True):
            with self.locally():
                self.decide(op.condition, taken)
                self.decide(predicate, taken == positive)
                self.block(block)
        self.join(op, sides)
        self.after_exit(op, sides, predicate, positive)

    def after_exit(
        self,
        op: IfOp,
        sides: Sequence[Block],
        predicate: SSAValue | None,
        positive: bool,
    ) -> None:
        """Where one side left, what follows knows that the other was taken."""
        falls = [op.end_of(block) is not None for block in sides]
        if falls[0] != falls[1]:
            self.decide(op.condition, falls[0])
            self.decide(predicate, falls[0] == positive)

    def join(self, op: IfOp, sides: Sequence[Block]) -> None:
        if not op.results:
            return
        self.is_early = False
        condition = self.fact(op.condition)
        dead = not condition.value if isinstance(condition, Known) else None
        given: list[list[Fact | None]] = []
        for block, taken in zip(sides, (True, False), strict=True):
            if taken is not dead and (end := op.end_of(block)) is not None:
                with self.locally():
                    self.decide(op.condition, taken)
                    given.append([self.fact(value) for value in end.forwarded])
        for result, *values in zip(op.results, *given, strict=True):
            fact = _joined(values, op.condition)
            if fact is not None:
                self.note(result, fact)

    def value_op(self, op: Operation) -> None:
        """Evaluate an op whose operands are known, or known up to one predicate."""
        self.is_early = False
        if len(op.results) == 0 or isinstance(op, UnboundOp):
            return
        if isinstance(op, SelectOp) and self.select(op):
            return  # of facts that are not early
        asks = isinstance(op, ASKING)
        early = self.early
        inputs: list[Fact | None] = []
        for operand in op.operands:
            fact = self.fact(operand)
            if early and operand in early:
                self.is_early = True
                fact = fact or early[operand]
            if fact is None and not asks:
                return
            inputs.append(fact)
        predicates = {f.predicate for f in inputs if isinstance(f, Choice)}
        if len(predicates) > 1:
            return
        if not predicates:
            self.set(op, fold(op, [_value(f) for f in inputs], self.environment))
            return
        (predicate,) = predicates
        sides = [
            fold(op, [_value(_pick(f, taken)) for f in inputs], self.environment)
            for taken in (True, False)
        ]
        if sides[0] is not None and sides[1] is not None:
            for result, a, b in zip(op.results, sides[0], sides[1], strict=True):
                self.note(result, _merge(predicate, a, b))

    def note(self, result: SSAValue, fact: Fact) -> None:
        """Record a fact; a tensor that something changes in place is no constant.

        Neither is what may be a view of it. Up to the change it is.
        """
        if (self.is_early or result in self.changed) and _holds_tensor(fact):
            if self.early is not None:
                self.early[result] = fact
            return
        self.facts.of[result] = fact

    def select(self, op: SelectOp) -> bool:
        condition = self.fact(op.condition)
        if isinstance(condition, Known):
            side = op.if_true if condition.value else op.if_false
            fact = self.fact(side)
            if fact is not None:
                self.note(op.result, fact)
            return True
        sides = [self.fact(s) for s in (op.if_true, op.if_false)]
        fact = _joined(sides, op.condition)
        if fact is not None:
            self.note(op.result, fact)
        return True

    def set(self, op: Operation, values: list[object] | None) -> None:
        if values is not None:
            for result, value in zip(op.results, values, strict=True):
                self.note(result, Known(value))


def _holds_tensor(fact: Fact) -> bool:
    values = [fact.value] if isinstance(fact, Known) else [fact.if_true, fact.if_false]
    while values:
        value = values.pop()
        if isinstance(value, TensorConstant):
            return True
        if isinstance(value, (tuple, list)):
            values += cast("list[object]", value)
        elif isinstance(value, dict):
            values += cast("dict[object, object]", value).values()
        elif isinstance(value, Record):
            values += value.items
    return False


class _Comparisons:
    """The comparisons of each `dycl.position` with constants, looked up once."""

    def __init__(self) -> None:
        self._of: dict[SSAValue, list[tuple[int, SSAValue]]] = {}

    def implied(self, predicate: SSAValue, taken: bool) -> list[SSAValue]:
        """Other comparisons of a position that come out the same way."""
        compared = _bound(predicate.owner)
        if compared is None:
            return []
        number, bound = compared
        if number not in self._of:
            bounds = [(_bound(use.operation), use.operation) for use in number.uses]
            self._of[number] = [
                (other[1], op.results[0])
                for other, op in bounds
                if other is not None and other[0] is number
            ]
        return [
            result
            for other, result in self._of[number]
            if (other >= bound if taken else other <= bound) and result is not predicate
        ]


def _bound(op: object) -> tuple[SSAValue, int] | None:
    """The position and the constant of `position < constant`."""
    if not isinstance(op, CompareOp) or op.kind_name != "lt":
        return None
    if not isinstance(op.lhs.owner, PositionOp):
        return None
    bound = constant_value(op.rhs)
    return (op.lhs, bound) if isinstance(bound, int) else None


def _value(fact: Fact | None) -> object:
    return fact.value if isinstance(fact, Known) else UNKNOWN


def _pick(fact: Fact | None, taken: bool) -> Fact | None:
    if isinstance(fact, Choice):
        return Known(fact.if_true if taken else fact.if_false)
    return fact


def _predicate(condition: SSAValue, fact: Fact | None) -> tuple[SSAValue | None, bool]:
    """The predicate that a condition repeats or negates, and which of the two."""
    if isinstance(fact, Choice) and fact.if_true is True and fact.if_false is False:
        return fact.predicate, True
    if isinstance(fact, Choice) and fact.if_true is False and fact.if_false is True:
        return fact.predicate, False
    owner = condition.owner
    if isinstance(owner, UnaryOp) and owner.kind_name == "not":
        return owner.operand, False
    return None, True


def _joined(found: list[Fact | None], condition: SSAValue) -> Fact | None:
    """The fact of a join, from the facts of the sides that reach it."""
    if len(found) == 1:
        return found[0] if isinstance(found[0], Known) else None
    if len(found) == 2 and all(isinstance(f, Known) for f in found):
        return _merge(condition, _value(found[0]), _value(found[1]))
    if len(found) == 2 and found[0] == found[1]:
        return found[0]
    return None


def _merge(predicate: SSAValue, if_true: object, if_false: object) -> Fact:
    if is_same(if_true, if_false):
        return Known(if_true)
    return Choice(predicate, if_true, if_false)


__all__ = [
    "MAX_ELEMENTS",
    "UNKNOWN",
    "Choice",
    "Fact",
    "Facts",
    "Known",
    "Walk",
    "analyse",
    "known_values",
]
