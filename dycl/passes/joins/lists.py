"""Forks that change a list from before them: its items differ by path behind them.

They do so still after all that can be said of lists: `dycl-specialize-joins` keeps the
paths apart that such a fork joins.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    DictOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    ScopeOp,
    StoreSubscriptOp,
)
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.walking import outwards, walk
from dycl.passes.joins.continuations import Fork


def changed_lists(entry: FuncOp) -> dict[Operation, set[SSAValue]]:
    """The forks that leave a list from before them with items that differ by path.

    Those are the forks that still change it, after all that can be said of lists.
    """
    result: dict[Operation, set[SSAValue]] = {}
    for op in walk(entry):
        if not isinstance(op, (InvokeOp, InplaceOp, StoreSubscriptOp)):
            continue
        operand = op.operands[0]
        if isinstance(operand.owner, (ListOp, DictOp)):
            for fork in _forks_between(op, operand.owner):
                result.setdefault(fork, set()).add(operand)
    return result


def _forks_between(op: Operation, outside: Operation) -> list[Fork]:
    """The forks around an op and not around another; none if a loop is among them."""
    result: list[Fork] = []
    around = op.parent_op()
    while around is not None and not around.is_ancestor(outside):
        if not isinstance(around, (IfOp, ScopeOp)):
            return []
        result.append(around)
        around = around.parent_op()
    return result


def goes_on_to(end: Operation, lists: set[SSAValue]) -> bool:
    """Whether a branch ends here, and a list is read behind it."""
    around = end.target if isinstance(end, RegionTerminator) else None
    if not isinstance(around, IfOp):
        return False
    return any(_is_behind(use.operation, around) for v in lists for use in v.uses)


def _is_behind(op: Operation, first: Operation) -> bool:
    """Whether an op comes after another, in its block or one around it."""
    # Where both are in one block it is decided: outside of it one op holds both.
    holders = {inner.parent: inner for inner in outwards(op)}
    for inside in outwards(first):
        if (holder := holders.get(inside.parent)) is not None:
            return inside.is_before_in_block(holder)
    return False
