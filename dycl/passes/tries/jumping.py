"""A `try` in which only `raise` raises: each leads to its handler.

Before                               After
------                               -----
%r = dycl.try -> (T) {               %r = dycl.scope "try" -> (T) {
  dycl.if %c {                         dycl.if %c {
    dycl.raise "builtins.KeyError"()     dycl.leave "try" %x
  }                                    }
  %v = dycl.unary neg %x               %v = dycl.unary neg %x
  dycl.yield %v                        dycl.leave "try" %v
} except "KeyError" {                }
  dycl.yield %x                      dycl.return %r
}
dycl.return %r

Each gets a copy of its handler, behind the loops of the body that it ends. Behind the
copy of a `finally` it raises again.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dycl.ir import (
    IfOp,
    LeaveOp,
    RaiseOp,
    ScopeOp,
    TryOp,
    UnreachableOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.dialect.exceptions import ELSE
from dycl.ir.interfaces import LoopOp, nearest
from dycl.ir.labels import fresh_label
from dycl.ir.rewriting import (
    append,
    erase,
    inline_region,
    insert_before,
    relocate,
    replace,
)
from dycl.ir.walking import walk
from dycl.passes.tries.raising import is_unused


def jump_to_handlers(
    op: TryOp, labels: dict[str, int], rewriter: PatternRewriter
) -> None:
    """Do this for a `try` without `?`, of which all that raises is in sight."""
    raises = [o for o in walk(op.body.block) if isinstance(o, RaiseOp)]
    if op.goes_on:
        # A `finally` stands in front of each `return`, too, where it raises by itself.
        again = {o.location for o in walk(op.handlers[0].block)}
        raises = [o for o in raises if o.location not in again]
    caught = [(o, handler) for o in raises if (handler := op.catches_raised(o))]
    if not caught:
        inline_region(op, op.body, rewriter)
        return
    label = fresh_label(labels, "try")
    orelse = otherwise(op)
    completed = label if orelse is None else fresh_label(labels, "completed")
    last = op.body.block.last_op
    assert last is not None
    if isinstance(last, YieldOp):
        replace(last, LeaveOp(completed, last.operands))
    block = op.body.detach_block(0)
    if orelse is not None:
        block = _completed(block, completed, op, orelse, label)
    end = _End(op, label, orelse)
    for raised, handler in caught:
        if nearest(raised, LoopOp) is not None:
            block = _behind(block, raised, handler, end, labels)
        else:
            insert_before(raised, *_copy(handler, raised, raised.operands, end))
            erase(raised)
    results = [*op.results, *(orelse.results if orelse else ())]
    scope = ScopeOp(label, [r.type for r in results], Region(block))
    insert_before(op, scope)
    for old, new in zip(results, scope.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    if orelse is not None:
        rewriter.erase(orelse)
    rewriter.erase(op)


def otherwise(op: TryOp) -> IfOp | None:
    """The `else` of a `try`: what follows if the body completes, and only then."""
    test, behind = StringAttr(ELSE), op.next_op
    if not isinstance(behind, IfOp) or behind.attributes.get("test") != test:
        return None
    return behind if behind.condition in op.results else None


def _completed(
    block: Block, label: str, op: TryOp, orelse: IfOp, outer_label: str
) -> Block:
    """A block that does what `block` does, and then what stands in `else`."""
    outer = Block()
    scope = ScopeOp(label, op.result_types, Region(block))
    append(outer, scope, source=op)
    rest = orelse.then_region.detach_block(0)
    for old, new in zip(op.results, scope.results, strict=True):
        old.replace_uses_with_if(new, lambda use: rest.is_ancestor(use.operation))
    last = rest.last_op
    assert last is not None
    if isinstance(last, YieldOp):
        replace(last, LeaveOp(outer_label, [*scope.results, *last.operands]))
    for inner in list(rest.ops):
        inner.detach()
        outer.add_op(inner)
    return outer


class _End:
    """Where a handler leads to when it has done its part."""

    def __init__(self, op: TryOp, label: str, orelse: IfOp | None):
        self.op = op
        self.label = label
        last = None if orelse is None else orelse.else_region.block.last_op
        self.others = [] if last is None else list(last.operands)
        """What an `else` that is passed by gives."""

    def leave(self, values: Sequence[SSAValue]) -> LeaveOp:
        """The end of a handler that gives these values."""
        known: dict[SSAValue, SSAValue] = dict(
            zip(self.op.results, values, strict=True)
        )
        return LeaveOp(self.label, [*values, *(known.get(v, v) for v in self.others)])


def _behind(
    block: Block,
    raised: RaiseOp,
    handler: Region,
    end: "_End",
    labels: dict[str, int],
) -> Block:
    """A block that does what `block` does, and behind it what one `raise` leads to."""
    inner = fresh_label(labels, "raised")
    types = [value.type for value in raised.operands]
    again = clone(raised)
    outer = Block()
    scope = ScopeOp(inner, types, Region(block))
    append(outer, scope, source=raised)
    replace(raised, LeaveOp(inner, raised.operands))
    again.operands = scope.results
    outer.add_op(again)
    insert_before(again, *_copy(handler, again, scope.results, end))
    erase(again)
    return outer


def _copy(
    handler: Region, raised: RaiseOp, values: Sequence[SSAValue], end: "_End"
) -> list[Operation]:
    """The ops of a handler, for what is raised with these values."""
    known: dict[SSAValue, SSAValue] = {}
    copies: list[Operation] = []
    for inner in handler.block.ops:
        if is_unused(inner):
            continue
        if isinstance(inner, YieldOp):
            leave = end.leave([known.get(v, v) for v in inner.operands])
            relocate(leave, inner)
            copies.append(leave)
        elif isinstance(inner, UnreachableOp) and end.op.goes_on:
            copies.append(clone(raised))
        else:
            copies.append(clone(inner, known))
    return raising_again(copies, raised, values)


def raising_again(
    copies: Sequence[Operation], raised: RaiseOp, values: Sequence[SSAValue]
) -> list[Operation]:
    """The copy of a handler, where `raise` is of what was raised with these values."""
    return [_raising_again(op, raised, values) for op in copies]


def _raising_again(
    copy: Operation, raised: RaiseOp, values: Sequence[SSAValue]
) -> Operation:
    for op in list(walk(copy)):
        if isinstance(op, RaiseOp) and op.is_again:
            same = clone(raised)
            same.operands = values
            if op is copy:
                relocate(same, op)
                return same
            replace(op, same)
    return copy
