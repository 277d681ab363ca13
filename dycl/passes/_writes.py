"""Following updates in place: the old name of a tensor means the new one."""

from xdsl.ir import Operation, SSAValue

from dycl.analysis.abstract import Tensor
from dycl.analysis.shapes import Inference
from dycl.ir import ConstantOp


def follow_writes(inference: Inference) -> None:
    """After `y = x.add_(1)` both names are the new tensor: let all uses say `y`.

    Done where the tensor is made in the block that writes to it, so that the write
    lies on every path to the later uses. All else is found by `visible_writes`.
    """
    places: dict[Operation, int] = {}
    for op, outcome in inference.outcomes.items():
        operands = [inference.of(v) for v in op.operands]
        if len(op.results) != 1 or len(outcome.written) != 1:
            continue
        # Without containers, leaves are numbered as operands are.
        (number,) = outcome.written
        plain = all(isinstance(o, Tensor) or not _has_parts(o) for o in operands)
        if number < 0 or not plain or (0, number) not in outcome.aliases:
            continue
        old = op.operands[number]
        same = inference.of(old) == outcome.results[0]
        made_here = old.owner is op.parent or (
            isinstance(old.owner, Operation)
            and old.owner.parent is op.parent
            and not isinstance(old.owner, ConstantOp)
        )
        if same and made_here:
            _use_after(op, old, op.results[0], places)


def _has_parts(value: object) -> bool:
    return isinstance(value, (tuple, list, dict, slice))


def _use_after(
    op: Operation, old: SSAValue, new: SSAValue, places: dict[Operation, int]
) -> None:
    """Every use of `old` behind `op` becomes a use of `new`."""
    block = op.parent
    assert block is not None
    if op not in places:
        places.update((inner, place) for place, inner in enumerate(block.ops))
    for use in list(old.uses):
        around: Operation | None = use.operation
        while around is not None and around.parent is not block:
            around = around.parent_op()
        if around is not None and places[op] < places[around]:
            use.operation.operands[use.index] = new
