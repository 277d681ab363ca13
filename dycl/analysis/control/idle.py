"""Values that control flow hands around and nothing ever reads."""

from xdsl.ir import Operation, OpResult, SSAValue

from dycl.ir.interfaces import LoopOp, RegionBranchOp, forwarded_from, forwarded_to
from dycl.ir.walking import walk


def idle_results(root: Operation) -> list[OpResult]:
    """The results of ops in loops inside `root` that are only handed around, in order.

    Each has a use: it becomes a value of a loop, or of an `if`, that becomes another
    one in turn, through any number of nested ops, and none of them is read.
    """
    unread = set[SSAValue]()
    results: list[OpResult] = []
    for op in walk(root):
        if isinstance(op, RegionBranchOp):
            unread.update(op.results)
            unread.update(arg for b in op.entered for arg in op.arguments(b))
            if op.results and _is_in_loop(op, root):
                results += op.results
    if not results:
        return []
    todo = [value for value in unread if _is_read(value, unread)]
    while todo:
        value = todo.pop()
        if value in unread:
            unread.discard(value)
            todo += (source for source in forwarded_from(value) if source in unread)
    return [value for value in results if value in unread and value.uses]


def _is_in_loop(op: Operation, root: Operation) -> bool:
    around = op.parent_op()
    while around is not None and around is not root:
        if isinstance(around, LoopOp):
            return True
        around = around.parent_op()
    return False


def _is_read(value: SSAValue, unread: set[SSAValue]) -> bool:
    """Whether a use is none that control flow hands on to one of these values."""
    for use in value.uses:
        becomes = forwarded_to(use.operation, use.index)
        if not becomes or any(target not in unread for target in becomes):
            return True
    return False
