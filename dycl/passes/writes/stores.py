"""`y[i] = v` of a tensor becomes an op that gives the new y, as `y.add_(v)` does.

Before                              After
------                              -----
%y = dycl.invoke %x "exp"()         %y = dycl.invoke %x "exp"()
dycl.store_subscript %y[%zero], %v  %y_1 = dycl.update_subscript %y[%zero], %v
%a = dycl.subscript %y[%one]        %y_2 = dycl.update_subscript add %y_1[%one], %two
%b = dycl.inplace add %a, %two      dycl.return %y_2
dycl.store_subscript %y[%one], %b
dycl.return %y
"""

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import Tensor
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    InplaceOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    UpdateSubscriptOp,
)
from dycl.ir.rewriting import erase, insert_before
from dycl.ir.walking import walk


def give_stores_results(stores: list[StoreSubscriptOp], inference: Inference) -> None:
    """Each store into a tensor becomes a `dycl.update_subscript`.

    `y[i] += v`, which reads the item, changes it and stores it, is one op too, and so
    is `y[i][j] = v`: then y is what is written to, and no view of it is seen.
    """
    for op in stores:
        if not isinstance(inference.of(op.operand), Tensor):
            continue
        kind, value = None, op.value
        gone: list[Operation] = []
        changed = op.value.owner
        if isinstance(changed, InplaceOp) and _is_change_of_item(changed, op):
            read = changed.lhs.owner
            if isinstance(read, SubscriptOp) and _only_reads(
                read, op, [changed], inference
            ):
                kind, value = changed.kind_name, changed.rhs
                gone += (changed, read)
        root, path = op.operand, [op.index]
        while (view := _view(root, op, gone, inference)) is not None:
            root, path = view.operand, [view.index, *path]
            gone.append(view)
        new = UpdateSubscriptOp(root, path, value, kind, root.type)
        new.result.name_hint = root.name_hint
        insert_before(op, new)
        for item in (op, *gone):
            erase(item)


def stores_of(top: Operation) -> list[StoreSubscriptOp]:
    """The stores in a function, in order."""
    return [op for op in walk(top) if isinstance(op, StoreSubscriptOp)]


def _is_change_of_item(changed: InplaceOp, store: StoreSubscriptOp) -> bool:
    """Whether `store` writes back the item that `changed` has changed, and only it."""
    read = changed.lhs.owner
    return (
        isinstance(read, SubscriptOp)
        and read.operand is store.operand
        and read.index is store.index
        and changed.next_op is store
        and _is_used_once(changed.lhs)
        and _is_used_once(changed.result)
    )


def _view(
    value: SSAValue, store: Operation, gone: list[Operation], inference: Inference
) -> SubscriptOp | None:
    """The op that made a view, if storing into it is all that is done with it."""
    op = value.owner
    if not isinstance(op, SubscriptOp) or not isinstance(
        inference.of(op.operand), Tensor
    ):
        return None
    outcome = inference.outcomes.get(op)
    users = {use.operation for use in value.uses} - {store, *gone}
    if users or outcome is None or (0, 0) not in outcome.aliases:
        return None
    return op if _only_reads(op, store, gone, inference) else None


def _is_used_once(value: SSAValue) -> bool:
    return len(list(value.uses)) == 1


def _only_reads(
    first: Operation, last: Operation, but: list[Operation], inference: Inference
) -> bool:
    """Whether nothing is written between two ops of one block, `but` by these."""
    op = first.next_op
    while op is not None and op is not last:
        outcome = inference.outcomes.get(op)
        writes = isinstance(op, (StoreSubscriptOp, SetattrOp, UpdateSubscriptOp))
        if op.regions or writes or (outcome and outcome.written and op not in but):
            return False
        op = op.next_op
    return op is last
