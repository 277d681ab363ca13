"""Following updates in place: the old name of a tensor means the new one.

Before                            After
------                            -----
%y = dycl.invoke %x "exp"()       %y = dycl.invoke %x "exp"()
%r = dycl.invoke %y "relu_"()     %r = dycl.invoke %y "relu_"()
dycl.if %p {                      %r_1 = dycl.if %p -> (T) {
  %s = dycl.inplace add %y, %one    %s = dycl.inplace add %r, %one
}                                   dycl.yield %s
%z = dycl.binary mul %y, %two     } else {
dycl.return %r, %z                  dycl.yield %r
                                  }
                                  %z = dycl.binary mul %r_1, %two
                                  dycl.return %r_1, %z
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.tensors.shapes import Inference
from dycl.ir import ConstantOp, IfOp, ScopeOp, WhileOp
from dycl.ir.interfaces import forwarded_from, is_inside
from dycl.ir.rewriting import append_results
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk
from dycl.passes.writes.view_orders import whole_of


def follow_writes(inference: Inference) -> bool:
    """After `y = x.add_(1)` both names are the new tensor: let all uses say `y`.

    Done in the block that writes and, where that is a side of an `if`, behind it: the
    `if` gives the new tensor or, from its other side, the old one. So far as where the
    tensor is made; loops and scopes give what they write to (`carry_written`). Gives
    whether an `if` has got a result.
    """
    positions: dict[Operation, int] = {}
    joined = False
    for op, outcome in list(inference.outcomes.items()):
        number = written_operand(op, inference)
        if number is None:
            continue
        old = op.operands[number]
        if inference.of(old) == outcome.results[0] and _may_follow(old):
            joined |= _follow(op, old, op.results[0], positions)
    return joined


def written_operand(op: Operation, inference: Inference) -> int | None:
    """Which operand an op writes to and gives back as its one result."""
    outcome = inference.outcomes.get(op)
    if outcome is None or len(op.results) != 1 or len(outcome.written) != 1:
        return None
    (number,) = outcome.written
    if number < 0 or (0, number) not in outcome.aliases:
        return None
    # Up to the first container, leaves are numbered as operands are.
    given = [inference.of(v) for v in op.operands[: number + 1]]
    return None if any(map(_has_parts, given)) else number


def is_version(value: SSAValue, old: SSAValue, inference: Inference) -> bool:
    """Whether a value is a tensor after some of the writes to it, on any path."""
    return _is_version(value, old, inference, set())


def use_last_version(entry: FuncOp, old: SSAValue, inference: Inference) -> None:
    """Behind an `if`, loop or scope that gives a tensor anew, use that name.

    `while c: x += 1` carries `x` from iteration to iteration; what it is after the loop
    is a result of the loop, which is `old` itself, however often it was written to.
    """
    positions: dict[Operation, int] = {}
    for op in walk(entry):
        if isinstance(op, (IfOp, WhileOp, ScopeOp)):
            for result in op.results:
                if is_version(result, old, inference):
                    use_after(op, old, result, positions)
                    break


def _is_version(
    value: SSAValue, old: SSAValue, inference: Inference, seen: set[SSAValue]
) -> bool:
    if value is old or value in seen:
        return True
    seen.add(value)
    owner = value.owner
    sources = forwarded_from(value)
    if not sources and isinstance(owner, Operation):
        number = written_operand(owner, inference)
        sources = [] if number is None else [owner.operands[number]]
    return bool(sources) and all(
        _is_version(source, old, inference, seen) for source in sources
    )


def _may_follow(old: SSAValue) -> bool:
    """Whether a tensor is made by this run, or given to a block."""
    return not isinstance(old.owner, ConstantOp)


def _follow(
    op: Operation, old: SSAValue, new: SSAValue, positions: dict[Operation, int]
) -> bool:
    """Let `old` be `new` behind `op`, and behind the ifs around it."""
    joined = False
    while True:
        use_after(op, old, new, positions)
        block, home = op.parent, home_of(old)
        assert block is not None
        branch = block.parent_op()
        if block is home or not isinstance(branch, IfOp):
            return joined
        falls = branch.end_of(block) is not None
        if (
            not falls
            or not _has_known_rank(old)
            or not _is_used_after(branch, old, home, positions)
        ):
            return joined
        joined = True
        op = _with_result(branch, block, old, new, positions)
        new = op.results[-1]


def carry_written(carriers: list[WhileOp | ScopeOp], inference: Inference) -> bool:
    """Let each loop or scope give the tensors from outside that its body writes to.

    Until the writes are followed they are handed on as they are: from iteration to
    iteration, and at each exit of a scope. A view is not handed on by a scope: writing
    to it becomes a store into the whole. Outer ones are given first. Gives whether one
    was changed.
    """
    changed = False
    for carrier in carriers:
        written = _written_in(carrier, inference)
        if isinstance(carrier, ScopeOp):
            whole = [v for v in written if whole_of(v.owner, inference) is None]
            changed |= _give(carrier, whole, inference)
        elif written:
            _carry(carrier, written)
            changed = True
    return changed


def _written_in(carrier: WhileOp | ScopeOp, inference: Inference) -> list[SSAValue]:
    """The tensors from outside that a body writes to, in the order of the writes."""
    written: dict[SSAValue, None] = {}
    for op in walk(carrier.body):
        outcome = inference.outcomes.get(op)
        if outcome is None or outcome.written != frozenset((0,)):
            continue
        old = op.operands[0]
        ours = (0, 0) in outcome.aliases and _may_follow(old)
        if ours and _has_known_rank(old) and not is_inside(old, carrier):
            written[old] = None
    return list(written)


def _names_of(value: SSAValue, inference: Inference) -> list[SSAValue]:
    """A tensor and the views of it."""
    names = [value]
    for name in names:
        for use in name.uses:
            if whole_of(use.operation, inference) is name:
                names += use.operation.results
    return names


def _has_known_rank(value: SSAValue) -> bool:
    """Whether a tensor can be forwarded by its type alone."""
    found = value.type
    return isinstance(found, VTensorType) and found.is_fully_typed()


def _carry(loop: WhileOp, values: list[SSAValue]) -> None:
    """Carry `values`, unchanged, and use what is carried."""
    types, names = [v.type for v in values], [v.name_hint for v in values]
    positions: dict[Operation, int] = {}
    carried, entered = loop.append_arguments(types, names)
    for block, arguments in zip(loop.entered, (carried, entered), strict=True):
        for value, argument in zip(values, arguments, strict=True):
            for use in list(value.uses):
                if inside(use.operation, block) is not None:
                    use.operation.operands[use.index] = argument
    for jump in loop.jumps:
        jump.forward([*jump.forwarded, *entered])
    loop.condition.forward([*loop.condition.forwarded, *carried])
    results = append_results(loop, types, names, values)
    for value, result in zip(values, results.results[-len(values) :], strict=True):
        _follow(results, value, result, positions)


def _give(scope: ScopeOp, values: list[SSAValue], inference: Inference) -> bool:
    """Let each exit of a scope give those of `values` that are used behind it."""
    positions: dict[Operation, int] = {}

    def is_wanted(value: SSAValue) -> bool:
        if any(is_version(r, value, inference) for r in scope.results):
            return False  # given already; a view of it is to be made anew
        return any(
            _is_used_after(scope, name, home_of(value), positions)
            for name in _names_of(value, inference)
        )

    values = list(filter(is_wanted, values))
    if not values:
        return False
    for leave in scope.terminators:
        leave.forward([*leave.forwarded, *values])
    types, names = [v.type for v in values], [v.name_hint for v in values]
    given = append_results(scope, types, names)
    positions.clear()
    for value, result in zip(values, given.results[-len(values) :], strict=True):
        _follow(given, value, result, positions)
    return True


def home_of(value: SSAValue) -> Block | None:
    """The block that a value is made in."""
    owner = value.owner
    return owner.parent if isinstance(owner, Operation) else owner


def _with_result(
    branch: IfOp,
    block: Block,
    old: SSAValue,
    new: SSAValue,
    positions: dict[Operation, int],
) -> IfOp:
    """The `if` with one more result: `new` from `block`, `old` from the other side."""
    for end in branch.exits:
        end.forward([*end.forwarded, new if end.parent is block else old])
    result = append_results(branch, [old.type], [old.name_hint])
    if branch in positions:
        positions[result] = positions[branch]
    return result


def _is_used_after(
    op: Operation, value: SSAValue, home: Block | None, positions: dict[Operation, int]
) -> bool:
    """Whether a value is used behind `op`, in its block or one that this falls into."""
    while True:
        block = op.parent
        assert block is not None
        _number(op, positions)
        for use in value.uses:
            around = inside(use.operation, block)
            if around is not None and positions[op] < positions[around]:
                return True
        above = block.parent_op()
        if block is home or above is None:
            return False
        if isinstance(above, IfOp) and above.end_of(block) is None:
            return False  # what is behind is not reached from here
        op = above


def _number(op: Operation, positions: dict[Operation, int]) -> None:
    """Make sure that the ops of the block have their places."""
    block = op.parent
    if op not in positions and block is not None:
        positions.update((inner, position) for position, inner in enumerate(block.ops))


def inside(op: Operation, block: Block) -> Operation | None:
    """The op of `block` that is or holds `op`, or None."""
    around: Operation | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op()
    return around


def _has_parts(value: object) -> bool:
    return isinstance(value, (tuple, list, dict, slice))


def use_after(
    op: Operation, old: SSAValue, new: SSAValue, positions: dict[Operation, int]
) -> None:
    """Every use of `old` behind `op` becomes a use of `new`."""
    block = op.parent
    assert block is not None
    _number(op, positions)
    for use in list(old.uses):
        around = inside(use.operation, block)
        if around is not None and positions[op] < positions[around]:
            use.operation.operands[use.index] = new
