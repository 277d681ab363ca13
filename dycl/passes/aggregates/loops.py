"""Loop-carried tuples: their items become loop-carried values.

Before                            After
------                            -----
%t = dycl.tuple(%a, %b)           %0, %1 = dycl.while carry(%u = %a, %u_1 = %b) {
%r = dycl.while carry(%u = %t) {    dycl.condition %p, %u, %u_1
  dycl.condition %p, %u           } do(%v, %v_1) {
} do(%v) {                          dycl.yield %v_1, %v
  %x, %y = dycl.unpack %v -> 2    }
  %w = dycl.tuple(%y, %x)         %r = dycl.tuple(%0, %1)
  dycl.yield %w                   dycl.return %r
}
dycl.return %r
"""

from xdsl.ir import Block, SSAValue

from dycl.ir import TupleOp, WhileOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import append_results, insert_after, insert_before


def split_tuples(op: WhileOp) -> WhileOp:
    """The loop with the items of each carried tuple beside it.

    Done where the tuple has the same number of items at the start, at the end of every
    iteration, and where the loop is left. Nobody uses the tuple itself afterwards, so
    `dycl-eliminate-dead-code` takes it away.
    """
    for index in range(len(op.results)):
        length = _length(op, index)
        if length is not None:
            op = _split(op, index, length)
    return op


def _length(op: WhileOp, index: int) -> int | None:
    """The number of items of a carried value that is a tuple throughout."""
    argument, entered = op.before.block.args[index], op.body.block.args[index]
    first = op.initial[index].owner
    if not isinstance(first, TupleOp):
        return None
    if op.condition.values[index] is not argument:
        return None
    forwarded = [end.forwarded[index] for end in op.jumps]
    owners = [v.owner for v in forwarded if v not in (argument, entered)]
    same = all(
        isinstance(o, TupleOp) and len(o.items) == len(first.items) for o in owners
    )
    if not owners or not same:
        return None
    return len(first.items)


def _split(op: WhileOp, index: int, length: int) -> WhileOp:
    carried = _add_items(op.before.block, index, length)
    _add_items(op.body.block, index, length)
    end = op.condition
    end.forward([*end.forwarded, *_items(carried)])
    end.operands[index + 1] = op.before.block.args[index]
    for jump in op.jumps:
        jump.forward([*jump.forwarded, *_items(jump.forwarded[index])])
    for jump in op.back_edges:
        jump.operands[index] = op.body.block.args[index]
    count, name = len(op.results), op.results[index].name_hint
    names = [None] * length
    new = append_results(op, [VALUE] * length, names, _items(op.initial[index]))
    whole = TupleOp(new.results[count:])
    insert_after(new, whole)
    whole.result.name_hint = name
    new.results[index].replace_uses_with_if(
        whole.result, lambda use: use.operation is not whole
    )
    return new


def _add_items(block: Block, index: int, length: int) -> SSAValue:
    """New arguments for the items; the tuple of them stands for the old argument."""
    old = block.args[index]
    items = [block.insert_arg(VALUE, len(block.args)) for _ in range(length)]
    for item in items:
        item.name_hint = old.name_hint
    whole = TupleOp(items)
    first = block.first_op
    assert first is not None
    insert_before(first, whole)
    whole.result.name_hint = old.name_hint
    old.replace_all_uses_with(whole.result)
    return whole.result


def _items(whole: SSAValue) -> list[SSAValue]:
    assert isinstance(whole.owner, TupleOp)
    return list(whole.owner.items)
