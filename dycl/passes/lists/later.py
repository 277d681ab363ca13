"""Whether a list may be changed after something has come to hold it."""

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import ReturnOp
from dycl.ir.interfaces import LoopOp
from dycl.passes.lists.writes import is_write


def comes_later(write: Operation, op: Operation, made: SSAValue) -> bool:
    """Whether a write may be run after `op`, which holds a list as it is there.

    `made` is the list where it was made.
    """
    home = made.owner
    top = home if isinstance(home, Block) else home.parent
    assert top is not None
    if _leaves_for_good(op):
        return False
    node: Operation | None = op
    while node is not None and node.parent is not top:
        if isinstance(node, LoopOp):
            return True  # another iteration may write it
        node = node.parent_op()
    here, there = (
        top.find_ancestor_op_in_block(op),
        top.find_ancestor_op_in_block(write),
    )
    if here is None or there is None:
        return True
    if here is there:
        return here is not op and here is not write
    return here.is_before_in_block(there)


def _leaves_for_good(op: Operation) -> bool:
    """Whether the block of an op, which writes nothing more, ends in a return."""
    block = op.parent
    return (
        block is not None
        and isinstance(block.last_op, ReturnOp)
        and all(not later.regions and not is_write(later, 0) for later in _after(op))
    )


def _after(op: Operation) -> list[Operation]:
    result: list[Operation] = []
    later = op.next_op
    while later is not None:
        result.append(later)
        later = later.next_op
    return result
