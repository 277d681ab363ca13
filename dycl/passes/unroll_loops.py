"""`dycl-unroll-loops`: repeat the body of a loop whose items are known.

Before                                         After
------                                         -----
%numbers = dycl.call %range(%two)              %y = dycl.call %f(%x, %zero)
%r = dycl.for %i in %numbers carry(%a = %x) {  %y_1 = dycl.call %f(%y, %one)
  %y = dycl.call %f(%a, %i)                    dycl.return %y_1
  dycl.yield %y
}
dycl.return %r

A `while` is repeated as often as its test is known to hold. A `break` that depends on
data leaves a `dycl.scope` around all iterations, a `continue` one around its own; so
the code grows with the number of iterations, not of paths.

Needs:  iterables that are constants, or calls of range, enumerate, zip, reversed.
Leaves: no `dycl.for` over known items within the limit, no `dycl.while` on known tests.
Skips:  loops over items or with tests that depend on data, loops with more than
        `max-trip-count` iterations, or that `dycl-roll-loops` has kept; a `while` that
        the data may end in more iterations than an eighth of `max-unrolled`; what would
        make the program larger than `max-ops`; lists that something may change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.early_ends import EARLY_END, counters_of, early_ends
from dycl.analysis.folding.items import Item, materialise
from dycl.analysis.folding.iteration import items_of
from dycl.analysis.folding.trip_count import trip_count
from dycl.analysis.manager import PassContext, environment_of
from dycl.diag import SourceLoc, note, remark
from dycl.ir import (
    BreakOp,
    ConditionOp,
    ForOp,
    IfOp,
    LeaveOp,
    ScopeOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import loop_terminators
from dycl.ir.labels import fresh_label, labels_of
from dycl.ir.rewriting import append, erase_from, insert_before, replace
from dycl.ir.walking import walk


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """Repeat the body of a loop whose items are known."""

    name = "dycl-unroll-loops"

    max_trip_count: int = 100_000
    """Leave a loop alone that has more iterations than this."""

    max_unrolled: int = 256
    """Leave a `while` alone that makes more decisions that may end it than an eighth
    of this."""

    max_ops: int = 100_000
    """Leave a loop alone that would make the program larger: so many operations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        work = _Work(self, environment_of(ctx, op), labels_of(op))
        work.run(entry)
        if work.has_kept and isinstance(ctx, PassContext):
            ctx.has_rolled = True


class _Work:
    """One run of the pass."""

    def __init__(
        self,
        limits: UnrollLoopsPass,
        environment: Environment,
        labels: dict[str, int],
    ):
        self.limits = limits
        self.environment = environment
        self.labels = labels
        self.size = 0
        """Of the program, in operations."""
        self.has_kept = False
        """Whether a loop is left that could be unrolled."""

    def run(self, entry: FuncOp) -> None:
        """Visit the loops, outer ones first, and those in their iterations."""
        ops = list(walk(entry))
        self.size = len(ops)
        waiting = [o for o in ops if isinstance(o, (ForOp, WhileOp))]
        waiting.reverse()
        while waiting:
            loop = waiting.pop()
            if loop.parent is None:
                continue  # an iteration that turned out not to be reached
            new = self.unroll(loop)
            self.size += len(new)
            waiting += [o for o in reversed(new) if isinstance(o, (ForOp, WhileOp))]

    def unroll(self, loop: ForOp | WhileOp) -> list[Operation]:
        """Replace a loop by its iterations, or say why not; gives what is new."""
        if isinstance(loop, WhileOp) and loop.is_rolled:
            remark(loop, "not unrolled", "it has many iterations, all of them alike")
            return []
        items: Sequence[Item | None] | None
        if isinstance(loop, WhileOp):
            count = trip_count(loop, self.environment, self.limits.max_trip_count)
            if count is None:
                remark(loop, "not unrolled", "its test depends on the data")
                return []
            items = [None] * count
            most = self.limits.max_unrolled // EARLY_END
            if early_ends(loop, count, counters_of(loop)) > most:
                self.has_kept = True
                remark(loop, "not unrolled", "the data may end each of its iterations")
                return []
        else:
            items = items_of(loop.iterable, self.environment)
        if (why := self.cannot(loop, items)) is not None:
            remark(loop, "not unrolled", why)
            return []
        return Unroller(loop, self.labels).run(items or [])

    def cannot(
        self, loop: ForOp | WhileOp, items: Sequence[Item | None] | None
    ) -> str | None:
        """The reason to leave this loop alone, or None."""
        if items is None:
            return "what it iterates over depends on the data"
        limit = self.limits.max_trip_count
        if len(items) > limit:
            return f"it has {len(items)} iterations, the limit is {limit}"
        ops = len(items) * sum(1 for _ in walk(loop.body))
        if self.size + ops > self.limits.max_ops:
            return (
                f"{len(items)} iterations of {ops // len(items)} operations would make "
                f"the program larger than {self.limits.max_ops}"
            )
        return None


class Unroller:
    """Copies iterations of a loop in front of it, or in its place."""

    def __init__(self, loop: ForOp | WhileOp, labels: dict[str, int]):
        self.loop = loop
        jumps = loop_terminators(loop.body.block.ops)
        location = SourceLoc.of(loop)
        stem = f"loop_{location.line}" if location is not None else "loop"
        self.outer = self.inner = ""
        if any(isinstance(j, BreakOp) for j in jumps):
            self.outer = fresh_label(labels, stem)
        if len([j for j in jumps if not isinstance(j, BreakOp)]) > 0:
            self.inner = fresh_label(labels, f"{stem}_next")

    def run(self, items: Sequence[Item | None]) -> list[Operation]:
        """Replace the loop by its iterations; gives the new ops, in order.

        A `while` has no items: None for each iteration.
        """
        loop = self.loop
        block = Block()
        carried: list[SSAValue] | None = list(loop.initial)
        count = 0
        for item in items:
            count += 1
            first = [] if item is None else [self.materialise(block, item)]
            tested = self.test(block, carried)
            carried = self.iteration(block, [*first, *tested])
            if carried is None:
                break
        if carried is not None:
            carried = self.test(block, carried)
        note(loop, "unrolled", count)
        new = list(walk(block))
        if self.outer:
            if carried is not None:
                self.add(block, LeaveOp(self.outer, carried))
            scope = ScopeOp(self.outer, loop.result_types, Region(block))
            replace(loop, scope)
            return new
        insert_before(loop, *block.ops)
        if carried is None:
            erase_from(loop)
        else:
            replace(loop, carried)
        return new

    def test(self, block: Block, carried: list[SSAValue]) -> list[SSAValue]:
        """Add the test of a `while`, whose truth is known; gives the carried values."""
        if isinstance(self.loop, ForOp):
            return carried
        return self.tested(self.loop, block, carried)[1:]

    def tested(
        self, loop: WhileOp, block: Block, carried: list[SSAValue]
    ) -> list[SSAValue]:
        """Add the test of a `while`; gives its truth, then the carried values."""
        source = loop.before.block
        mapping: dict[SSAValue, SSAValue] = dict(zip(source.args, carried, strict=True))
        last_op = source.last_op
        assert isinstance(last_op, ConditionOp)
        block.add_ops([clone(op, mapping) for op in source.ops if op is not last_op])
        return [mapping.get(v, v) for v in last_op.operands]

    def iteration(self, block: Block, values: list[SSAValue]) -> list[SSAValue] | None:
        """Add one iteration; gives the carried values, or None when it never ends."""
        source = self.loop.body.block
        target = Block() if self.inner else block
        mapping: dict[SSAValue, SSAValue] = dict(zip(source.args, values, strict=True))
        end = self.loop.end_of(source)
        added = [clone(op, mapping) for op in source.ops if op is not end]
        target.add_ops(added)
        self.rewrite_jumps(added)
        result = None
        if end is not None:
            result = [mapping.get(v, v) for v in end.forwarded]
        if not self.inner:
            return result
        if result is not None:
            self.add(target, LeaveOp(self.inner, result))
        scope = ScopeOp(self.inner, self.loop.result_types, Region(target))
        self.add(block, scope)
        for value, old in zip(scope.results, self.loop.results, strict=True):
            value.name_hint = old.name_hint
        return list(scope.results)

    def peel(self, labels: dict[str, int]) -> WhileOp | None:
        """Put the first iteration of a `while` in front; gives what is left of it.

        None: no path leads to a second iteration.
        """
        loop, block = self.loop, Block()
        assert isinstance(loop, WhileOp)
        label = self.outer = self.outer or fresh_label(labels, "loop")
        truth, *tested = self.tested(loop, block, list(loop.initial))
        sides = [Region(Block()), Region(Block())]
        guard = IfOp(truth, [], sides[0], sides[1], dict(loop.attributes))
        self.add(sides[0].block, YieldOp())
        self.add(sides[1].block, LeaveOp(label, tested))
        self.add(block, guard)
        iteration = self.iteration(block, tested)
        rest: WhileOp | None = None
        if iteration is not None:
            rest = clone(loop)
            rest.operands = iteration
            block.add_op(rest)
            self.add(block, LeaveOp(label, rest.results))
        scope = ScopeOp(label, loop.result_types, Region(block))
        replace(loop, scope)
        return rest

    def rewrite_jumps(self, iteration: list[Operation]) -> None:
        """Turn this iteration's jumps into leaves."""
        if not self.outer and not self.inner:
            return
        for jump in loop_terminators(iteration):
            label = self.outer if isinstance(jump, BreakOp) else self.inner
            replace(jump, LeaveOp(label, jump.operands))

    def materialise(self, block: Block, item: Item) -> SSAValue:
        """The SSA value of an item."""
        return materialise(item, lambda op: self.add(block, op).results[0])

    def add(self, block: Block, op: Operation) -> Operation:
        append(block, op, source=self.loop)
        return op
