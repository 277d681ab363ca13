"""`dycl-carry-dicts`: a dict that a branch or loop makes goes on as its values.

Before                              After
------                              -----
%d = dycl.dict(%key, %x)            %t = dycl.tuple(%x)
%r = dycl.while carry(%a = %d) {    %u = dycl.while carry(%a = %t) {
  dycl.condition %p, %a               dycl.condition %p, %a
} do(%b) {                          } do(%b) {
  %h = dycl.subscript %b[%key]        %v = dycl.subscript %b[%zero]
  %e = dycl.dict(%key, %h)            %c = dycl.dict(%key, %v)
  dycl.yield %e                       %h = dycl.subscript %c[%key]
}                                     %w = dycl.tuple(%h)
dycl.return %r                        dycl.yield %w
                                    }
                                    %y = dycl.subscript %u[%zero]
                                    %r = dycl.dict(%key, %y)
                                    dycl.return %r

`state = self.step(state)`, with a dict for the state: its keys are the same each time.
So it is carried as a tuple of its values, and `dycl-split-tuples` carries these one by
one. Behind an `if` or scope of which each path makes a dict it is the same.

Needs:  nothing. Best after `dycl-scalarize-aggregates`, which makes displays of dicts
        that are changed.
Leaves: no dict that all paths of an `if`, scope or loop make with the same keys.
Skips:  dicts with other keys, or that something changes or keeps: a remark says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.folding.iteration import is_read_by
from dycl.diag import remark
from dycl.ir import DictOp, IfOp, ScopeOp, SubscriptOp, TupleOp, WhileOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator, forwarded_from, forwarded_to
from dycl.ir.rewriting import erase, insert_before, insert_constant, insert_value
from dycl.ir.walking import walk

Keys = list[object]


@dataclass(frozen=True)
class CarryDictsPass(ModulePass):
    """A dict that a branch or loop makes goes on as its values."""

    name = "dycl-carry-dicts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function, inner ops first; raises nothing."""
        entry = entry_function(op)
        ops = [] if entry is None else list(walk(entry))
        for item in reversed(ops):
            if isinstance(item, (IfOp, ScopeOp, WhileOp)):
                for index in range(len(item.results)):
                    _carry(item, index)


def _carry(op: IfOp | ScopeOp | WhileOp, index: int) -> None:
    made = _made_by_loop(op, index) if isinstance(op, WhileOp) else _made(op, index)
    if not made:
        return
    (keys, *others) = map(_keys, made)
    if keys is None or any(other != keys for other in others):
        remark(op, "a dict is not carried by its values", "its keys are not the same")
    elif not _are_only_read(made):
        remark(op, "a dict is not carried by its values", "something may change it")
    elif isinstance(op, WhileOp):
        _carry_by_loop(op, index, keys)
    else:
        for end in op.exits:
            _forward_values(end, index, keys)
        _make_again(op.results[index], keys, cast(Operation, op.next_op), ())


def _made(op: IfOp | ScopeOp, index: int) -> list[SSAValue]:
    """The dicts that the paths of a branch make; none: not all are dicts, or one."""
    values = [end.forwarded[index] for end in op.exits]
    dicts = all(isinstance(value.owner, DictOp) for value in values)
    used = op.results[index].uses and len(set(values)) > 1
    return values if dicts and used else []


def _made_by_loop(loop: WhileOp, index: int) -> list[SSAValue]:
    """The dict that a loop begins with, and those that it makes in place of it."""
    argument, entered = _arguments(loop, index)
    if loop.condition.values[index] is not argument:
        return []
    values = [jump.forwarded[index] for jump in loop.jumps]
    waiting, seen = values, {argument, entered}
    made = [loop.initial[index]]
    while waiting:
        value = waiting.pop()
        if value not in seen:
            seen.add(value)
            sources = forwarded_from(value)
            made += [] if sources else [value]
            waiting += sources
    dicts = all(isinstance(value.owner, DictOp) for value in made)
    return made if dicts and len(made) > 1 else []


def _arguments(loop: WhileOp, index: int) -> tuple[SSAValue, SSAValue]:
    return loop.before.block.args[index], loop.body.block.args[index]


def _keys(value: SSAValue) -> Keys | None:
    """The keys of a display in order, if they are constants that all differ."""
    keys = [constant_value(key) for key in cast(DictOp, value.owner).operands[::2]]
    plain = MISSING not in keys and all(isinstance(k, (int, str)) for k in keys)
    return keys if plain and len(set(keys)) == len(keys) else None


def _are_only_read(made: Sequence[SSAValue]) -> bool:
    """Whether nobody changes these dicts, or those that they may become."""
    waiting, seen = list(made), set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            if to := forwarded_to(use.operation, use.index):
                waiting += to
            elif not is_read_by(use.operation, use.index):
                return False
    return True


def _carry_by_loop(loop: WhileOp, index: int, keys: Keys) -> None:
    kept = (loop.condition, *loop.jumps)
    before, entered = _arguments(loop, index)
    for end in (loop, *loop.jumps):
        if end.forwarded[index] not in (before, entered):
            _forward_values(end, index, keys)
    for block, value in ((loop.before.block, before), (loop.body.block, entered)):
        _make_again(value, keys, cast(Operation, block.first_op), kept)
    _make_again(loop.results[index], keys, cast(Operation, loop.next_op), ())


def _forward_values(end: WhileOp | RegionTerminator, index: int, keys: Keys) -> None:
    """Forward a tuple of the values in the place of a dict."""
    position = (end.FORWARDED_FROM or 0) + index
    made = end.operands[position]
    if isinstance(made.owner, DictOp):
        items = list(made.owner.operands[1::2])
    else:
        items = [
            insert_value(end, SubscriptOp(made, insert_constant(end, key)))
            for key in keys
        ]
    values = TupleOp(items)
    insert_before(end, values)
    end.operands[position] = values.result
    values.result.name_hint = made.name_hint
    if isinstance(made.owner, DictOp) and not made.uses:
        erase(made.owner)


def _make_again(
    value: SSAValue, keys: Keys, anchor: Operation, kept: Sequence[Operation]
) -> None:
    """In front of `anchor`, make the dict of the values that came in its place.

    The ops that are `kept` go on to forward the tuple.
    """
    if all(use.operation in kept for use in value.uses):
        return
    items: list[SSAValue] = []
    reads: list[Operation] = [*kept]
    for number, key in enumerate(keys):
        items.append(insert_constant(anchor, key))
        item = SubscriptOp(value, insert_constant(anchor, number))
        insert_before(anchor, item)
        items.append(item.result)
        reads.append(item)
    again = DictOp(items)
    insert_before(anchor, again)
    again.result.name_hint = value.name_hint
    value.replace_uses_with_if(again.result, lambda use: use.operation not in reads)
