"""Writes through views: `v = y[:, 0]; v.add_(1)` changes y, and y's other views.

Before                         After
------                         -----
%y = dycl.invoke %x "exp"()    %y = dycl.invoke %x "exp"()
%v = dycl.subscript %y[%zero]  %v = dycl.subscript %y[%zero]
%w = dycl.invoke %v "relu_"()  %0 = dycl.invoke %v "clone"()
dycl.return %y                 %w = dycl.invoke %0 "relu_"()
                               %y_1 = dycl.update_subscript %y[%zero], %w
                               dycl.return %y_1

A tensor of the IR is a value, so a write gives a new one. What is a view of the old one
and used afterwards is made anew, of the new one; and a write to a view `y[i]` is a
store into `y` of what a copy of the view has become. Where the view is another order or
shape of the whole, `y.t()` or `y.view(-1)`, what it has become is turned back first.
"""

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from dycl.analysis.memory.overlap import are_apart, is_basic_index
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    ConstantOp,
    IfOp,
    InvokeOp,
    ScopeOp,
    SubscriptOp,
    UpdateSubscriptOp,
    WhileOp,
)
from dycl.ir.rewriting import erase, insert_after, insert_before, insert_value
from dycl.ir.values import GlobalRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.writes.renaming import (
    home_of,
    inside,
    is_version,
    use_after,
    written_operand,
)
from dycl.passes.writes.view_orders import (
    may_turn_back,
    operand_index,
    turned_back,
    whole_of,
)


def renew_views(op: Operation, inference: Inference) -> bool:
    """Let all that shares memory with what `op` writes to see it; False: not done.

    Done for the uses behind `op` in its block, and behind the branches and loops around
    it. That none is left elsewhere is for `visible_writes` to say.
    """
    number = written_operand(op, inference)
    if number is None or op.parent is None:
        return False
    target, result = op.operands[number], op.results[0]
    if inference.of(target) != inference.of(result):
        return False
    root, steps = _way_to(target, inference)
    if not steps:
        before = target.owner
        if isinstance(before, Operation) and before.parent is op.parent:
            first = written_operand(before, inference)
            # A chain, `y[0].sub_(1).relu_()`: the first write makes the view anew.
            if first is not None and renew_views(before, inference):
                return True
        done = bool(_renewed(op, target, result, inference))
        return _renew_around(op, target, inference) or done
    if not all(may_turn_back(step, inference) for step in steps):
        return False
    if _reads_too(op, root, inference):
        return False
    insert_value(op, copy := InvokeOp(target, "clone", []))
    op.operands[number] = copy.results[0]
    store = _stored(op, root, steps, result, inference)
    use_after(store, root, store.result, {})
    renewed = _renewed(store, root, store.result, inference)
    owner = renewed[target].owner if target in renewed else None
    if isinstance(owner, Operation):
        use_after(owner, result, owner.results[0], {})
    elif _has_uses_behind(store, result):
        again = _made_again(steps, store.result)
        insert_after(store, *again)
        use_after(again[-1], result, again[-1].results[0], {})
    return True


def store_through_view(entry: FuncOp, inference: Inference) -> bool:
    """Let the first write through a view be a store into the whole, if that is used.

    Gives whether there was one.
    """
    for op in walk(entry):
        number = written_operand(op, inference)
        if number is None:
            continue
        value, is_used = op.operands[number], False
        while (whole := whole_of(value.owner, inference)) is not None:
            value = whole
            is_used = is_used or len(list(value.uses)) > 1
        if is_used and renew_views(op, inference):
            return True
    return False


def _stored(
    op: Operation,
    root: SSAValue,
    steps: Sequence[Operation],
    value: SSAValue,
    inference: Inference,
) -> UpdateSubscriptOp:
    """The store into `root` of what the view at the end of `steps` has become."""
    last = op

    def put(new: Operation) -> SSAValue:
        nonlocal last
        insert_after(last, new, source=op)
        last = new
        return new.results[0]

    left = list(steps)
    store: UpdateSubscriptOp | None = None
    while left:
        path = list[SSAValue]()
        while left and isinstance(step := left[-1], SubscriptOp):
            known = is_basic_index(inference.of(step.index))
            if path and not known:
                break
            path.insert(0, step.index)
            left.pop()
            if not known:
                break
        if not path:
            value = turned_back(left.pop(), value, inference, put)
            continue
        whole = put(InvokeOp(left[-1].results[0], "clone", [])) if left else root
        store = UpdateSubscriptOp(whole, path, value, None, whole.type)
        value = put(store)
    if store is None or store.operand is not root:
        every = put(ConstantOp(to_attr(GlobalRef("builtins.Ellipsis"))))
        store = UpdateSubscriptOp(root, [every], value, None, root.type)
        put(store)
    store.result.name_hint = root.name_hint
    return store


def _reads_too(op: Operation, root: SSAValue, inference: Inference) -> bool:
    """Whether an op reads another part of what it writes: torch refuses overlaps."""
    if isinstance(op, UpdateSubscriptOp):
        return False  # `visible_writes` knows which parts are apart
    number = written_operand(op, inference)
    for position, value in enumerate(op.operands):
        if position == number or are_apart(value, op.operands[number or 0], inference):
            continue
        if _root(value, inference) is root:
            return True
    return False


def _renewed(
    op: Operation, old: SSAValue, new: SSAValue, inference: Inference
) -> dict[SSAValue, SSAValue]:
    """Make the views of `old` that stand before `op` anew behind it, of `new`.

    Gives the old ones that are used behind `op` with those that their uses now are.
    """
    renewed: dict[SSAValue, SSAValue] = {old: new}
    last = op
    for before in _ops_before(op, home_of(old)):
        whole = whole_of(before, inference)
        if whole is None or whole not in renewed:
            continue
        copy = before.clone({whole: renewed[whole]})
        insert_after(last, copy)
        last = copy
        renewed[before.results[0]] = copy.results[0]
    del renewed[old]
    for one, other in renewed.items():
        use_after(last, one, other, {})
    used: dict[SSAValue, SSAValue] = {}
    for one, other in reversed(list(renewed.items())):
        if other.uses:
            used[one] = other
        else:
            assert isinstance(other.owner, Operation)
            erase(other.owner)
    return used


def _ops_before(op: Operation, top: Block | None) -> list[Operation]:
    """The ops before `op`, in its block and in those around it, from `top` on."""
    result: list[Operation] = []
    block = op.parent
    while block is not None:
        here: list[Operation] = []
        for before in block.ops:
            if before is op:
                break
            here.append(before)
        result = here + result
        around = block.parent_op()
        if block is top or around is None:
            return result
        op, block = around, around.parent
    return result


def _renew_around(op: Operation, old: SSAValue, inference: Inference) -> bool:
    """Make views of `old` anew behind the branches and loops that `op` is in."""
    done = False
    block = op.parent
    while block is not None:
        around = block.parent_op()
        if block is home_of(old):
            old = _origin(old, inference)
            if not isinstance(old, BlockArgument) or not isinstance(around, WhileOp):
                return done
            old = around.initial[old.index]
        if not isinstance(around, (IfOp, WhileOp, ScopeOp)) or around.parent is None:
            return done
        versions = (r for r in around.results if is_version(r, old, inference))
        version = next(versions, None)
        if version is None:
            return done
        done = bool(_renewed(around, old, version, inference)) or done
        block = around.parent
    return done


def _origin(value: SSAValue, inference: Inference) -> SSAValue:
    """The tensor that a value was before all writes to it in its block."""
    while isinstance(owner := value.owner, Operation):
        number = written_operand(owner, inference)
        if number is not None:
            value = owner.operands[number]
            continue
        if not isinstance(owner, IfOp):
            return value
        end = owner.end_of(owner.then_region.block)
        if end is None:
            return value
        value = end.forwarded[owner.results.index(value)]
    return value


def sink_views(loops: Sequence[WhileOp], inference: Inference) -> bool:
    """Make views from outside a loop anew inside, where their memory is written to.

    Then the loop carries the whole, and its views are those of this iteration. Outer
    loops are given first. Gives whether any was made.
    """
    done = False
    for loop in loops:
        written: set[SSAValue] = set()
        for op in walk(loop):
            number = written_operand(op, inference)
            if number is not None:
                written.add(_root(op.operands[number], inference))
        for block in (loop.before.block, loop.body.block):
            done = _sink(block, loop, written, inference) or done
    return done


def _sink(
    block: Block, loop: WhileOp, written: set[SSAValue], inference: Inference
) -> bool:
    used: dict[SSAValue, None] = {}
    for op in walk(block):
        for value in op.operands:
            owner = value.owner
            if not isinstance(owner, Operation) or loop.is_ancestor(owner):
                continue
            if whole_of(owner, inference) and _root(value, inference) in written:
                used[value] = None
    first = block.first_op
    assert first is not None
    for value in used:
        root, steps = _way_to(value, inference)
        copies = _made_again(steps, root)
        insert_before(first, *copies)
        for use in list(value.uses):
            if inside(use.operation, block) is not None:
                use.operation.operands[use.index] = copies[-1].results[0]
    return bool(used)


def _way_to(view: SSAValue, inference: Inference) -> tuple[SSAValue, list[Operation]]:
    """What a view is a view of in the end, and the ops that lead from there to it."""
    root, steps = view, list[Operation]()
    while (whole := whole_of(root.owner, inference)) is not None:
        assert isinstance(root.owner, Operation)
        steps.insert(0, root.owner)
        root = whole
    return root, steps


def _root(value: SSAValue, inference: Inference) -> SSAValue:
    return _way_to(value, inference)[0]


def _made_again(steps: Sequence[Operation], whole: SSAValue) -> list[Operation]:
    """The ops of `steps` anew, to be put somewhere: from `whole` to a view of it."""
    copies: list[Operation] = []
    for step in steps:
        copy = step.clone({})
        copy.operands[operand_index(step)] = copies[-1].results[0] if copies else whole
        copies.append(copy)
    return copies


def _has_uses_behind(op: Operation, value: SSAValue) -> bool:
    block = op.parent
    assert block is not None
    order = {inner: position for position, inner in enumerate(block.ops)}
    around = (inside(use.operation, block) for use in value.uses)
    return any(item is not None and order[item] > order[op] for item in around)
