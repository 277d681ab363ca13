"""What an `if` that was run before says of where an op stands.

dycl.if %none {          in here, `%none` is true
  dycl.leave "loop"
}
dycl.yield %m            here it is false: the other side has left
"""

from xdsl.ir import Block, Operation

from dycl.ir import IfOp, YieldOp


def side_taken(decision: IfOp, op: Operation) -> bool | None:
    """Which side was taken where `op` runs: True for `then`; None: either."""
    block = op.parent
    child = op
    while block is not None:
        around = block.parent_op()
        if around is decision:
            return block.parent is decision.then_region
        if block is decision.parent:
            if not decision.is_before_in_block(child):
                return None
            goes_on = [_goes_on(region.block) for region in decision.regions]
            return None if all(goes_on) else goes_on[0]
        if around is None:
            return None
        block, child = around.parent, around
    return None


def _goes_on(block: Block) -> bool:
    """Whether what stands behind an `if` runs when this side has."""
    return isinstance(block.last_op, YieldOp)
