"""`research-merge-equal-branches`: a decision that decides nothing is not taken.

Before                               After
------                               -----
%z = dycl.if %p -> (!dycl.value) {   %a = dycl.unary neg %x
  %a = dycl.unary neg %x             ... uses of %z use %a
  dycl.yield %a
} else {
  %b = dycl.unary neg %x
  dycl.yield %b
}

Needs:  nothing.
Leaves: no `dycl.if` whose two branches are equal and end in `dycl.yield`.
Skips:  branches that differ; branches that return, whose exit belongs to the if.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from dycl.diag import remark
from dycl.ir import IfOp, YieldOp


@dataclass(frozen=True)
class MergeEqualBranchesPass(ModulePass):
    """Replaces a `dycl.if` whose two branches are equal by one of them."""

    name = "research-merge-equal-branches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Inner decisions first: merging them may make the outer branches equal.
        for if_op in reversed([o for o in op.walk() if isinstance(o, IfOp)]):
            if (why := _cannot(if_op)) is not None:
                remark(if_op, "not merged", why)
                continue
            _merge(if_op)


def _cannot(if_op: IfOp) -> str | None:
    """The reason to leave this op alone, or None."""
    if not isinstance(if_op.then_region.block.last_op, YieldOp):
        return "a branch leaves the function"
    if not if_op.then_region.is_structurally_equivalent(if_op.else_region):
        return "the branches differ"
    return None


def _merge(if_op: IfOp) -> None:
    block = if_op.then_region.block
    end = block.last_op
    assert end is not None
    values = list(end.operands)
    Rewriter.erase_op(end)
    Rewriter.inline_block(block, InsertPoint.before(if_op))
    Rewriter.replace_op(if_op, [], values)
