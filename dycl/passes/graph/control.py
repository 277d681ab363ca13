"""Ifs, scopes, loops and jumps of a host function as nodes of a tree."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import MemRefType, i1, i64
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.ir import graph, host
from dycl.ir.graph.nodes import empty, words_of
from dycl.ir.graph.rules import computes, may_stop
from dycl.ir.host.types import NUMBERS
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.walking import walk
from dycl.passes.graph.jumps import Jump, falls, only_leave, target_of
from dycl.passes.graph.tree import Then
from dycl.passes.graph.ways import Ways


def _nothing() -> None:
    """Nothing follows here."""


class Tree(Ways):
    """The tree of a whole host function."""

    def __init__(self, func: host.FuncOp, first: int = 0):
        """`first`: the number of its first decision."""
        super().__init__(func)
        self._decisions = {op: n + first for op, n in decisions(func).items()}
        self._behind: dict[Operation, Then] = {}
        """By scope with one end: what follows it."""
        self._conditions: dict[Operation, SSAValue] = {}
        """By loop: what it asks."""
        for op in walk(func.body):
            if isinstance(op, d.WhileOp):
                self._claim_initial(op)

    def build(self) -> graph.FuncOp:
        """The function as a tree."""
        if self._jumps.are_told:
            self._way = self.places.new_slot(i64, "way", self._func)
            self._tell(0, self._func)
        self._sequence(list(self._func.body.block.ops), _nothing)
        return self.finish(self._func)

    def _sequence(self, ops: Sequence[Operation], then: Then) -> None:
        """Ops in order; `then` is put where their end leads on."""
        for number, op in enumerate(ops, start=1):
            if isinstance(op, d.IfOp | d.ScopeOp | d.WhileOp):
                rest = self._rest(ops[number:], then)
                if self._control(op)(rest):
                    return
            elif isinstance(op, RegionTerminator):
                self._end(op, then)
            else:
                self.plain(op)

    def _rest(self, ops: Sequence[Operation], then: Then) -> Then:
        return lambda: self._sequence(ops, then)

    def _control(self, op: d.IfOp | d.ScopeOp | d.WhileOp) -> Callable[[Then], bool]:
        """Puts an op, and says whether what follows it is in its place too."""
        match op:
            case d.IfOp():
                return lambda rest: self._if(op, rest)
            case d.ScopeOp():
                return lambda rest: self._scope(op, rest)
            case d.WhileOp():
                return lambda rest: self._while(op, rest)

    # ---- ifs

    def _if(self, op: d.IfOp, rest: Then) -> bool:
        if is_choice(op):
            self._choose(op)
            return False
        lead_on = falls(op)
        self._claim(op)
        self._record(op, op.condition)
        self.numbers.uses(op, 0)
        condition = self.condition(op.condition, op)
        bodies = [
            self.body(self._rest(list(region.block.ops), then), op)
            for region, then in zip(
                op.regions,
                [rest if lead_on == [i == 0, i == 1] else _nothing for i in (0, 1)],
                strict=True,
            )
        ]
        node = graph.IfOp(condition, *bodies)
        node.attributes.update(words_of(op))
        self.add(node, op)
        return not all(lead_on) or self._guarded(op, rest)

    def _record(self, op: Operation, condition: SSAValue) -> None:
        """Note which side of a decision is taken, if an op is one."""
        if op in self._decisions:
            taken = self.numbers.value(condition, op)
            self.numbers.record(self._decisions[op], taken, op)

    def _choose(self, op: d.IfOp) -> None:
        """An if that computes numbers alone: both sides, and the right ones of them."""
        numbers, outer = self.numbers, self.numbers.when
        self._record(op, op.condition)
        numbers.uses(op, 0)
        condition = numbers.value(op.condition, op)
        sides: list[list[SSAValue]] = []
        for number, region in enumerate(op.regions):
            taken = numbers.negated(condition, op) if number else condition
            numbers.when = numbers.both(outer, taken, op)
            for inner in region.block.ops:
                if isinstance(inner, d.IfOp):
                    self._choose(inner)
                elif isinstance(inner, d.YieldOp):
                    sides.append([numbers.value(v, inner) for v in inner.values])
                    for place in range(len(inner.values)):
                        numbers.uses(inner, place)
                else:
                    self.plain(inner)
        numbers.when = outer
        for result, one, other in zip(op.results, *sides, strict=True):
            chosen = d.SelectOp(condition, one, other)
            numbers.emit(chosen, op)
            numbers.let(result, chosen.result, op)

    def _guarded(self, op: Operation, rest: Then) -> bool:
        """What follows an op that a jump leaves, in an if of its own; whether there
        is such a jump."""
        if not self._jumps.out_of(op):
            return False
        assert self._way is not None
        node_of = graph.ConditionOp()
        self.put(node_of, op)
        numbers = self.numbers
        goes_on = d.CompareOp("eq", self._read_way(op), self._number(0, op), i1)
        numbers.emit(goes_on, op)
        numbers.emit(graph.SetOp(node_of.result, goes_on.result), op)
        self.add(graph.IfOp(node_of.result, self.body(rest, op), empty()), op)
        return True

    # ---- scopes

    def _scope(self, op: d.ScopeOp, rest: Then) -> bool:
        self._claim(op)
        ops = list(op.body.block.ops)
        if only_leave(op) is not None:
            self._behind[op] = rest
            self._sequence(ops, _nothing)
            return True
        self._sequence(ops, _nothing)
        self._arrive(op)
        return self._guarded(op, rest)

    # ---- loops

    def _while(self, op: d.WhileOp, rest: Then) -> bool:
        self._claim(op)
        made = graph.ConditionOp()
        self.add(made, op)
        self._conditions[op] = made.result
        self._hand_over(op)
        self._next(op)

        def round_() -> None:
            self._sequence(list(op.body.block.ops), lambda: self._next(op))
            self._arrive(op)

        node = graph.WhileOp(made.result, self.body(round_, op))
        node.attributes.update(words_of(op))
        self.add(node, op)
        return self._guarded(op, rest)

    def _next(self, op: d.WhileOp) -> None:
        """Ask whether there is another iteration."""
        self._sequence(list(op.before.block.ops), _nothing)

    def _condition(self, end: d.ConditionOp, loop: d.WhileOp) -> None:
        numbers = self.numbers
        self._record(loop, end.condition)
        numbers.uses(end, 0)
        value = numbers.value(end.condition, end)
        pairs: list[tuple[SSAValue, SSAValue]] = list(
            zip(end.values, loop.results, strict=True)
        )
        for given, becomes in zip(end.values, loop.body.block.args, strict=True):
            self.places.let(becomes, given)
        numbers.emit(graph.SetOp(self._conditions[loop], value), end)
        if not loop.is_tested:
            self.flush()
            return
        left = [pair for pair in pairs if not self._is_only(loop, pair[1])]
        for given, becomes in pairs:
            if (given, becomes) not in left:
                self.places.let(becomes, given)
        if left:
            self._leave_with(left, end)
        self.flush()

    def _leave_with(
        self, pairs: list[tuple[SSAValue, SSAValue]], end: d.ConditionOp
    ) -> None:
        """The results of a loop that breaks end too, should it end here."""
        is_number = [not isinstance(join.type, MemRefType) for _, join in pairs]
        numbers = [p for p, holds in zip(pairs, is_number, strict=True) if holds]
        buffers = [p for p, holds in zip(pairs, is_number, strict=True) if not holds]
        if numbers:
            self.numbers.write(numbers, end)
        if buffers:
            slot = self.places.new_slot(i1, "goes_on", end)
            value = self.numbers.value(end.condition, end)
            self.numbers.emit(graph.WriteOp(value, slot), end)
            moves = [(v, self.places.buffer(join)) for v, join in buffers]
            self.copy(moves, end, unless=slot)

    # ---- ends

    def _end(self, op: RegionTerminator, then: Then) -> None:
        match op:
            case d.ConditionOp():
                loop = op.target
                assert isinstance(loop, d.WhileOp)
                self._condition(op, loop)
            case d.YieldOp():
                self._hand_over(op)
                then()
            case d.BreakOp() | d.ContinueOp() | d.LeaveOp() | d.ReturnOp():
                self._jump(op)
            case d.RaiseOp():
                self.stop(op)
            case _:
                pass  # No run gets here.

    def _jump(self, op: Jump) -> None:
        target = target_of(op)
        self._hand_over(op)
        if isinstance(op, d.ReturnOp):
            self.numbers.emit(graph.ExitOp(self.ends(op)), op)
        for loop in _loops_left(op, target):
            false = self.numbers.constant(False, i1, op)
            self.numbers.emit(graph.SetOp(self._conditions[loop], false), op)
        if (number := self._jumps.number(op)) is not None:
            self._tell(number, op)
        if isinstance(op, d.ContinueOp):
            assert isinstance(target, d.WhileOp)
            self._next(target)
        elif target is not None and target in self._behind:
            self._behind[target]()


def decisions(func: host.FuncOp) -> dict[Operation, int]:
    """The number of each decision, as the printed host has them."""
    numbers: dict[Operation, int] = {}
    for op in walk(func.body):
        if isinstance(op, d.IfOp) and op.is_decision:
            numbers[op] = len(numbers)
        elif isinstance(op, d.ConditionOp):
            loop = op.target
            if isinstance(loop, d.WhileOp) and loop.is_decision:
                numbers[loop] = len(numbers)
    return numbers


def is_choice(op: d.IfOp) -> bool:
    """Whether an if computes numbers alone, and nothing that stops runs."""
    return all(
        isinstance(inner, d.YieldOp)
        or (isinstance(inner, d.ConstantOp) and inner.result.type in NUMBERS)
        or (isinstance(inner, d.IfOp) and is_choice(inner))
        or (
            computes(inner) and not may_stop(inner) and inner.results[0].type in NUMBERS
        )
        for region in op.regions
        for inner in region.block.ops
    ) and all(result.type in NUMBERS for result in op.results)


def _loops_left(op: Jump, target: RegionBranchOp | None) -> list[d.WhileOp]:
    """The loops that a jump ends."""
    found: list[d.WhileOp] = []
    around = op.parent_op()
    while around is not None and around is not target:
        if isinstance(around, d.WhileOp):
            found.append(around)
        around = around.parent_op()
    if isinstance(op, d.BreakOp) and isinstance(target, d.WhileOp):
        found.append(target)
    return found
