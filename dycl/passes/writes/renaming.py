"""Following updates in place: the old name of a tensor means the new one."""

from typing import cast

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from dycl.analysis.tensors.shapes import Inference
from dycl.ir import ConstantOp, IfOp, WhileOp, YieldOp
from dycl.ir.torch import VTensorType
from dycl.ir.torch.types import DYNAMIC
from dycl.ir.walking import walk
from dycl.passes import _edit as edit


def follow_writes(inference: Inference) -> bool:
    """After `y = x.add_(1)` both names are the new tensor: let all uses say `y`.

    Done in the block that writes and, where that is a side of an `if`, behind it: the
    `if` gives the new tensor or, from its other side, the old one. So far as where the
    tensor is made; what is written in a loop or scope to a tensor from outside is found
    by `visible_writes`. Gives whether an `if` has got a result.
    """
    places: dict[Operation, int] = {}
    joined = False
    for op, outcome in list(inference.outcomes.items()):
        number = written_operand(op, inference)
        if number is None:
            continue
        old = op.operands[number]
        if inference.of(old) == outcome.results[0] and _may_follow(old):
            joined |= _follow(op, old, op.results[0], places)
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


def _is_version(
    value: SSAValue, old: SSAValue, inference: Inference, seen: set[SSAValue]
) -> bool:
    if value is old or value in seen:
        return True
    seen.add(value)
    sources: list[SSAValue] = []
    owner = value.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        if not isinstance(loop, WhileOp):
            return False
        sources = _carried_from(loop, cast(BlockArgument, value).index)
    elif isinstance(owner, IfOp):
        ends = [region.block.last_op for region in owner.regions]
        place = owner.results.index(value)
        sources = [e.values[place] for e in ends if isinstance(e, YieldOp)]
    elif isinstance(owner, WhileOp):
        sources = _carried_from(owner, owner.results.index(value))
    elif (number := written_operand(owner, inference)) is not None:
        sources = [owner.operands[number]]
    return bool(sources) and all(
        _is_version(one, old, inference, seen) for one in sources
    )


def _carried_from(loop: WhileOp, place: int) -> list[SSAValue]:
    """What a value that a loop carries may be."""
    ends = [loop.condition.values, *(end.operands for end in loop.jumps)]
    return [loop.initial[place], *(values[place] for values in ends)]


def _may_follow(old: SSAValue) -> bool:
    """Whether a tensor is made by this run, or given to a block."""
    return not isinstance(old.owner, ConstantOp)


def _follow(
    op: Operation, old: SSAValue, new: SSAValue, places: dict[Operation, int]
) -> bool:
    """Let `old` be `new` behind `op`, and behind the ifs around it."""
    joined = False
    while True:
        use_after(op, old, new, places)
        block, home = op.parent, home_of(old)
        assert block is not None
        branch = block.parent_op()
        if block is home or not isinstance(branch, IfOp):
            return joined
        falls = isinstance(block.last_op, YieldOp)
        if (
            not falls
            or not _is_of_known_size(old)
            or not _is_used_after(branch, old, home, places)
        ):
            return joined
        joined = True
        op = _with_result(branch, block, old, new, places)
        new = op.results[-1]


def carry_written(loops: list[WhileOp], inference: Inference) -> bool:
    """Carry through each loop the tensors from outside that its body writes to.

    Until the writes are followed it hands them on as they are. Outer loops are given
    first. Gives whether one was changed.
    """
    changed = False
    for loop in loops:
        written: list[SSAValue] = []
        for op in walk(loop.body):
            outcome = inference.outcomes.get(op)
            if outcome is None or outcome.written != frozenset((0,)):
                continue
            old = op.operands[0]
            ours = (0, 0) in outcome.aliases and _may_follow(old)
            if not ours or not _is_of_known_size(old) or old in written:
                continue
            if not _is_inside(old, loop):
                written.append(old)
        if written:
            _carry(loop, written)
            changed = True
    return changed


def _is_of_known_size(value: SSAValue) -> bool:
    """Whether a tensor can be handed on by its type alone."""
    found = value.type
    return (
        isinstance(found, VTensorType)
        and found.is_fully_typed()
        and DYNAMIC not in (found.sizes() or ())
    )


def _is_inside(value: SSAValue, loop: WhileOp) -> bool:
    """Whether a value is made in a loop."""
    home = home_of(value)
    above = None if home is None else home.parent_op()
    while above is not None and above is not loop:
        above = above.parent_op()
    return above is loop


def _carry(loop: WhileOp, values: list[SSAValue]) -> None:
    """Carry `values`, unchanged, and use what is carried."""
    before, body = loop.before.block, loop.body.block
    places: dict[Operation, int] = {}
    entered: list[tuple[SSAValue, SSAValue]] = []
    for value in values:
        outer = [before.insert_arg(value.type, len(before.args))]
        outer.append(body.insert_arg(value.type, len(body.args)))
        for block, argument in zip((before, body), outer, strict=True):
            argument.name_hint = value.name_hint
            for use in list(value.uses):
                if inside(use.operation, block) is not None:
                    use.operation.operands[use.index] = argument
        entered.append((outer[0], outer[1]))
    jumps, condition = loop.jumps, loop.condition
    condition.operands = [*condition.operands, *(one for one, _ in entered)]
    for end in jumps:
        end.operands = [*end.operands, *(other for _, other in entered)]
    initial = [*loop.initial, *values]
    types = [*loop.result_types, *(v.type for v in values)]
    made = WhileOp.create(
        operands=initial,
        result_types=types,
        regions=[loop.detach_region(r) for r in list(loop.regions)],
        attributes=dict(loop.attributes),
    )
    made.location = loop.location
    edit.move_before(loop, [made])
    for one, other in zip(loop.results, made.results, strict=False):
        other.name_hint = one.name_hint
        one.replace_all_uses_with(other)
    loop.detach()
    loop.erase()
    for value, result in zip(values, made.results[-len(values) :], strict=True):
        result.name_hint = value.name_hint
        use_after(made, value, result, places)


def home_of(value: SSAValue) -> Block | None:
    """The block that a value is made in."""
    owner = value.owner
    return owner.parent if isinstance(owner, Operation) else owner


def _with_result(
    branch: IfOp,
    block: Block,
    old: SSAValue,
    new: SSAValue,
    places: dict[Operation, int],
) -> IfOp:
    """The `if` with one more result: `new` from `block`, `old` from the other side."""
    for region in branch.regions:
        end = region.block.last_op
        if isinstance(end, YieldOp):
            end.operands = [*end.operands, new if region.block is block else old]
    then, otherwise = [branch.detach_region(r) for r in list(branch.regions)]
    types = [*branch.result_types, old.type]
    made = IfOp(branch.condition, types, then, otherwise, dict(branch.attributes))
    made.location = branch.location
    edit.move_before(branch, [made])
    if branch in places:
        places[made] = places[branch]
    for one, other in zip(branch.results, made.results, strict=False):
        other.name_hint = one.name_hint
        one.replace_all_uses_with(other)
    made.results[-1].name_hint = old.name_hint
    branch.detach()
    branch.erase()
    return made


def _is_used_after(
    op: Operation, value: SSAValue, home: Block | None, places: dict[Operation, int]
) -> bool:
    """Whether a value is used behind `op`, in its block or one around it."""
    while True:
        block = op.parent
        assert block is not None
        _number(op, places)
        for use in value.uses:
            around = inside(use.operation, block)
            if around is not None and places[op] < places[around]:
                return True
        above = block.parent_op()
        if block is home or above is None:
            return False
        op = above


def _number(op: Operation, places: dict[Operation, int]) -> None:
    """Make sure that the ops of the block have their places."""
    block = op.parent
    if op not in places and block is not None:
        places.update((inner, place) for place, inner in enumerate(block.ops))


def inside(op: Operation, block: Block) -> Operation | None:
    """The op of `block` that is or holds `op`, or None."""
    around: Operation | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op()
    return around


def _has_parts(value: object) -> bool:
    return isinstance(value, (tuple, list, dict, slice))


def use_after(
    op: Operation, old: SSAValue, new: SSAValue, places: dict[Operation, int]
) -> None:
    """Every use of `old` behind `op` becomes a use of `new`."""
    block = op.parent
    assert block is not None
    _number(op, places)
    for use in list(old.uses):
        around = inside(use.operation, block)
        if around is not None and places[op] < places[around]:
            use.operation.operands[use.index] = new
