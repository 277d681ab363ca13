"""`dycl-simplify-control`: remove the branches that decide nothing.

Before                       After
------                       -----
%r = dycl.if %true -> (T) {  %y = dycl.unary neg %x
  %y = dycl.unary neg %x     %m = dycl.select %p, %one, %zero
  dycl.yield %y              dycl.return %y, %m
} else {
  dycl.yield %x
}
%m = dycl.if %p -> (T) {
  dycl.yield %one
} else {
  dycl.yield %zero
}
dycl.return %r, %m

Needs:  nothing; conditions fold in `dycl-propagate-constants`.
Leaves: no `dycl.if` on a constant; none whose branches only choose between values that
        are there anyway (a constant, or something computed before).
Skips:  branches that compute, read the user's objects, leave the function, or give a
        name that one side leaves unbound.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from dycl.diag import remark
from dycl.ir import (
    ConstantOp,
    IfOp,
    RecordOp,
    SelectOp,
    TupleOp,
    UnboundOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.interfaces import is_inside
from dycl.ir.rewriting import apply_patterns, inline_region


@dataclass(frozen=True)
class SimplifyControlPass(ModulePass):
    """Remove the branches that decide nothing."""

    name = "dycl-simplify-control"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises nothing."""
        patterns = (
            TakeKnownBranch(),
            SinkOnlyPath(),
            ForwardSameValue(),
            ChooseValue(),
            SimplifySelect(),
        )
        apply_patterns(op, *patterns, kinds=(IfOp, SelectOp), inner_first=True)


class TakeKnownBranch(RewritePattern):
    """The branch that is taken stands in the place of an `if` on a constant.

    Before                       After
    ------                       -----
    %r = dycl.if %true -> (T) {  %y = dycl.call %f(%x)
      %y = dycl.call %f(%x)      dycl.return %y
      dycl.yield %y
    } else {
      dycl.yield %x
    }
    dycl.return %r
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        condition = constant_value(op.condition)
        if condition is not MISSING:
            taken = op.then_region if condition else op.else_region
            inline_region(op, taken, rewriter)


class SinkOnlyPath(RewritePattern):
    """What the only side that goes on computes stands behind the `if`.

    Nobody gets there by the other side, so a name that this side gives is no choice.

    Before                    After
    ------                    -----
    %l = dycl.if %p -> (T) {  dycl.if %p {
      dycl.return %x            dycl.return %x
    } else {                  }
      %m = dycl.list(%x)      %m = dycl.list(%x)
      dycl.yield %m           dycl.return %m
    }
    dycl.return %l
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        if len(op.exits) != 1:
            return
        (end,) = op.exits
        values = list(end.forwarded)
        pairs = zip(op.results, values, strict=True)
        if not any(result.uses and is_inside(value, op) for result, value in pairs):
            return
        block = end.parent
        assert block is not None
        end.forward([])
        behind = [item for item in block.ops if item is not end]
        for item in behind:
            item.detach()
        rewriter.insert([op.rebuilt([]), *behind])
        rewriter.replace(op, [], values)


class ForwardSameValue(RewritePattern):
    """A result that is the same value from both sides is that value.

    Before                              After
    ------                              -----
    %r = dycl.if %p -> (T) {            dycl.if %p {
      dycl.yield %x                     } else {
    } else {                              dycl.effect "builtins.print"(%x)
      dycl.effect "builtins.print"(%x)  }
      dycl.yield %x                     dycl.return %x
    }
    dycl.return %r
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        exits = op.exits
        for index, result in enumerate(op.results):
            values = {end.forwarded[index] for end in exits}
            if result.uses and len(values) == 1:
                (value,) = values
                if not is_inside(value, op):
                    rewriter.replace_all_uses_with(result, value)


class ChooseValue(RewritePattern):
    """An `if` that only chooses between values that are there is a `select` of each.

    Before                    After
    ------                    -----
    %m = dycl.if %p -> (T) {  %m = dycl.select %p, %one, %zero
      dycl.yield %one         dycl.return %m
    } else {
      dycl.yield %zero
    }
    dycl.return %m
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        if (why := _cannot_select(op)) is not None:
            if why in _UNLIKE:
                remark(op, "no choice of a value", why)
            return
        then, els = op.exits
        given = list(zip(then.forwarded, els.forwarded, strict=True))
        test = {name: a for name, a in op.attributes.items() if name == "test"}
        for end in (then, els):
            block = end.parent
            assert block is not None
            rewriter.erase(end)
            rewriter.inline_block(block, InsertPoint.before(op))
        values: list[SSAValue] = []
        for result, (a, b) in zip(op.results, given, strict=True):
            values.append(a)
            if result.uses:
                select = rewriter.insert(SelectOp(op.condition, a, b))
                select.attributes |= test
                values[-1] = select.result
        rewriter.replace(op, [], values)


class SimplifySelect(RewritePattern):
    """A choice on a constant, between equal values, or of true and false.

    Before                              After
    ------                              -----
    %a = dycl.select %true, %x, %y      dycl.return %x, %p
    %b = dycl.select %p, %true, %false
    dycl.return %a, %b
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter) -> None:
        condition = constant_value(op.condition)
        if condition is not MISSING:
            rewriter.replace(op, [], [op.if_true if condition else op.if_false])
        elif op.if_true is op.if_false:
            rewriter.replace(op, [], [op.if_true])
        elif (
            constant_value(op.if_true) is True and constant_value(op.if_false) is False
        ):
            rewriter.replace(op, [], [op.condition])


_CHOSEN = (ConstantOp, RecordOp, TupleOp)
"""What may stand in a branch that only chooses."""

_UNLIKE = ("a name has no value on one side", "the sides give different types")
"""Why sides that compute nothing are no choice. Sides that compute are decisions."""


def _cannot_select(op: IfOp) -> str | None:
    """The reason why this `if` is more than a choice between values, or None."""
    exits = op.exits
    if len(exits) < 2:
        return "a branch leaves"
    for region in op.regions:
        for item in region.block.ops:
            if item not in exits and not isinstance(item, _CHOSEN):
                return "a branch computes"
    for index, result in enumerate(op.results):
        if not result.uses:
            continue
        values = [end.forwarded[index] for end in exits]
        if any(isinstance(value.owner, UnboundOp) for value in values):
            return _UNLIKE[0]
        if values[0].type != values[1].type:
            return _UNLIKE[1]
    return None
