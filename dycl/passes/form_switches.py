"""`dycl-form-switches`: makes one node of a chain of ifs, such as the choice of an
expert.

Before                                  After
------                                  -----
graph.func @f(%x, %p, %q) {             graph.func @f(%x, %p, %q) {
  %y = host.alloc                         %y = host.alloc
  %c = graph.condition                    %c = graph.condition
  graph.scalars {                         graph.scalars {
    %v = host.read %p                       %v = host.read %p
    graph.set %c, %v                        %n = dycl.unary not %v
  }                                         %w = host.read %q
  graph.if %c {                             %two = dycl.constant 2 : i64 -> i64
    graph.copy %x to %y                     %one = dycl.constant 1 : i64 -> i64
  } else {                                  %i = dycl.select %w, %one, %two
    %d = graph.condition                    %zero = dycl.constant 0 : i64 -> i64
    graph.scalars {                         %j = dycl.select %v, %zero, %i
      %w = host.read %q                     graph.set %c, %j : i64
      graph.set %d, %w                    }
    }                                     graph.switch %c case {
    graph.if %d {                           graph.copy %x to %y
      graph.launch @a ins(%x) outs(%y)    } case {
    } else {                                graph.launch @a ins(%x) outs(%y)
      graph.launch @b ins(%x) outs(%y)    } case {
    }                                       graph.launch @b ins(%x) outs(%y)
  }                                       }
  graph.return %y as [#dycl.leaf<0>]      graph.return %y as [#dycl.leaf<0>]
}                                       }

Needs:  `dycl-form-graph`.
Leaves: `graph.switch` with an arm for each side. The tests of the chain are computed
        ahead by one thread, which notes those that the chain would have got to; what
        followed an inner if is at the end of each of its arms, as where the first arm
        has returned.
Skips:  chains with fewer than `least` arms, tests that may stop the run, what does
        anything else between the tests, and what has more than `most_behind` nodes
        behind an inner if, or decides there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i1, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

import dycl.ir as d
from dycl.diag import remark
from dycl.ir import graph, host
from dycl.ir.cloning import clone
from dycl.ir.graph.nodes import words_of
from dycl.ir.graph.rules import computes, may_stop
from dycl.ir.rewriting import append, erase, insert_before, insert_value
from dycl.ir.values import to_attr
from dycl.ir.walking import walk


@dataclass(frozen=True)
class FormSwitchesPass(ModulePass):
    """Makes one node of a chain of ifs, such as the choice of an expert."""

    name = "dycl-form-switches"

    least: int = 3
    """Arms that a switch has at least."""
    most_behind: int = 8
    """Nodes that may follow an inner if, which each of its arms then has for itself."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each chain, an outer one first; raises nothing."""
        for func in [f for f in op.ops if isinstance(f, graph.FuncOp)]:
            done = set[Operation]()
            for each in list(walk(func.body)):
                if isinstance(each, graph.IfOp) and each not in done:
                    chain = list(_chain(each, self.most_behind))
                    if (why := self._cannot(each, chain)) is None:
                        _switch(each, chain)
                        done.update(chain)
                    elif len(chain) > 1 or _goes_on(each):
                        remark(each, "kept as a chain of ifs", why)

    def _cannot(self, first: graph.IfOp, chain: Sequence[graph.IfOp]) -> str | None:
        if len(chain) == 1:
            return "its tests are not all that is done between the arms"
        if len(chain) + 1 < self.least:
            return f"it has {len(chain) + 1} arms, fewer than {self.least}"
        if _test_of(first) is None:
            return "its test is computed elsewhere"
        return None


def _goes_on(op: graph.IfOp) -> bool:
    """Whether there is an if in the `else`, so that there might be a chain."""
    return any(isinstance(inner, graph.IfOp) for inner in op.else_body.block.ops)


def _chain(op: graph.IfOp, most_behind: int) -> Iterator[graph.IfOp]:
    """An if, and those that its `else` goes on with."""
    yield op
    match list(op.else_body.block.ops):
        case [
            graph.ConditionOp(),
            graph.ScalarsOp() as test,
            graph.IfOp() as inner,
            *rest,
        ] if (
            _test_of(inner) is test
            and all(map(_is_pure, test.body.block.ops))
            and test.guard_slot is None
            and (all(map(_is_move, rest)) or _is_short(rest, most_behind))
        ):
            yield from _chain(inner, most_behind)
        case _:
            pass


def _test_of(op: graph.IfOp) -> graph.ScalarsOp | None:
    """The node just before an if that alone sets its condition, and no other one."""
    users = [u.operation for u in op.condition.uses if u.operation is not op]
    before = op.prev_op
    if len(users) != 1 or not isinstance(before, graph.ScalarsOp):
        return None
    sets = [o for o in before.body.block.ops if isinstance(o, graph.SetOp)]
    return before if sets == users else None


def _is_short(rest: Sequence[Operation], most: int) -> bool:
    """Whether nodes are so few that each arm can have them, and decide nothing."""
    nodes = [op for op in rest if not isinstance(op, graph.EndOp)]
    return len(nodes) <= most and all(
        isinstance(op, graph.LaunchOp | graph.CopyOp)
        or (
            isinstance(op, graph.ScalarsOp)
            and not any(isinstance(o, graph.SetOp) for o in op.body.block.ops)
        )
        for op in nodes
    )


def _is_move(op: Operation) -> bool:
    """Whether a node gives what a join has its value, and does nothing else."""
    moves = (host.ReadOp, d.ConstantOp, graph.WriteOp, graph.EndOp)
    if isinstance(op, graph.ScalarsOp):
        return all(isinstance(inner, moves) for inner in op.body.block.ops)
    return isinstance(op, graph.CopyOp | graph.EndOp)


def _is_pure(op: Operation) -> bool:
    if isinstance(op, graph.RecordOp):
        return op.when is None
    if computes(op):
        return not may_stop(op)
    return isinstance(op, d.ConstantOp | graph.SetOp | graph.EndOp)


def _switch(first: graph.IfOp, chain: Sequence[graph.IfOp]) -> None:
    """Compute all tests where the first one is, and choose among the arms at once."""
    thread = _test_of(first)
    assert thread is not None
    end = thread.body.block.last_op
    assert end is not None
    taken = [_without_set(thread)]
    missed: SSAValue | None = None
    for op in chain[1:]:
        negated = insert_value(end, d.UnaryOp("not", taken[-1], i1))
        if missed is not None:
            negated = insert_value(end, d.BinaryOp("and", missed, negated, i1))
        missed = negated
        taken.append(_ahead(op, end, missed))
    index = _number(len(chain), end)
    for place in range(len(chain) - 1, -1, -1):
        select = d.SelectOp(taken[place], _number(place, end), index)
        index = insert_value(end, select)
    condition = graph.ConditionOp()
    insert_before(thread, condition, source=first)
    insert_before(end, graph.SetOp(condition.result, index))
    node = graph.SwitchOp(condition.result, _arms(chain))
    node.attributes.update(words_of(first))
    insert_before(first, node, source=first)
    old = first.condition.owner
    assert isinstance(old, Operation)
    erase(first)
    erase(old)


def _without_set(thread: graph.ScalarsOp) -> SSAValue:
    """The bool that a node sets a condition to, once it does not any more."""
    [op] = [o for o in thread.body.block.ops if isinstance(o, graph.SetOp)]
    value = op.value
    erase(op)
    return value


def _ahead(op: graph.IfOp, end: Operation, missed: SSAValue) -> SSAValue:
    """Compute the test of an inner if before `end`; it is noted if all before it were
    `missed`. What the test gives."""
    test = _test_of(op)
    assert test is not None
    values: dict[SSAValue, SSAValue] = {}
    result: SSAValue | None = None
    for inner in test.body.block.ops:
        match inner:
            case graph.RecordOp():
                value = values[inner.value]
                made = graph.RecordOp(inner.index, value, [missed])
                insert_before(end, made, source=inner)
            case graph.SetOp():
                result = values[inner.value]
            case graph.EndOp():
                pass
            case _:
                insert_before(end, clone(inner, values), source=inner)
    assert result is not None
    return result


def _number(value: int, end: Operation) -> SSAValue:
    return insert_value(end, d.ConstantOp(to_attr(value), i64))


def _arms(chain: Sequence[graph.IfOp]) -> list[Region]:
    """The bodies; what follows an inner if is done at the end of each arm inside."""
    behind: list[Operation] = []
    arms: list[Region] = []
    for number, op in enumerate(chain):
        if number:
            rest = list(_following(op))
            behind = [*rest, *behind]
        arms.append(_arm(op.then_body, behind))
    arms.append(_arm(chain[-1].else_body, behind))
    return arms


def _following(op: Operation) -> Iterator[Operation]:
    while op.next_op is not None and not isinstance(op.next_op, graph.EndOp):
        op = op.next_op
        yield op


def _arm(body: Region, behind: Sequence[Operation]) -> Region:
    block = Block()
    end = body.block.last_op
    for op in list(body.block.ops):
        if op is not end:
            op.detach()
            block.add_op(op)
    for op in behind:
        block.add_op(clone(op))
    assert end is not None
    append(block, graph.EndOp(), source=end)
    return Region(block)
