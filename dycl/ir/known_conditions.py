"""What the decisions on the way to an op say where it stands.

dycl.if %none {          in here, `%none` is true
  dycl.leave "loop"
}
dycl.yield %m            here it is false: the other side has left
"""

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir.dialect import IfOp, LocalFunctionOp, YieldOp


def conditions_at(op: Operation) -> Iterator[tuple[SSAValue, bool]]:
    """Conditions that are known where an op stands, and whether they are true."""
    at: Operation | None = op
    while at is not None and not isinstance(at, LocalFunctionOp):
        before = at.prev_op
        while before is not None:
            if isinstance(before, IfOp):
                yield from _passed(before)
            before = before.prev_op
        around = at.parent_op()
        if isinstance(around, IfOp):
            yield around.condition, at.parent_region() is around.then_region
        at = around


def _passed(op: IfOp) -> Iterator[tuple[SSAValue, bool]]:
    """What is known behind an `if`, one side of which leads elsewhere."""
    then_ends, else_ends = (not _falls_through(r.block) for r in op.regions)
    if then_ends != else_ends:
        yield op.condition, else_ends


def _falls_through(block: Block) -> bool:
    return isinstance(block.last_op, YieldOp)
