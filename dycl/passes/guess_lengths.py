"""`dycl-guess-lengths`: what a loop makes anew has as many items as it began with.

Before                            After
------                            -----
%t = dycl.tuple(%a, %b)           %0, %1 = dycl.while carry(%u = %a, %u_1 = %b) {
%r = dycl.while carry(%u = %t) {    dycl.condition %p, %u, %u_1
  dycl.condition %p, %u           } do(%v, %v_1) {
} do(%v) {                          %t = dycl.tuple(%v, %v_1)
  %w = dycl.call %f(%v)             %w = dycl.call %f(%t)
  dycl.yield %w                     %2, %3 = dycl.unpack %w -> 2 {dycl.guessed}
}                                   dycl.yield %2, %3
dycl.return %r                    } {dycl.guessed}
                                  %r = dycl.tuple(%0, %1)
                                  dycl.return %r

The caches of a decoder, `past = [(k, v), ...]`, are replaced by a new list for each
token. How long that is shows when the loops over the old one are unrolled, for which
it has to be known how long that is. So it is guessed: the program is set aside, and the
rounds of `normalise` go on. If they find the items of all that was unpacked, the guess
was right. If not, the program is put back, and the loop is not guessed about again.

A list becomes a tuple first, where nobody could tell (`dycl-forward-lists` does so for
branches).

Needs:  the rounds are over. What is between a list and its end is known by then, but
        for what waits for lengths.
Leaves: no guess that is not settled one way or the other, when it changes nothing.
Skips:  lists with another name, which a remark says; what has another number of items
        already.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConditionOp,
    SequenceType,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
    WhileOp,
)
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator, forwarded_from
from dycl.ir.rewriting import insert_after, insert_before
from dycl.ir.set_aside import forget, put_back, set_aside
from dycl.ir.walking import walk
from dycl.passes.aggregates.uses import called_name, only_reads_or_changes
from dycl.passes.lists.names import becomes
from dycl.passes.lists.one_name import ITERATORS, called, has_one_name, is_list
from dycl.passes.split_tuples import known_length, split_loop

_BEFORE = "dycl.unguessed"
"""On the entry function: the program from before the guess."""
_GUESSED = "dycl.guessed"
"""On a loop, about which nothing is guessed any more; on what a guess waits for."""


@dataclass(frozen=True)
class GuessLengthsPass(ModulePass):
    """What a loop makes anew has as many items as it began with."""

    name = "dycl-guess-lengths"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Make one guess, or judge the last one; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        loops = [one for one in walk(entry) if isinstance(one, WhileOp)]
        if any([_unpack_lists(loop) for loop in loops]):
            return
        for loop in loops:
            if _GUESSED not in loop.attributes and _guess(op, entry, loop):
                return
        waits = (CallOp, UnpackOp)
        if any(isinstance(o, waits) and _GUESSED in o.attributes for o in walk(entry)):
            put_back(op, entry, _BEFORE)
        else:
            forget(op, entry, _BEFORE)


def _guess(module: ModuleOp, entry: FuncOp, loop: WhileOp) -> bool:
    """Guess about all that a loop makes anew; whether there is anything."""
    carried = range(len(loop.results))
    tuples = [index for index in carried if _makes_tuples(loop, index)]
    lists = [index for index in carried if _makes_lists(loop, index)]
    if not tuples and not lists:
        return False
    loop.attributes[_GUESSED] = UnitAttr()
    if _BEFORE not in entry.attributes:
        set_aside(module, entry, _BEFORE)
    for index in lists:
        _carry_tuple(loop, index)
    for index in tuples:
        for jump in loop.jumps:
            if not isinstance(jump.forwarded[index].owner, (Block, TupleOp)):
                _unpack(loop, jump, index)
    split_loop(loop)
    return True


def _made_anew(loop: WhileOp, index: int) -> list[SSAValue]:
    """What a loop carries on in place of a value, if its test lets that through."""
    argument, entered = loop.before.block.args[index], loop.body.block.args[index]
    if loop.condition.values[index] is not argument:
        return []
    values = [jump.forwarded[index] for jump in loop.jumps]
    return [value for value in values if value not in (argument, entered)]


def _makes_tuples(loop: WhileOp, index: int) -> bool:
    """Whether a loop carries a tuple on as something of which the items are open."""
    values = _made_anew(loop, index)
    count = known_length(loop.initial[index])
    tuples = [value.owner for value in values if isinstance(value.owner, TupleOp)]
    return (
        count is not None
        and len(tuples) < len(values)
        and all(len(one.items) == count for one in tuples)
        and not any(isinstance(value.type, SequenceType) for value in values)
    )


def _makes_lists(loop: WhileOp, index: int) -> bool:
    """Whether a loop carries a list on as another one, and nobody could tell if these
    were tuples."""
    first, values = loop.initial[index], _made_anew(loop, index)
    arguments = (loop.before.block.args[index], loop.body.block.args[index])
    if not values or not (is_list(first) or _is_sum(first)):
        return False
    if any(isinstance(v.type, SequenceType) for v in (first, *values)):
        return False
    if any(_is_inside(use, loop) for use in first.uses):
        return False
    lists = _lists_behind(values, arguments)
    if lists is None:
        return False
    has_one = has_one_name(first, loop, [loop])
    has_one = has_one and all(_is_read(use) for use in arguments[0].uses)
    if not has_one or not all(_stays_at(index, v, loop) for v in (*lists, *arguments)):
        remark(loop, "length of a list not guessed", "it has another name")
        return False
    return True


def _lists_behind(
    values: Sequence[SSAValue], arguments: Sequence[SSAValue]
) -> list[SSAValue] | None:
    """The lists that values are names of, but for arguments; None: one is no list."""
    lists: list[SSAValue] = []
    waiting, seen = list(values), {*arguments}
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        sources = forwarded_from(value)
        if is_list(value) or _is_sum(value):
            lists.append(value)
        elif not sources:
            return None
        waiting += sources
    return lists


def _stays_at(index: int, name: SSAValue, loop: WhileOp) -> bool:
    """Whether a list of an iteration leads to the next one at no other index."""
    ends = (loop.condition, *loop.jumps)
    waiting, seen = [name], set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            op = use.operation
            if isinstance(op, RegionTerminator) and op in ends:
                if use.index - op.FORWARDED_FROM != index:
                    return False
            elif to := becomes(op, use.index):
                waiting += to
            elif called_name(op) in ITERATORS:
                continue
            elif not only_reads_or_changes(op, use.index):
                return False
    return True


def _is_sum(value: SSAValue) -> bool:
    """Whether a value is a list as the sum of a list and something else."""
    owner = value.owner
    return (
        isinstance(owner, BinaryOp)
        and owner.kind_name == "add"
        and any(map(is_list, owner.operands))
    )


def _is_inside(use: Use, loop: WhileOp) -> bool:
    return use.operation is not loop and loop.is_ancestor(use.operation)


def _is_read(use: Use) -> bool:
    """Whether a use does not change a list: the body sees the list that was tested."""
    op = use.operation
    if isinstance(op, CallOp):
        return only_reads_or_changes(op, use.index)
    return isinstance(op, (CompareOp, ConditionOp, SubscriptOp, ToBoolOp))


def _carry_tuple(loop: WhileOp, index: int) -> None:
    """Carry a tuple in place of a list; inside and behind it is a list again."""
    for end in (loop, *loop.jumps):
        position = (end.FORWARDED_FROM or 0) + index
        whole = called("builtins.tuple", end.operands[position])
        insert_before(end, *whole)
        end.operands[position] = whole[1].result
        if end is not loop:
            whole[1].attributes[_GUESSED] = UnitAttr()
    for block in (loop.before.block, loop.body.block):
        first = block.first_op
        assert first is not None
        back = called("builtins.list", block.args[index])
        insert_before(first, *back)
        _use_instead(block.args[index], back[1], loop.condition)
    back = called("builtins.list", loop.results[index])
    insert_after(loop, *back)
    _use_instead(loop.results[index], back[1], None)


def _use_instead(old: SSAValue, back: CallOp, end: Operation | None) -> None:
    back.result.name_hint = old.name_hint
    old.replace_uses_with_if(back.result, lambda use: use.operation not in (back, end))


def _unpack_lists(loop: WhileOp) -> bool:
    """Unpack what was a list where a loop began with one that is known by now."""
    unpacked = False
    for index, first in enumerate(loop.initial):
        for jump in loop.jumps if known_length(first) is not None else ():
            made = jump.forwarded[index].owner
            if isinstance(made, CallOp) and made.attributes.pop(_GUESSED, None):
                _unpack(loop, jump, index)
                unpacked = True
    if unpacked:
        split_loop(loop)
    return unpacked


def _unpack(loop: WhileOp, jump: RegionTerminator, index: int) -> None:
    """Forward a tuple of as many items as the loop began with."""
    count = known_length(loop.initial[index])
    assert count is not None
    unpack = UnpackOp(jump.forwarded[index], count)
    unpack.attributes[_GUESSED] = UnitAttr()
    whole = TupleOp(unpack.results)
    insert_before(jump, unpack, whole)
    jump.operands[jump.FORWARDED_FROM + index] = whole.result
