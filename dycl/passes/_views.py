"""Writes through views: `v = y[:, 0]; v.add_(1)` changes y, and y's other views.

A tensor of the IR is a value, so a write gives a new one. What is a view of the old one
and used afterwards is made anew, of the new one; and a write to a view `y[i]` is a
store into `y` of what a copy of the view has become.
"""

from xdsl.ir import Operation, SSAValue

from dycl.analysis.abstract import Tensor
from dycl.analysis.overlap import is_basic_index
from dycl.analysis.shapes import Inference
from dycl.ir import InvokeOp, SubscriptOp, UpdateSubscriptOp
from dycl.passes import _edit as edit
from dycl.passes._writes import use_after


def renew_views(op: Operation, inference: Inference) -> bool:
    """Let all that shares memory with what `op` writes to see it; False: not done.

    Done for the uses behind `op` in its block. That none is left elsewhere is for
    `visible_writes` to say.
    """
    outcome = inference.outcomes.get(op)
    if outcome is None or outcome.written != frozenset((0,)) or len(op.results) != 1:
        return False
    if (0, 0) not in outcome.aliases or op.parent is None:
        return False
    target, result = op.operands[0], op.results[0]
    if inference.of(target) != outcome.results[0]:
        return False
    root, path = target, list[SSAValue]()
    while _is_part(root.owner, inference):
        part = root.owner
        assert isinstance(part, SubscriptOp)
        root, path = part.operand, [part.index, *path]
    if not path:
        return bool(_renewed(op, target, result, inference))
    if _is_view(root.owner, inference) or _reads_too(op, root, inference):
        return False
    copy = InvokeOp(target, "clone", [])
    copy.location = op.location
    edit.move_before(op, [copy])
    op.operands[0] = copy.results[0]
    store = UpdateSubscriptOp(root, path, result, None, root.type)
    store.location = op.location
    store.result.name_hint = root.name_hint
    assert op.parent is not None
    op.parent.insert_op_after(store, op)
    use_after(store, root, store.result, {})
    renewed = _renewed(store, root, store.result, inference)
    made = renewed[target].owner if target in renewed else None
    if isinstance(made, Operation):
        use_after(made, result, made.results[0], {})
    return True


def _reads_too(op: Operation, root: SSAValue, inference: Inference) -> bool:
    """Whether an op reads another part of what it writes: torch refuses overlaps."""
    if isinstance(op, UpdateSubscriptOp):
        return False  # `visible_writes` knows which parts are apart
    for value in op.operands[1:]:
        while _is_view(value.owner, inference):
            assert isinstance(value.owner, Operation)
            value = value.owner.operands[0]
        if value is root:
            return True
    return False


def _renewed(
    op: Operation, old: SSAValue, new: SSAValue, inference: Inference
) -> dict[SSAValue, SSAValue]:
    """Make the views of `old` that stand before `op` anew behind it, of `new`.

    Gives the old ones with those that their uses behind `op` now are.
    """
    block = op.parent
    assert block is not None
    made: dict[SSAValue, SSAValue] = {old: new}
    last = op
    for before in list(block.ops):
        if before is op:
            break
        if not _is_view(before, inference) or before.operands[0] not in made:
            continue
        copy = before.clone({before.operands[0]: made[before.operands[0]]})
        block.insert_op_after(copy, last)
        last = copy
        made[before.results[0]] = copy.results[0]
    del made[old]
    for one, other in made.items():
        use_after(last, one, other, {})
    return made


def _is_view(op: object, inference: Inference) -> bool:
    """Whether an op gives a view of its first operand, and does nothing else."""
    if not isinstance(op, (SubscriptOp, InvokeOp)) or len(op.results) != 1:
        return False
    outcome = inference.outcomes.get(op)
    return (
        outcome is not None
        and outcome.aliases == frozenset({(0, 0)})
        and not outcome.written
        and isinstance(outcome.results[0], Tensor)
        and isinstance(inference.of(op.operands[0]), Tensor)
    )


def _is_part(op: object, inference: Inference) -> bool:
    """Whether an op gives a part of a tensor by a subscript that a store can take."""
    return (
        isinstance(op, SubscriptOp)
        and _is_view(op, inference)
        and is_basic_index(inference.of(op.index))
    )
