"""Loops: those that rows are in for as long as each of them has to be.

one row                         many rows
-------                         ---------
%x_1 = dycl.while carry(%x) {   dycl.while carry(%rows, %x, %over) {
  %c = ...                        (the rows with %c first; the others go to %over)
  dycl.condition %c, %x           dycl.condition %some, %rows_t, %x_t, %over
} do(%x_2) {                    } do(%rows_2, %x_2, %over_2) {
  dycl.yield %x_3                 dycl.yield %rows_2, %x_3, %over_2
}                               }

What of the values outside differs from row to row is carried, too, so that it is taken
anew only where rows have left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.ir import (
    BreakOp,
    ConditionOp,
    ContinueOp,
    SelectOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.interfaces import LoopOp
from dycl.ir.torch import VTensorType
from dycl.ir.walking import ops_in, walk
from dycl.passes.rows.batches import CannotRegroup
from dycl.passes.rows.control import Control, batch_types
from dycl.passes.rows.meeting import Meeting
from dycl.passes.rows.row_sets import RowSet, other_part, parted, then_part
from dycl.passes.rows.varying import Varying

_Make = Callable[[Sequence[SSAValue]], list[SSAValue]]


@dataclass
class _Frame:
    """A loop that rows are in for different times."""

    op: WhileOp
    rows: RowSet
    """The rows that have come to the loop."""
    invariants: list[SSAValue]
    over: Meeting
    """Where rows meet that have left the loop."""
    again: Meeting | None = None
    """Where rows meet before the next iteration, if they come on several ways."""


class Loops(Control):
    """Loops."""

    def __init__(self, block: Block, entry: FuncOp, varying: Varying):
        super().__init__(block, entry, varying)
        self._frames: dict[LoopOp, _Frame] = {}

    def loop(self, op: WhileOp, rows: RowSet) -> RowSet:
        """Emit a loop."""
        if self.varying.is_left_by_rows(op):
            return self._apart(op, rows)
        return self._in_step(op, rows)

    def place_of(self, op: BreakOp | ContinueOp) -> Meeting:
        """Where the rows of a jump meet."""
        loop = op.target
        frame = None if loop is None else self._frames.get(loop)
        place = None
        if frame is not None:
            place = frame.over if isinstance(op, BreakOp) else frame.again
        if place is None:
            raise CannotRegroup(op, "the loop around it is not computed for many rows")
        return place

    # ---- loops that all rows are in for the same time

    def _in_step(self, op: WhileOp, rows: RowSet) -> RowSet:
        slots = op.before.block.args
        initial = [
            self.as_batch(rows, value) if slot in self.varying else self.same(value)
            for slot, value in zip(slots, op.initial, strict=True)
        ]

        def given(values: Sequence[SSAValue]) -> list[SSAValue]:
            return [
                self.as_batch(rows, value) if slot in self.varying else self.same(value)
                for slot, value in zip(slots, values, strict=True)
            ]

        def take(args: Sequence[SSAValue], names: Sequence[SSAValue]) -> None:
            for slot, name, arg in zip(slots, names, args, strict=True):
                varies = slot in self.varying
                self.remember(rows.values if varies else self.uniform, name, arg)

        def before(args: Sequence[SSAValue]) -> list[SSAValue]:
            take(args, slots)
            self._stays(op, op.before.block, rows)
            condition = self.same(op.condition.condition)
            self._log_all(op, rows, condition)
            return [condition, *given(op.condition.values)]

        def body(args: Sequence[SSAValue]) -> list[SSAValue]:
            take(args, op.body.block.args)
            self._stays(op, op.body.block, rows)
            end = op.body.block.last_op
            assert isinstance(end, YieldOp)
            return given(end.values)

        made = self._emitted(op, initial, before, body)
        take(made, op.results)
        return rows

    def _stays(self, op: WhileOp, block: Block, rows: RowSet) -> None:
        if self.block(list(ops_in(block)), rows) is not rows:
            raise CannotRegroup(op, "rows leave it that it does not wait for")

    # ---- loops that rows leave one by one

    def _apart(self, op: WhileOp, rows: RowSet) -> RowSet:
        slots = op.before.block.args
        over = Meeting(self, rows, batch_types(op.results))
        frame = _Frame(op, rows, _invariants(op, self.varying), over)
        self._frames[op] = frame
        self._open += 1
        initial = [
            self.index_into(rows, rows),
            *(
                self.as_batch(rows, value) if slot in self.varying else self.same(value)
                for slot, value in zip(slots, op.initial, strict=True)
            ),
            *(self._of(rows, value) for value in frame.invariants),
        ]
        self._emitted(
            op,
            initial,
            lambda args: self._before(frame, args),
            lambda args: self._body(frame, args),
        )
        self._open -= 1
        del self._frames[op]
        met, values = over.met()
        for result, value in zip(op.results, values, strict=True):
            self.remember(met.values, result, value)
        return met

    def _of(self, rows: RowSet, value: SSAValue) -> SSAValue:
        found = self.batch(rows, value)
        assert found is not None
        return found

    def _live(self, frame: _Frame, args: Sequence[SSAValue], block: Block) -> RowSet:
        """The rows that are in the loop, by what an iteration is given."""
        rows = RowSet(frame.rows, args[0], self.emit.count(args[0]), in_order=False)
        slots = frame.op.before.block.args
        count = len(slots)
        for slot, name, arg in zip(slots, block.args, args[1 : 1 + count], strict=True):
            varies = slot in self.varying
            self.remember(rows.values if varies else self.uniform, name, arg)
        for value, arg in zip(frame.invariants, args[1 + count :], strict=True):
            self.remember(rows.values, value, arg)
        return rows

    def _carried(
        self, frame: _Frame, rows: RowSet, values: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """What goes to the next iteration, or into the body, with some rows."""
        slots = frame.op.before.block.args
        return [
            self.index_into(rows, frame.rows),
            *(
                self.as_batch(rows, value) if slot in self.varying else self.same(value)
                for slot, value in zip(slots, values, strict=True)
            ),
            *(self._of(rows, value) for value in frame.invariants),
        ]

    def _before(self, frame: _Frame, args: Sequence[SSAValue]) -> list[SSAValue]:
        op = frame.op
        live = self._live(frame, args, op.before.block)
        live.may_be_empty = True
        self._stays(op, op.before.block, live)
        end = op.condition
        if end.condition not in self.varying:
            return self._all_at_once(frame, live)
        test = self._of(live, end.condition)
        parts = parted(self.emit, test, live.count)
        if op in self.results.decisions:
            self.results.log(self, op, live, parts.truths)

        def leave() -> list[SSAValue]:
            left = other_part(self.emit, live, parts)
            frame.over.come(left, [self.as_batch(left, v) for v in end.values])
            return []

        self.if_any(parts.others, leave, [], f"a row with not ({op.test})")
        stays = then_part(self.emit, live, parts)
        some = self.emit.compare("gt", parts.then, self.emit.number(0))
        return [some, *self._carried(frame, stays, end.values)]

    def _all_at_once(self, frame: _Frame, live: RowSet) -> list[SSAValue]:
        """One condition for all rows that are left."""
        end = frame.op.condition
        condition = self.same(end.condition)
        self._log_all(frame.op, live, condition)

        def leave() -> list[SSAValue]:
            frame.over.come(live, [self.as_batch(live, v) for v in end.values])
            return []

        def stay() -> list[SSAValue]:
            return []

        self.choice(condition, stay, leave, [], frame.op.test)
        some = self.emit.compare("gt", live.count, self.emit.number(0))
        both = self.emit.value(SelectOp(condition, some, condition))
        return [both, *self._carried(frame, live, end.values)]

    def _body(self, frame: _Frame, args: Sequence[SSAValue]) -> list[SSAValue]:
        op = frame.op
        live = self._live(frame, args, op.body.block)
        frame.again = None
        if any(isinstance(j, ContinueOp) for j in op.jumps):
            slots = batch_types(op.before.block.args)
            frame.again = Meeting(self, live, slots)
        after = self.block(list(ops_in(op.body.block)), live)
        end = op.body.block.last_op
        values: Sequence[SSAValue] | None = None
        if after is not None and isinstance(end, YieldOp):
            values = end.values
        if frame.again is not None:
            if values is not None and after is not None:
                batches = [self.as_batch(after, value) for value in values]
                frame.again.come(after, batches)
            met, batches = frame.again.met()
            return [
                self.index_into(met, frame.rows),
                *batches,
                *(self._of(met, value) for value in frame.invariants),
            ]
        if values is None or after is None:
            zero = self.emit.minus(live.count, live.count)
            types = [arg.type for arg in args]
            if any(not isinstance(kind, VTensorType) for kind in types):
                raise CannotRegroup(op, "no row comes to the end of its body")
            kinds = cast("list[VTensorType]", types)
            return [self.emit.empty(zero, kind) for kind in kinds]
        return self._carried(frame, after, values)

    # ---- both

    def _log_all(self, op: WhileOp, rows: RowSet, condition: SSAValue) -> None:
        """Note a decision that is one for all rows."""
        if op not in self.results.decisions:
            return

        def side(way: int) -> Callable[[], list[SSAValue]]:
            def run() -> list[SSAValue]:
                self.results.log_all(self, op, rows, way)
                return []

            return run

        self.choice(condition, side(1), side(0), [], op.test)

    def _emitted(
        self,
        op: WhileOp,
        initial: Sequence[SSAValue],
        before: _Make,
        body: _Make,
    ) -> list[SSAValue]:
        """A loop of the host, which hands variables on; its results less these.

        `before` gives the condition, and what it hands on; `body`, what it yields.
        """
        variables = list(self.variables)
        start = [*initial, *(self.variables[v] for v in variables)]
        types: list[Attribute] = [value.type for value in start]
        regions: list[Region] = []
        for make in (before, body):
            block = Block()
            self.emit.arguments(block, types)
            regions.append(Region(block))
            args = block.args[: len(initial)]
            passed = block.args[len(initial) :]
            with self.inside(block):
                self.variables = dict(zip(variables, passed, strict=True))
                values = [*make(args), *(self.variables[v] for v in variables)]
                is_before = make is before
                end = ConditionOp(values[0], values[1:]) if is_before else None
                self.emit.put(end or YieldOp(values))
        made = WhileOp(start, *regions)
        made.attributes.update(op.attributes)
        self.emit.put(made)
        results: list[SSAValue] = list(made.results)
        passed = results[len(initial) :]
        self.variables = dict(zip(variables, passed, strict=True))
        return results[: len(initial)]


def _invariants(op: WhileOp, varying: Varying) -> list[SSAValue]:
    """The values of rows that a loop uses and does not change, in order."""
    found: dict[SSAValue, None] = {}
    for inner in walk(op):
        if inner is op:
            continue
        for value in inner.operands:
            owner = value.owner
            around = owner if isinstance(owner, Operation) else owner.parent_op()
            is_inside = around is not None and op.is_ancestor(around)
            if isinstance(owner, Operation) and owner is op:
                is_inside = False
            if value in varying and not is_inside:
                for one in _tensors(value):
                    if one in varying:
                        found[one] = None
    return list(found)


def _tensors(value: SSAValue) -> list[SSAValue]:
    """A value, or the tensors that a list is made of."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.name == "torch.prim.ListConstruct":
        return list(owner.operands)
    return [value]
