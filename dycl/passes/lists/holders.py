"""What holds lists and is returned is made where it is returned.

Before                            After
------                            -----
%l = dycl.list()                  %l = dycl.sequence()
%d = dycl.dict(%key, %l)          %n = dycl.append %l, %x
%n = dycl.invoke %l "append"(%x)  %d = dycl.dict(%key, %n)
dycl.return %d                    dycl.return %d

`d["a"].append(x)` has become an append to the very list, so nothing else is left that
knows the dict: nobody can tell when it was made.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl.ir import DictOp, ListOp, ReturnOp, TupleOp
from dycl.ir.rewriting import erase, insert_before
from dycl.ir.walking import walk
from dycl.passes.aggregates.uses import is_returned
from dycl.passes.lists.writes import is_write


def sink_holders(entry: FuncOp) -> None:
    """Move tuples, lists and dicts of lists that are changed to where they go."""
    for op in reversed(list(walk(entry))):
        if isinstance(op, TupleOp | ListOp | DictOp) and _may_sink(op):
            _sink(op)


def _may_sink(op: TupleOp | ListOp | DictOp) -> bool:
    return (
        bool(op.result.uses)
        and all(map(is_returned, op.result.uses))
        and any(_is_changed_list(value.owner) for value in op.operands)
        and not _is_at_return(op)
    )


def _is_changed_list(op: object) -> bool:
    return isinstance(op, ListOp) and any(
        is_write(use.operation, use.index) for use in op.result.uses
    )


def _is_at_return(op: Operation) -> bool:
    """Whether nothing but such ops stands between an op and the return behind it."""
    after = op.next_op
    while isinstance(after, TupleOp | ListOp | DictOp):
        after = after.next_op
    return isinstance(after, ReturnOp)


def _sink(op: TupleOp | ListOp | DictOp) -> None:
    """An op of its own in front of each that uses it."""
    for use in list(op.result.uses):
        own = op.clone()
        insert_before(use.operation, own)
        own.result.name_hint = op.result.name_hint
        use.operation.operands[use.index] = own.result
    erase(op)
