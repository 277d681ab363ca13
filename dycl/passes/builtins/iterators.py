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

from xdsl.ir import Operation

from dycl.analysis.folding.items import applies
from dycl.analysis.folding.iteration import items_of_iterator
from dycl.analysis.folding.iterators import are_exclusive, is_repeated
from dycl.ir import CallOp, TupleOp
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import replace
from dycl.ir.values import GlobalRef
from dycl.passes.builtins.items import MOST_ITEMS, Site

_LAZY = ("builtins.enumerate", "builtins.iter", "builtins.reversed", "builtins.zip")


def advance(site: Site, op: CallOp) -> bool:
    """`next(it)` and `next(it, default)`, if nobody reads the iterator before."""
    iterator = op.arguments[0].owner if op.arguments else None
    if not isinstance(iterator, CallOp) or op.keyword_names:
        return False
    if constant_name(iterator.callee) not in _LAZY or not _is_first(op, iterator):
        return False
    items = items_of_iterator(iterator, site.environment)
    if items is None or len(items) > MOST_ITEMS or any(map(applies, items)):
        return False
    if not items and len(op.arguments) != 2:
        return False
    if behind := [use for use in iterator.result.uses if _is_behind(use.operation, op)]:
        rest = site.add(TupleOp(site.values(items[1:])))
        others = site.add(CallOp(site.constant(GlobalRef("builtins.iter")), [rest]))
        for use in behind:
            use.operation.operands[use.index] = others
    replace(op, site.values(items[:1]) or [op.arguments[1]])
    return True


def _is_first(op: CallOp, iterator: CallOp) -> bool:
    """Whether a reader is run once, and each other one behind it, or in its place."""
    readers = [use.operation for use in iterator.result.uses]
    return not is_repeated(op, iterator.parent) and all(
        reader is op or _is_behind(reader, op) or are_exclusive(reader, op)
        for reader in readers
    )


def _is_behind(reader: Operation, op: CallOp) -> bool:
    """Whether one stands behind the other, in its block or further inside."""
    if op.parent is None or reader is op:
        return False
    there = op.parent.find_ancestor_op_in_block(reader)
    return there is not None and there is not op and op.is_before_in_block(there)
