"""Forks, and the edges that lead from inside one to what follows it."""

from dycl.ir import IfOp, LeaveOp, ScopeOp, YieldOp

Fork = IfOp | ScopeOp
End = YieldOp | LeaveOp


def edges_of(fork: Fork) -> list[End]:
    """The ends inside a fork that lead to what follows it, in order."""
    if isinstance(fork, IfOp):
        ends = [region.block.last_op for region in fork.regions]
        return [end for end in ends if isinstance(end, YieldOp)]
    found: list[End] = []
    stack = list(reversed(list(fork.body.block.ops)))
    while stack:
        op = stack.pop()
        if isinstance(op, LeaveOp) and op.label == fork.label:
            found.append(op)
        if not (isinstance(op, ScopeOp) and op.label == fork.label):
            inner = [o for r in op.regions for b in r.blocks for o in b.ops]
            stack += reversed(inner)
    return found
