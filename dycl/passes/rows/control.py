"""Decisions and scopes: rows part, and meet again.

one row                    many rows
-------                    ---------
%c = dycl.item %p          %order, %places, %t, %e = (the rows with %p first)
%y = dycl.if %c {          %some = dycl.compare gt %t, %zero
  dycl.yield %a            %ya = dycl.if %some { (for the first %t rows) }
} else {                   %others = dycl.compare gt %f, %zero
  dycl.yield %b            %yb = dycl.if %others { (for the rows behind them) }
}                          %y = (%ya and %yb, in the order of the rows)

A side that no row takes is not run. If rows leave inside a side, those that are left
are joined: the rows of the first side, then those of the second.
"""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.ir import (
    BreakOp,
    ContinueOp,
    IfOp,
    LeaveOp,
    ScopeOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.torch import VTensorType
from dycl.ir.walking import ops_in
from dycl.passes.rows.batches import CannotRegroup, batched
from dycl.passes.rows.blocks import Blocks
from dycl.passes.rows.emission import Emitter
from dycl.passes.rows.meeting import PLACES, Meeting
from dycl.passes.rows.results import Results
from dycl.passes.rows.row_sets import Parts, RowSet, other_part, parted, then_part
from dycl.passes.rows.varying import Varying, loses_rows


def batch_types(values: Sequence[SSAValue]) -> list[VTensorType]:
    """The types of the batches of values. CannotRegroup: one has none."""
    result: list[VTensorType] = []
    for value in values:
        if (kind := batched(value.type)) is None:
            owner = value.owner
            op = owner if isinstance(owner, Operation) else owner.parent_op()
            raise CannotRegroup(cast(Operation, op), "a value is no tensor or number")
        result.append(kind)
    return result


class Control(Blocks):
    """Decisions and scopes; loops are in `loops`."""

    def __init__(self, block: Block, entry: FuncOp, varying: Varying):
        super().__init__(block, entry, varying)
        self.results = Results(entry)
        self.top = block
        self.scopes: dict[str, list[Meeting]] = {}
        self._open = 0
        """Scopes under way: rows may go on behind them."""

    def control(self, op: IfOp | ScopeOp | WhileOp, rows: RowSet) -> RowSet | None:
        """Emit an op with regions."""
        match op:
            case IfOp() if op.condition in self.varying:
                return self._divided(op, rows)
            case IfOp():
                return self._together(op, rows)
            case ScopeOp():
                return self._scope(op, rows)
            case WhileOp():
                return self.settled(self.loop(op, rows))

    def loop(self, op: WhileOp, rows: RowSet) -> RowSet:
        """Emit a loop."""
        raise NotImplementedError

    def settled(self, rows: RowSet) -> RowSet:
        """End the call if no row is left, where none can come any more."""
        if self.emit.block is not self.top or self._open:
            rows.may_be_empty = True
            return rows
        if self.results.ends_together:
            return rows
        none = self.emit.compare("eq", rows.count, self.emit.number(0))
        leave, go_on = Block(), Block()
        self.results.end(self, Emitter(leave, self.emit.source))
        Emitter(go_on, self.emit.source).put(YieldOp())
        self.emit.put(IfOp(none, [], Region(leave), Region(go_on)))
        return rows

    # ---- decisions of each row

    def _divided(self, op: IfOp, rows: RowSet) -> RowSet | None:
        test = self.batch(rows, op.condition)
        assert test is not None
        parts = parted(self.emit, test, rows.count)
        if op in self.results.decisions:
            self.results.log(self, op, rows, parts.truths)
        then, other = (
            isinstance(region.block.last_op, YieldOp)
            for region in (op.then_region, op.else_region)
        )
        if then and other:
            return self._both(op, rows, parts)
        if not then:
            self._side(op, rows, parts, True, [], _nothing)
        if not other:
            self._side(op, rows, parts, False, [], _nothing)
        if not then and not other:
            return None
        is_then = then
        part = then_part if is_then else other_part
        region = op.then_region if is_then else op.else_region
        left = self.settled(part(self.emit, rows, parts))
        after = self.block(list(ops_in(region.block)), left)
        if after is not None:
            end = cast(YieldOp, region.block.last_op)
            for result, value in zip(op.results, end.values, strict=True):
                self.remember(after.values, result, self.as_batch(after, value))
        return after

    def _side(
        self,
        op: IfOp,
        rows: RowSet,
        parts: Parts,
        is_then: bool,
        types: Sequence[Attribute],
        give: Callable[[RowSet, YieldOp, RowSet], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        """Run one side for its rows, if there are any; what `give` says of the rows
        that reach its end, of those that began it."""
        region = op.then_region if is_then else op.else_region

        def run() -> Sequence[SSAValue]:
            part = (then_part if is_then else other_part)(self.emit, rows, parts)
            after = self.block(list(ops_in(region.block)), part)
            end = region.block.last_op
            if isinstance(end, YieldOp) and after is not None:
                return give(after, end, part)
            zero = self.emit.minus(part.count, part.count)
            return [self.emit.empty(zero, cast(VTensorType, kind)) for kind in types]

        count = parts.then if is_then else parts.others
        words = op.test if is_then else f"not ({op.test})"
        return self.if_any(count, run, types, f"a row with {words}")

    def _both(self, op: IfOp, rows: RowSet, parts: Parts) -> RowSet:
        """Both sides lead behind the op."""
        types = batch_types(op.results)
        loses = loses_rows(op)

        def give(after: RowSet, end: YieldOp, began: RowSet) -> list[SSAValue]:
            values = [self.as_batch(after, value) for value in end.values]
            if loses:
                return [self.index_into(after, rows), *values]
            return self._in_order_of(began, after, values)

        all_types = [PLACES, *types] if loses else types
        firsts = self._side(op, rows, parts, True, all_types, give)
        seconds = self._side(op, rows, parts, False, all_types, give)
        pairs = list(zip(firsts, seconds, strict=True))
        if loses:
            index, *values = [self.emit.joined(pair) for pair in pairs]
            met = RowSet(rows, index, self.emit.count(index), in_order=False)
            rows = self.settled(met)
        else:
            values = self._in_order(rows, parts, pairs)
        for result, value in zip(op.results, values, strict=True):
            self.remember(rows.values, result, value)
        return rows

    def _in_order(
        self, rows: RowSet, parts: Parts, pairs: list[tuple[SSAValue, SSAValue]]
    ) -> list[SSAValue]:
        """The results of both sides, in the order of the rows."""
        if not pairs:
            return []
        types = [first.type for first, _ in pairs]

        def mixed() -> list[SSAValue]:
            emit = self.emit
            return [emit.taken(emit.joined(pair), parts.places) for pair in pairs]

        def not_all() -> list[SSAValue]:
            none = self.emit.compare("eq", parts.then, self.emit.number(0))
            seconds = [second for _, second in pairs]
            return self.choice(none, lambda: seconds, mixed, types, "no row")

        every = self.emit.compare("eq", parts.others, self.emit.number(0))
        firsts = [first for first, _ in pairs]
        return self.choice(every, lambda: firsts, not_all, types, "all rows")

    def _in_order_of(
        self, rows: RowSet, after: RowSet, values: list[SSAValue]
    ) -> list[SSAValue]:
        """Batches of rows that have all come, maybe in another order, in that of
        `rows`: a scope or a loop gives them in the order in which they left it."""
        if after is rows or not values:
            return values
        index = self.index_into(after, rows)
        numbers = self.emit.places(self.emit.rows(index))
        places = self.emit.aten("scatter.src", [index, 0, index, numbers], PLACES)
        return [self.emit.taken(value, places) for value in values]

    # ---- one decision for all rows

    def _together(self, op: IfOp, rows: RowSet) -> RowSet | None:
        """All rows go the same way."""
        ends = [region.block.last_op for region in op.regions]
        varying = self.varying
        loses = loses_rows(op) or not all(isinstance(e, YieldOp) for e in ends)
        types = [
            cast(Attribute, batched(r.type)) if r in varying or loses else r.type
            for r in op.results
        ]
        if loses:
            types = [PLACES, *batch_types(op.results)]

        def side(number: int) -> Callable[[], list[SSAValue]]:
            def run() -> list[SSAValue]:
                if op in self.results.decisions:
                    self.results.log_all(self, op, rows, 1 - number)
                region = op.regions[number]
                inside = RowSet(rows, rows.index, rows.count) if loses else rows
                if loses:
                    inside.index = self.index_into(rows, rows)
                after = self.block(list(ops_in(region.block)), inside)
                end = region.block.last_op
                if not isinstance(end, YieldOp) or after is None:
                    zero = self.emit.minus(rows.count, rows.count)
                    kinds = cast("list[VTensorType]", types)
                    return [self.emit.empty(zero, kind) for kind in kinds]
                if loses:
                    values = [self.as_batch(after, value) for value in end.values]
                    return [self.index_into(after, rows), *values]
                pairs = list(zip(end.values, op.results, strict=True))
                batches = [self.as_batch(after, v) for v, r in pairs if r in varying]
                ordered = iter(self._in_order_of(rows, after, batches))
                return [
                    next(ordered) if r in varying else self.same(v) for v, r in pairs
                ]

            return run

        condition = self.same(op.condition)
        made = self.choice(condition, side(0), side(1), types, op.test)
        if loses:
            index, *made = made
            rows = RowSet(rows, index, self.emit.count(index), in_order=False)
            rows = self.settled(rows)
        for result, value in zip(op.results, made, strict=True):
            varies = result in varying or loses
            self.remember(rows.values if varies else self.uniform, result, value)
        return rows

    # ---- scopes

    def _scope(self, op: ScopeOp, rows: RowSet) -> RowSet:
        meeting = Meeting(self, rows, batch_types(op.results))
        waiting = self.scopes.setdefault(op.label.data, [])
        waiting.append(meeting)
        self._open += 1
        self.block(list(ops_in(op.body.block)), rows)
        self._open -= 1
        waiting.pop()
        met, values = meeting.met()
        for result, value in zip(op.results, values, strict=True):
            self.remember(met.values, result, value)
        return self.settled(met)

    def jump(self, op: BreakOp | ContinueOp | LeaveOp, rows: RowSet) -> None:
        """Emit a jump of some rows."""
        if isinstance(op, LeaveOp):
            meeting = self.scopes[op.label.data][-1]
        else:
            meeting = self.place_of(op)
        values = [self.as_batch(rows, value) for value in op.forwarded]
        meeting.come(rows, values)

    def place_of(self, op: BreakOp | ContinueOp) -> Meeting:
        """Where the rows of a jump meet."""
        raise NotImplementedError


def _nothing(after: RowSet, end: YieldOp, began: RowSet) -> list[SSAValue]:
    return []
