"""`dycl-simplify-control`: remove the branches that decide nothing.

Before                                   After
------                                   -----
%c = dycl.constant true                  %y = dycl.call %f(%x)
%r = dycl.if %c { %y = dycl.call %f(%x)
  dycl.yield %y } else { ... }
%m = dycl.if %p { dycl.yield %one }      %m = dycl.select %p, %one, %zero
     else { dycl.yield %zero }
%l = dycl.if %p { dycl.return %x }       dycl.if %p { dycl.return %x }
     else { %m = dycl.list(%x)           %m = dycl.list(%x)
       dycl.yield %m }

Needs:  nothing; conditions fold in `dycl-propagate-constants`.
Leaves: no `dycl.if` on a constant; none whose branches only choose between values that
        are there anyway (a constant, or something computed before).
Skips:  branches that compute, read the user's objects, leave the function, or give a
        name that one side leaves unbound.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.ir import (
    ConstantOp,
    IfOp,
    RecordOp,
    SelectOp,
    TupleOp,
    UnboundOp,
    YieldOp,
)
from dycl.ir.known import MISSING, known
from dycl.ir.rewriting import inline_region, insert_before, replace
from dycl.ir.walking import blocks_of


@dataclass(frozen=True)
class SimplifyControlPass(ModulePass):
    """Remove the branches that decide nothing."""

    name = "dycl-simplify-control"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.ops:
            for block in reversed(list(blocks_of(function))):
                for one in list(block.ops):
                    if isinstance(one, IfOp) and one.parent is not None:
                        _simplify(one)
                    elif isinstance(one, SelectOp) and one.parent is not None:
                        _simplify_select(one)


def _simplify(op: IfOp) -> None:
    condition = known(op.condition)
    if condition is not MISSING:
        inline_region(op, op.then_region if condition else op.else_region)
        return
    if _flatten(op):
        return
    _forward_same(op)
    if _cannot_select(op) is None:
        _to_selects(op)


def _ends(op: IfOp) -> list[Operation | None]:
    return [r.block.last_op for r in (op.then_region, op.else_region)]


def _flatten(op: IfOp) -> bool:
    """Put what the only side that goes on computes behind the `if`.

    Nobody gets there by the other side, so a name that this side gives is no choice.
    Returns whether it was done: the op is gone then.
    """
    going_on = [e for e in _ends(op) if isinstance(e, YieldOp)]
    if len(going_on) != 1:
        return False
    (end,) = going_on
    values = list(end.operands)
    if not any(
        result.uses and _is_inside(value, op)
        for result, value in zip(op.results, values, strict=True)
    ):
        return False
    block = end.parent
    assert block is not None
    behind = [one for one in block.ops if one is not end]
    end.forward([])
    guard = op.rebuilt([])
    insert_before(op, guard, *behind)
    replace(op, values)
    return True


def _forward_same(op: IfOp) -> None:
    """A result that is the same value from both sides is that value."""
    ends = [e for e in _ends(op) if isinstance(e, YieldOp)]
    if not ends:
        return
    for index, result in enumerate(op.results):
        values = {e.operands[index] for e in ends}
        if len(values) == 1:
            (value,) = values
            inside = _is_inside(value, op)
            if not inside:
                result.replace_all_uses_with(value)


def _is_inside(value: SSAValue, op: IfOp) -> bool:
    owner = value.owner
    block = owner.parent if isinstance(owner, Operation) else owner
    return block in (op.then_region.block, op.else_region.block)


def _cannot_select(op: IfOp) -> str | None:
    """The reason why this `if` is more than a choice between values, or None."""
    for end in _ends(op):
        if not isinstance(end, YieldOp):
            return "a branch leaves"
        block = end.parent
        assert block is not None
        for one in block.ops:
            if not isinstance(one, (ConstantOp, RecordOp, YieldOp, TupleOp)):
                return "a branch computes"
    for index, result in enumerate(op.results):
        if not result.uses:
            continue
        values = [e.operands[index] for e in _ends(op) if e is not None]
        if any(isinstance(v.owner, UnboundOp) for v in values):
            return "a name has no value on one side"
        if _differ(values[0], values[1]):
            return "the sides have different types"
    return None


def _differ(a: SSAValue, b: SSAValue) -> bool:
    return a.type != b.type


def _to_selects(op: IfOp) -> None:
    then, els = (e for e in _ends(op) if e is not None)
    for end in (then, els):
        block = end.parent
        assert block is not None
        insert_before(op, *(o for o in block.ops if o is not end))
    values: list[SSAValue] = []
    for result, a, b in zip(op.results, then.operands, els.operands, strict=True):
        if not result.uses:
            values.append(a)
            continue
        select = SelectOp(op.condition, a, b)
        for key in ("test",):
            if key in op.attributes:
                select.attributes[key] = op.attributes[key]
        insert_before(op, select)
        select.result.name_hint = result.name_hint
        values.append(select.result)
    replace(op, values)


def _simplify_select(op: SelectOp) -> None:
    condition = known(op.condition)
    if condition is not MISSING:
        replace(op, [op.if_true if condition else op.if_false])
    elif op.if_true is op.if_false:
        replace(op, [op.if_true])
    elif _is_constant(op.if_true, True) and _is_constant(op.if_false, False):
        replace(op, [op.condition])


def _is_constant(value: SSAValue, wanted: bool) -> bool:
    return known(value) is wanted
