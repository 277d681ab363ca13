"""How often a call runs each launch: as counted, or guessed from the control flow."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dycl.ir import LaunchOp
from dycl.ir.costs import runs_of
from dycl.ir.interfaces import LoopOp

ITERATIONS = 8.0
"""What a loop is taken to run where nobody has counted: as of old, a few."""


def frequencies(module: ModuleOp) -> dict[LaunchOp, float]:
    """Launch -> how often a call runs it on average, in the order of the program.

    `dycl.runs` says so; without it, each side of a decision is as likely as the others,
    and a loop runs ITERATIONS times.
    """
    found: dict[LaunchOp, float] = {}
    for function in module.body.ops:
        if "dycl.kernel" not in function.attributes:
            for region in function.regions:
                for block in region.blocks:
                    _look(block, 1.0, found)
    return found


def _look(block: Block, runs: float, found: dict[LaunchOp, float]) -> None:
    for op in block.ops:
        if isinstance(op, LaunchOp):
            counted = runs_of(op)
            found[op] = runs if counted is None else counted
        inner = runs * times_entered(op)
        for region in op.regions:
            for inside in region.blocks:
                _look(inside, inner, found)


def times_entered(op: Operation) -> float:
    """How often a region of an op is run whenever the op is."""
    if isinstance(op, LoopOp):
        return ITERATIONS
    return 1.0 / max(1, len(op.regions))
