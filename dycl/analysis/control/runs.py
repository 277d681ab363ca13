"""Runs: which tensor ops of a block can be one kernel, and in which order they come.

A segment is what stands between two decisions. In it a tensor op comes as early as it
can: its step is one more than that of the last host op (`dycl.item`, numbers) that it
needs, and a host op comes right after the step that it reads from. Effects, and where
there are any also what may raise, keep their order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator, is_side_effect_free

from dycl.analysis.control.computation import is_computation, is_free
from dycl.ir import BinaryOp, EffectOp


@dataclass
class Step:
    """What one kernel holds, and the host ops that it makes possible."""

    tensor: list[Operation] = field(default_factory=list[Operation])
    """Tensor ops, and the constants and lists that they use, in order."""
    host: list[Operation] = field(default_factory=list[Operation])


def segments(block: Block) -> Iterator[tuple[list[Operation], Operation]]:
    """Runs of ops that may be moved past each other, and what ends each run."""
    run: list[Operation] = []
    for op in block.ops:
        movable = not op.regions and not op.has_trait(IsTerminator)
        if movable and (is_side_effect_free(op) or isinstance(op, EffectOp)):
            run.append(op)
        else:
            yield run, op
            run = []


def schedule(ops: list[Operation]) -> list[Step]:
    """The steps of a segment, in order; the first has host ops only."""
    tensor_step: dict[Operation, int] = {}
    host_step: dict[Operation, int] = {}
    ordered: set[Operation] = set()
    if any(isinstance(op, EffectOp) for op in ops):
        ordered = {op for op in ops if isinstance(op, (EffectOp, BinaryOp))}
    latest = 0
    for op in ops:
        owners = [value.owner for value in op.operands]
        used = [owner for owner in owners if isinstance(owner, Operation)]
        tensors = [tensor_step[o] for o in used if o in tensor_step]
        hosts = [host_step[o] for o in used if o in host_step]
        if is_computation(op) or is_free(op):
            tensor_step[op] = max([1, *tensors, *(step + 1 for step in hosts)])
        else:
            host_step[op] = max([latest if op in ordered else 0, *tensors, *hosts])
            if op in ordered:
                latest = host_step[op]
    last = max([0, *tensor_step.values(), *host_step.values()])
    steps = [Step() for _ in range(last + 1)]
    for op in ops:
        if op in host_step:
            steps[host_step[op]].host.append(op)
        else:
            steps[tensor_step[op]].tensor.append(op)
    return steps


def run_numbers(block: Block) -> dict[Operation, int]:
    """For each tensor op of a block the number of its run: equal means one kernel."""
    result: dict[Operation, int] = {}
    count = 0
    for ops, _ in segments(block):
        for step in schedule(ops):
            result.update((op, count) for op in step.tensor if is_computation(op))
            count += 1
    return result
