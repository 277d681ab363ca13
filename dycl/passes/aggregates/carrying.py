"""A loop sets items of a list or dict: these items become loop-carried values.

Before                                After
------                                -----
%l = dycl.list(%a, %b)                %l = dycl.while carry(%l_1 = %a) {
dycl.while {                            dycl.condition %l_1, %l_1
  %c = dycl.subscript %l[%zero]       } do(%l_2) {
  dycl.condition %c                     dycl.yield %b
} do {                                }
  dycl.store_subscript %l[%zero], %b  dycl.return %l
}
%x = dycl.subscript %l[%zero]
dycl.return %x

A scope that is left at several places gives the items of its list in the same way.
This is right only if the list has no alias, and if every exit leads behind the loop, or
to where the list is dead.
"""

from collections.abc import Container, Iterator, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue, Use

from dycl.ir import (
    ConstantOp,
    DictOp,
    InplaceOp,
    InvokeOp,
    LeaveOp,
    ListOp,
    RaiseOp,
    ReturnOp,
    ScopeOp,
    StoreSubscriptOp,
    SubscriptOp,
    TryOp,
    TupleOp,
    WhileOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import LoopTerminator, RegionTerminator, nearest
from dycl.ir.objects import Objects
from dycl.ir.rewriting import append_results, insert_after, insert_before
from dycl.ir.values import to_attr
from dycl.ir.walking import walk
from dycl.passes.aggregates.choices import is_chosen
from dycl.passes.aggregates.items import Items, is_dict, with_item, with_key
from dycl.passes.aggregates.uses import only_reads_or_changes

_READ_METHODS = ("copy", "count", "get", "index")


def carried_items(
    objects: Objects,
    op: WhileOp | ScopeOp,
    value: SSAValue,
    items: Items,
    dead: Container[Operation],
) -> list[int]:
    """Which items (by position) the op sets; none if it does more than that.

    Uses by `dead` ops are none.
    """
    positions: set[int] = set()
    for use in value.uses:
        user = use.operation
        if user in dead:
            continue
        if not op.is_ancestor(user):
            if not _is_harmless(use, op):
                return []
        elif isinstance(user, StoreSubscriptOp) and use.index == 0:
            position = _position(objects, items, user, value)
            if position is not None:
                positions.add(position)
            elif is_chosen(user, items):
                positions.update(range(len(items)))
            else:
                return []
        elif isinstance(user, InplaceOp) or not _is_read(use):
            return []
    if not positions or any(_is_lost(end, op, value) for end in walk(op)):
        return []
    return sorted(positions)


def carry(
    op: WhileOp | ScopeOp, value: SSAValue, items: Items, positions: Sequence[int]
) -> tuple[WhileOp | ScopeOp, Items, list[Operation]]:
    """The op that carries those items; the items after it; stores that say so."""
    if isinstance(op, WhileOp):
        new = _carry_loop(op, value, items, positions)
    else:
        new = _carry_scope(op, value, items, positions)
    after, stores = list(items), list[Operation]()
    results = new.results[len(new.results) - len(positions) :]
    for position, result in zip(positions, results, strict=True):
        result.name_hint = value.name_hint
        after[position] = result
        key, ops = _key(value, items, position)
        stores += [*ops, StoreSubscriptOp(value, key, result)]
    insert_after(new, *stores)
    return new, tuple(after), stores


def _position(
    objects: Objects, items: Items, op: StoreSubscriptOp, value: SSAValue
) -> int | None:
    if is_dict(value):
        changed = with_key(objects, items, op.index, value)
    else:
        changed = with_item(items, op.index, value)
    if changed is None or len(changed) != len(items):
        return None
    (position,) = (n for n, v in enumerate(changed) if v is value and items[n] is not v)
    return position


def _is_harmless(use: Use, op: Operation) -> bool:
    """Whether a use outside of `op` makes no second name, nor is in the middle."""
    user = use.operation
    if isinstance(user, InplaceOp) or user.is_ancestor(op):
        return False
    if isinstance(user, (DictOp, ListOp, TupleOp)):
        return True  # `is_led_to_inside` says whether `op` uses that
    if isinstance(user, InvokeOp) and use.index == 0:
        return not any(op.is_ancestor(u.operation) for u in user.result.uses)
    return _is_read(use)


def _is_read(use: Use) -> bool:
    """Whether a use keeps nothing of the list, unless to return it."""
    user = use.operation
    if isinstance(user, InvokeOp):
        return use.index == 0 and user.method.data in _READ_METHODS
    if isinstance(user, (DictOp, ListOp, TupleOp)):
        return all(_is_returned(u) for u in user.results[0].uses)
    return only_reads_or_changes(user, use.index)


def _is_returned(use: Use) -> bool:
    user = use.operation
    if isinstance(user, (DictOp, ListOp, TupleOp)):
        return all(map(_is_returned, user.results[0].uses))
    return isinstance(user, ReturnOp)


def _is_lost(end: Operation, op: Operation, value: SSAValue) -> bool:
    """Whether a jump leads out of `op` to a place that still knows the list."""
    if isinstance(end, RaiseOp):
        return nearest(op, TryOp) is not None  # whose handler may read it
    if not isinstance(end, (LeaveOp, LoopTerminator)):
        return False
    target, owner = end.target, value.owner
    if target is None or op.is_ancestor(target):
        return target is None
    return not isinstance(owner, Operation) or not target.is_ancestor(owner)


def _carry_loop(
    op: WhileOp, value: SSAValue, items: Items, positions: Sequence[int]
) -> WhileOp:
    tests = _inside(op.before.block, value, items, positions, True)
    inside = _inside(op.body.block, value, items, positions, True)
    for jump in [*op.jumps, op.condition]:
        new_list = tests if jump is op.condition else inside
        _forward(jump, new_list, items, positions)
    types, names = [VALUE] * len(positions), [None] * len(positions)
    return append_results(op, types, names, [items[p] for p in positions])


def _carry_scope(
    op: ScopeOp, value: SSAValue, items: Items, positions: Sequence[int]
) -> ScopeOp:
    new_list = _inside(op.body.block, value, items, positions, False)
    for end in op.exits:
        _forward(end, new_list, items, positions)
    types, names = [VALUE] * len(positions), [None] * len(positions)
    return append_results(op, types, names)


def _inside(
    block: Block,
    value: SSAValue,
    items: Items,
    positions: Sequence[int],
    carried: bool,
) -> SSAValue:
    """A list in front of a block, for what stands there; some items are arguments."""
    now = list(items)
    for position in positions if carried else ():
        now[position] = block.insert_arg(VALUE, len(block.args))
        now[position].name_hint = value.name_hint
    aggregate = (DictOp if is_dict(value) else ListOp)(now)
    first = block.first_op
    assert first is not None
    insert_before(first, aggregate)
    aggregate.result.name_hint = value.name_hint
    value.replace_uses_with_if(
        aggregate.result,
        lambda use: use.operation is not aggregate and _is_in(use, block),
    )
    return aggregate.result


def _is_in(use: Use, block: Block) -> bool:
    return any(b is block for b in _blocks_around(use.operation))


def _blocks_around(op: Operation) -> Iterator[Block]:
    around: Operation | None = op
    while around is not None and not isinstance(around, FuncOp):
        if around.parent is not None:
            yield around.parent
        around = around.parent_op()


def _forward(
    end: RegionTerminator, new_list: SSAValue, items: Items, positions: Sequence[int]
) -> None:
    """Give the items as they are at `end` to where it leads."""
    current: list[SSAValue] = []
    for position in positions:
        key, ops = _key(new_list, items, position)
        item = SubscriptOp(new_list, key)
        insert_before(end, *ops, item)
        current.append(item.result)
    end.forward([*end.forwarded, *current])


def _key(
    value: SSAValue, items: Items, position: int
) -> tuple[SSAValue, list[ConstantOp]]:
    """Under what an item of a list or dict is found; the new ops that give that."""
    if is_dict(value):
        return items[position - 1], []
    index = ConstantOp(to_attr(position))
    return index.result, [index]
