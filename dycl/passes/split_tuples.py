"""`dycl-split-tuples`: a tuple that an `if`, scope or loop forwards goes item by item.

Before                     After
------                     -----
%t = dycl.if %p -> (T) {   %0, %1 = dycl.if %p -> (T, T) {
  %u = dycl.tuple(%x, %y)    dycl.yield %x, %y
  dycl.yield %u            } else {
} else {                     dycl.yield %y, %x
  %v = dycl.tuple(%y, %x)  }
  dycl.yield %v            %t = dycl.tuple(%0, %1)
}                          dycl.return %t
dycl.return %t

A loop that carries a tuple carries its items (`split_loop`), and a choice of two tuples
is a tuple of choices (`_split_select`). A `torch.Size` that all paths make of a tuple
is made behind the op (`dycl/passes/aggregates/torch_sizes.py`).

Needs:  nothing. Best after `dycl-scalarize-aggregates`, which makes tuples of lists
        that are forwarded.
Leaves: every tuple that all paths make with one number of items as a `dycl.tuple`
        behind the op; the old result has no use (`dycl-eliminate-dead-code`).
Skips:  tuples of different lengths, and what only some paths make as a tuple:
        a remark says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import IfOp, ScopeOp, SelectOp, TupleOp, WhileOp
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import is_inside
from dycl.ir.rewriting import (
    append_results,
    insert_after,
    insert_before,
    insert_constant,
    insert_value,
    replace,
    retype,
)
from dycl.ir.walking import walk
from dycl.passes.aggregates.torch_sizes import choose_size, size_behind


@dataclass(frozen=True)
class SplitTuplesPass(ModulePass):
    """A tuple that an `if`, scope or loop forwards goes item by item."""

    name = "dycl-split-tuples"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        for loop in [o for o in walk(entry) if isinstance(o, WhileOp)]:
            split_loop(loop)
        for choice in [o for o in walk(entry) if isinstance(o, SelectOp)]:
            _split_select(choose_size(choice))
        inner_first = [o for o in walk(entry) if isinstance(o, (IfOp, ScopeOp))]
        for branch in reversed(inner_first):
            _split_branch(branch)


def _split_select(op: SelectOp) -> None:
    """Choose each item that is not the same in both tuples.

    Before                          After
    ------                          -----
    %t = dycl.tuple(%x, %y)         %0 = dycl.select %p, %x, %y
    %u = dycl.tuple(%y, %y)         %r = dycl.tuple(%0, %y)
    %r = dycl.select %p, %t, %u     dycl.return %r
    dycl.return %r
    """
    sides = (op.if_true, op.if_false)
    lengths = set(map(known_length, sides))
    is_made = any(isinstance(side.owner, TupleOp) for side in sides)
    if not is_made or None in lengths or len(lengths) > 1:
        return
    items = chosen_items(op, *(_items_at(op, side) for side in sides))
    whole = insert_value(op, TupleOp(items))
    whole.name_hint = op.result.name_hint
    replace(op, [whole])
    for item in items:
        if isinstance(item.owner, SelectOp):
            _split_select(item.owner)


def chosen_items(
    op: SelectOp, ones: Sequence[SSAValue], others: Sequence[SSAValue]
) -> list[SSAValue]:
    """A choice, in front of `op`, of each two that are not the same."""
    items: list[SSAValue] = []
    for a, b in zip(ones, others, strict=True):
        if a is b:
            items.append(a)
            continue
        choice = SelectOp(op.condition, a, b)
        choice.attributes.update(op.attributes)
        insert_value(op, choice)
        items.append(
            choice.result if a.type == b.type else retype(choice.result, VALUE)
        )
    return items


def _split_branch(op: IfOp | ScopeOp) -> None:
    for index in range(len(op.results)):
        size_behind(op, index)
        rows = _rows(op, index)
        if rows is not None:
            op = _split(op, index, rows)


def _rows(op: IfOp | ScopeOp, index: int) -> list[tuple[SSAValue, ...]] | None:
    """The items on each path; None: some path gives no tuple, or one of its own."""
    if not op.results[index].uses:
        return None
    given = [end.forwarded[index] for end in op.exits]
    if not any(isinstance(value.owner, TupleOp) for value in given):
        return None
    lengths = set(map(known_length, given))
    if None in lengths:
        remark(op, "a tuple was not split", "some paths give another value")
        return None
    if len(lengths) > 1:
        remark(op, "a tuple was not split", "its length differs between the paths")
        return None
    return [
        tuple(_items_at(end, value)) for end, value in zip(op.exits, given, strict=True)
    ]


def _split(
    op: IfOp | ScopeOp, index: int, rows: list[tuple[SSAValue, ...]]
) -> IfOp | ScopeOp:
    """The op with a result for each item that is not the same on all paths."""
    items = [
        None if any(v is not first for v in others) or is_inside(first, op) else first
        for first, *others in zip(*rows, strict=True)
    ]
    changed = [number for number, item in enumerate(items) if item is None]
    for end, row in zip(op.exits, rows, strict=True):
        end.forward([*end.forwarded, *(row[number] for number in changed)])
    old, name = len(op.results), op.results[index].name_hint
    new = append_results(op, [VALUE] * len(changed), [name] * len(changed))
    results = iter(new.results[old:])
    tuple_op = TupleOp([next(results) if item is None else item for item in items])
    insert_after(new, tuple_op)
    tuple_op.result.name_hint = name
    new.results[index].replace_all_uses_with(tuple_op.result)
    return new


def split_loop(op: WhileOp) -> WhileOp:
    """Carry the items of each loop-carried tuple beside it.

    Before                            After
    ------                            -----
    %t = dycl.tuple(%a, %b)           %0, %1 = dycl.while carry(%u = %a, %u_1 = %b) {
    %r = dycl.while carry(%u = %t) {    dycl.condition %p, %u, %u_1
      dycl.condition %p, %u           } do(%v, %v_1) {
    } do(%v) {                          %z = dycl.tuple(%v, %v_1)
      %x, %y = dycl.unpack %v -> 2      %x, %y = dycl.unpack %z -> 2
      %w = dycl.tuple(%y, %x)           dycl.yield %y, %x
      dycl.yield %w                   }
    }                                 %r = dycl.tuple(%0, %1)
    dycl.return %r                    dycl.return %r

    Done where the tuple has the same number of items at the start, at the end of every
    iteration, and where the loop is left.
    """
    for index in range(len(op.results)):
        length = _length(op, index)
        if length is not None:
            op = _split_carried(op, index, length)
    return op


def _length(op: WhileOp, index: int) -> int | None:
    """The number of items of a carried value that is a tuple throughout."""
    argument, entered = op.before.block.args[index], op.body.block.args[index]
    count = known_length(op.initial[index])
    if count is None or op.condition.values[index] is not argument:
        return None
    forwarded = [jump.forwarded[index] for jump in op.jumps]
    owners = [v.owner for v in forwarded if v not in (argument, entered)]
    same = all(isinstance(o, TupleOp) and len(o.items) == count for o in owners)
    return count if owners and same else None


def known_length(value: SSAValue) -> int | None:
    """How many items a tuple has; None: it is none that is known."""
    if isinstance(value.owner, TupleOp):
        return len(value.owner.items)
    constant = constant_value(value)
    is_tuple = type(constant) is tuple
    return len(cast("tuple[object, ...]", constant)) if is_tuple else None


def _split_carried(op: WhileOp, index: int, length: int) -> WhileOp:
    carried = _add_items(op.before.block, index, length)
    _add_items(op.body.block, index, length)
    condition = op.condition
    condition.forward([*condition.forwarded, *_items(carried)])
    condition.operands[index + 1] = op.before.block.args[index]
    for jump in op.jumps:
        jump.forward([*jump.forwarded, *_items(jump.forwarded[index])])
    for jump in op.back_edges:
        jump.operands[index] = op.body.block.args[index]
    count, name = len(op.results), op.results[index].name_hint
    names = [None] * length
    new = append_results(op, [VALUE] * length, names, _initial_items(op, index))
    tuple_op = TupleOp(new.results[count:])
    insert_after(new, tuple_op)
    tuple_op.result.name_hint = name
    new.results[index].replace_uses_with_if(
        tuple_op.result, lambda use: use.operation is not tuple_op
    )
    return new


def _add_items(block: Block, index: int, length: int) -> SSAValue:
    """New arguments for the items; the tuple of them stands for the old argument."""
    old = block.args[index]
    items = [block.insert_arg(VALUE, len(block.args)) for _ in range(length)]
    for item in items:
        item.name_hint = old.name_hint
    tuple_op = TupleOp(items)
    first = block.first_op
    assert first is not None
    insert_before(first, tuple_op)
    tuple_op.result.name_hint = old.name_hint
    old.replace_all_uses_with(tuple_op.result)
    return tuple_op.result


def _initial_items(op: WhileOp, index: int) -> list[SSAValue]:
    return _items_at(op, op.initial[index])


def _items_at(op: Operation, whole: SSAValue) -> list[SSAValue]:
    """The items of a tuple, in front of the op where they are constants."""
    if isinstance(whole.owner, TupleOp):
        return list(whole.owner.items)
    items = cast("tuple[object, ...]", constant_value(whole))
    return [insert_constant(op, item) for item in items]


def _items(whole: SSAValue) -> list[SSAValue]:
    assert isinstance(whole.owner, TupleOp)
    return list(whole.owner.items)
