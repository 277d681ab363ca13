"""`next(it)` of known items: the first of them, and an iterator of the others.

Before                                   After
------                                   -----
%l = dycl.list(%x, %y)                   %l = dycl.list(%x, %y)
%it = dycl.call %iter(%l)                %it = dycl.call %iter(%l)
%a = dycl.call %next(%it)                %t = dycl.tuple(%y)
dycl.return %a, %it                      %0 = dycl.call %iter(%t)
                                         dycl.return %x, %0

It is done for the first reader of an iterator, which is
run once; then the next one is the first. So it is not done in a loop, nor on one side
of an `if` whose end is read behind it, where nobody knows how far the iterator is.
"""

import sys
from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue, Use

from dycl.analysis.folding.items import Applied, Item, applies
from dycl.analysis.folding.iteration import items_of_iterator
from dycl.analysis.folding.iterators import (
    ITERATORS,
    are_exclusive,
    is_behind,
    is_repeated,
)
from dycl.ir import CallOp, ConstantOp, SubscriptOp, TakeOp, TryOp, TupleOp
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import replace
from dycl.ir.values import GlobalRef
from dycl.passes.builtins.items import MOST_ITEMS, Site
from dycl.passes.lists.kinds import is_of_run

_LAZY = frozenset(
    f"builtins.{name}" for name in ("enumerate", "iter", "map", "reversed", "zip")
)


def advance(site: Site, op: CallOp) -> bool:
    """`next(it)` and `next(it, default)`, if nobody reads the iterator before."""
    iterator = op.arguments[0].owner if op.arguments else None
    if not isinstance(iterator, CallOp) or op.keyword_names:
        return False
    place = _place(op)
    if constant_name(iterator.callee) not in _LAZY:
        return False
    if not _is_first(op, place, iterator):
        return False
    items = items_of_iterator(iterator, site.environment)
    if items is None or len(items) > MOST_ITEMS:
        return False
    if not items and len(op.arguments) != 2:
        site.raise_if(site.constant(True), "builtins.StopIteration")
        return site.done(site.constant(None))  # nobody gets here
    uses, places = list(iterator.result.uses), (op, place)
    if behind := [u for u in uses if any(is_behind(u.operation, o) for o in places)]:
        others = _others(Site(place, site.environment), items[1:])
        if others is None:
            return False
        for use in behind:
            use.operation.operands[use.index] = others
    replace(op, site.values(items[:1]) or [op.arguments[1]])
    return True


def advance_in_list(site: Site, op: CallOp) -> bool:
    """The same of a list as long as the data decides: it raises where it is empty."""
    iterator = op.arguments[0].owner if op.arguments else None
    if not isinstance(iterator, CallOp) or op.keyword_names:
        return False
    if constant_name(iterator.callee) != "builtins.iter":
        return False
    place = _place(op)
    items = iterator.arguments[0] if len(iterator.arguments) == 1 else None
    if items is None or not is_of_run(items) or not _is_first(op, place, iterator):
        return False
    behind = [
        use
        for use in iterator.result.uses
        if is_behind(use.operation, op) or is_behind(use.operation, place)
    ]
    if behind:
        # As late as can be: between here and there lists may meet, not iterators.
        there = Site(_first_of(behind, place), site.environment)
        most = there.constant(sys.maxsize)
        others = there.add(TakeOp(items, there.constant(1), most))
        callee = there.constant(GlobalRef("builtins.iter"))
        rest = there.add(CallOp(callee, [others]))
        for use in behind:
            use.operation.operands[use.index] = rest
    first = site.constant(0)
    test = site.compare("eq", site.call("len", items), first)
    if len(op.arguments) == 2:
        return site.done(
            *site.branch(
                *(test, "next(...)"),
                lambda: [op.arguments[1]],
                lambda: [site.add(SubscriptOp(items, site.constant(0)))],
            )
        )
    site.raise_if(test, "builtins.StopIteration")
    return site.done(site.add(SubscriptOp(items, first)))


def itself(site: Site, op: CallOp) -> bool:
    """`iter(it)` of an iterator is that iterator."""
    given = op.arguments[0].owner if len(op.arguments) == 1 else None
    if not isinstance(given, CallOp) or constant_name(given.callee) not in ITERATORS:
        return False
    return site.done(op.arguments[0])


def _others(there: Site, items: list[Item]) -> SSAValue | None:
    """An iterator of items; of what a function gives, one that calls it in its turn."""
    if not any(map(applies, items)):
        rest = there.add(TupleOp(there.values(items)))
        return there.add(CallOp(there.constant(GlobalRef("builtins.iter")), [rest]))
    applied = [item for item in items if isinstance(item, Applied)]
    if len(applied) < len(items) or any(applies(p) for a in applied for p in a.parts):
        return None
    columns = zip(*(a.parts for a in applied), strict=True)
    given = [there.add(TupleOp(there.values(list(column)))) for column in columns]
    callee = there.constant(GlobalRef("builtins.map"))
    return there.add(CallOp(callee, [applied[0].function, *given]))


def _first_of(uses: Sequence[Use], place: Operation) -> Operation:
    """The first op in the block of `place` in which one of the uses stands."""
    block = place.parent
    first: Operation | None = None
    for use in uses:
        op = block and block.find_ancestor_op_in_block(use.operation)
        if op and (first is None or op.is_before_in_block(first)):
            first = op
    assert first is not None
    return first


def _place(op: Operation) -> Operation:
    """The op, or the `try` of which it is the first that does anything.

    What comes next there, and behind the `try`, finds the iterator advanced; it was,
    or something was raised by what is known not to raise.
    """
    outer = op.parent_op()
    if not isinstance(outer, TryOp) or op.parent_region() is not outer.body:
        return op
    before = op.prev_op
    while isinstance(before, ConstantOp):
        before = before.prev_op
    return op if before is not None else _place(outer)


def _is_first(op: CallOp, place: Operation, iterator: CallOp) -> bool:
    """Whether a reader is run once, and each other one behind it, or in its place."""
    readers = [use.operation for use in iterator.result.uses]
    return not is_repeated(op, iterator.parent) and all(
        reader is op
        or is_behind(reader, op)
        or is_behind(reader, place)
        or are_exclusive(reader, op)
        for reader in readers
    )
