"""`dycl-resolve-tries`: put what runs of a `try` in its place, where that is known.

Before                      After
------                      -----
%r = dycl.try -> (T) {      %y = dycl.call %relu(%x)
  %y = dycl.call %relu(%x)  dycl.return %y
  dycl.yield %y
} except "ValueError" {
  dycl.yield %x
}
dycl.return %r

A body completes when none of its ops can raise, whatever the data: operators of torch
on known shapes. It raises when an attribute, a text or a key, of the model or of a dict
made there and then, or the number of names for a tuple is surely wrong, in its first
statement; then a handler runs. A `try` without handlers guards a `finally`, which
stands behind it; where that only computes, the body may raise. So it may where all that
handlers do is to raise the class that they catch: the call ends with this class anyway,
and the exception keeps its own text. What only iterators raise, nothing else does.
Where nothing but `raise` raises what is caught, each leads to its handler
(`dycl/passes/tries`).
Where the first op that may raise is a `raise` that a decision leads to, the decision
stands outside of the `try` (`dycl/passes/tries`).

Needs:  calls inlined and constants propagated; `dycl-infer-shapes` types what runs.
Leaves: the body of a `try` that completes, the handler of one that raises.
Skips:  a body with an op that may raise; what is left is refused in the end, together
        with all else that is (`dycl-check-typed`).
"""

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from dycl.analysis.folding.evaluation import failure
from dycl.analysis.folding.iterators import ITERATORS
from dycl.analysis.manager import environment_of
from dycl.analysis.memory.effects import is_removable
from dycl.diag import remark
from dycl.ir import (
    CallOp,
    DictOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    RaiseOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    TryOp,
    UnboundOp,
    UnpackOp,
    UnreachableOp,
    UnsupportedOp,
)
from dycl.ir.changes import object_of
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.exceptions import WITH
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator, nearest
from dycl.ir.labels import labels_of
from dycl.ir.rewriting import apply_patterns, inline_region
from dycl.ir.torch import VTensorType
from dycl.ir.values import GlobalRef, ObjectRef
from dycl.ir.walking import walk
from dycl.passes.objects.effects import Effects
from dycl.passes.tries.jumping import jump_to_handlers, otherwise
from dycl.passes.tries.raising import KEYS, count_of, is_unused, that_may_raise
from dycl.passes.tries.splitting import split_at

_PLAIN_ERRORS = ("IndexError", "KeyError", "TypeError", "ValueError")
"""What a network raises by itself is of these classes, of none that derives from them.
"""


_NO_STOPS = frozenset(
    f"builtins.{name}" for name in (*_PLAIN_ERRORS, "AssertionError", "RuntimeError")
)


@dataclass(frozen=True)
class ResolveTriesPass(ModulePass):
    """Say of each `try` whether its body completes, if that is known."""

    name = "dycl-resolve-tries"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        if not any(isinstance(inner, TryOp) for inner in walk(entry)):
            return
        settle = SettleTry(environment_of(ctx, op), labels_of(op))
        apply_patterns(entry, settle, kinds=(TryOp,), inner_first=True)


class SettleTry(RewritePattern):
    """The body of a `try` that completes, or the handler of one that raises."""

    def __init__(self, environment: Environment, labels: dict[str, int]):
        self.environment = environment
        self.labels = labels
        self.effects = Effects(environment)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TryOp, rewriter: PatternRewriter) -> None:
        may_raise = list(that_may_raise(op.body.block, self.environment))
        others = [o for o in may_raise if not isinstance(o, RaiseOp)]
        if not may_raise or (op.goes_on and self.is_quiet(op.handlers[0])):
            inline_region(op, op.body, rewriter)
            return
        raising = may_raise[0]
        is_split = isinstance(raising, RaiseOp) and otherwise(op) is None
        if is_split and split_at(cast(RaiseOp, raising), op, rewriter):
            return
        if not self.are_caught(op, others) and self.are_settled(op):
            jump_to_handlers(op, self.labels, rewriter)
            return
        is_with = [names.data for names in op.catches] == [WITH]
        if is_with and nearest(op, TryOp) is None:
            inline_region(op, op.body, rewriter)  # the run ends without `__exit__`
            return
        kind = None
        if raising.parent is op.body.block and op.one_statement is not None:
            kind = failure(
                raising, [constant_value(v) for v in raising.operands], self.environment
            )
            kind = kind or _missing_key(raising) or _wrong_count(raising)
        handler = None if kind is None else op.handler_of(kind)
        if handler is None and (self.only_raises(op) or self.never_stops(op)):
            handler = op.body
        if handler is None or (handler is not op.body and _raises_again(handler)):
            remark(op, "not settled", f"{(others or may_raise)[0].name} may raise")
            return
        inline_region(op, handler, rewriter)

    def are_caught(self, op: TryOp, others: list[Operation]) -> bool:
        """Whether a handler may catch what ops besides `raise` raise."""
        names = {name for item in op.catches for name in item.data.split()}
        if not any(map(_goes_over, others)):
            names -= {"StopIteration"}
        return bool(others) and any("." not in name for name in names)

    def are_settled(self, op: TryOp) -> bool:
        """Whether all that the body and the handlers do is in sight.

        So each `raise` in the body is one of the user's.
        """
        for inner in (i for r in op.regions for i in walk(r.block)):
            is_refused = isinstance(inner, UnsupportedOp) and not is_unused(inner)
            is_open = isinstance(inner, TryOp) or not self.is_in_sight(inner)
            if is_refused or is_open:
                return False
        return True

    def is_in_sight(self, op: Operation) -> bool:
        """Whether an op runs no code of the user's that is not there yet."""
        if isinstance(op, CallOp) and not self.is_of_library(op):
            return False
        return isinstance(op, RaiseOp) or self.effects.is_harmless(op)

    def only_raises(self, op: TryOp) -> bool:
        """Whether each handler does no more than raise the class that it catches.

        The body raises nothing of a class of the user's, which may derive from that,
        unless each raises what it has caught.
        """
        if all(map(self.lets_go_on, op.handlers)):
            return True
        for names, handler in zip(op.catches, op.handlers, strict=True):
            end = handler.block.last_op
            if self.lets_go_on(handler):
                continue
            if not isinstance(end, RaiseOp) or not self.is_quiet(handler, end):
                return False
            if (
                names.data not in _PLAIN_ERRORS
                or end.exception_name != f"builtins.{names.data}"
            ):
                return False
        return all(map(self.is_of_library, walk(op.body.block)))

    def lets_go_on(self, handler: Region) -> bool:
        """Whether a handler does no more than raise what it has caught."""
        end = handler.block.last_op
        is_again = isinstance(end, RaiseOp) and end.is_again
        return is_again and self.is_quiet(handler, end)

    def never_stops(self, op: TryOp) -> bool:
        """Whether all that is caught is StopIteration, which only iterators raise."""
        if any(names.data != "StopIteration" for names in op.catches):
            return False
        for inner in walk(op.body.block):
            if isinstance(inner, RaiseOp):
                if inner.exception_name not in _NO_STOPS:
                    return False
            elif not self.is_of_library(inner) or _goes_over(inner):
                return False
        return True

    def is_of_library(self, op: Operation) -> bool:
        """Whether an op is none that runs code of the user's, or raises by itself."""
        match op:
            case RaiseOp():
                return False
            case InvokeOp():
                return isinstance(op.receiver.type, VTensorType)
            case CallOp():
                callee = constant_value(op.callee)
                if isinstance(callee, ObjectRef):
                    return self.environment.is_leaf(callee.path)
                return isinstance(callee, GlobalRef)
            case _:
                return True

    def is_of_number(self, op: Operation) -> bool:
        """Whether `+=` and its like make a new number of one in an attribute."""
        read = op.operands[0].owner if isinstance(op, InplaceOp) else None
        if not isinstance(read, GetattrOp) or (of := object_of(read.operand)) is None:
            return False
        value = self.environment.members(of).get(read.attribute.data)
        return isinstance(value, (bool, int, float))

    def is_quiet(self, handler: Region, end: Operation | None = None) -> bool:
        """Whether nobody can tell that a `finally` was run before an exception goes on.

        What it sets nobody sees, unless a handler around it does: a call that raises
        leaves the state as it was. `end`: what it may end with.
        """
        op = handler.parent_op()
        assert op is not None
        guarded = nearest(op, TryOp) is not None
        for inner in walk(handler.block):
            if isinstance(inner, RegionTerminator):
                target = inner.target
                is_inside = target is not None and op.is_ancestor(target)
                if not (isinstance(inner, UnreachableOp) or is_inside or inner is end):
                    return False
            elif not (
                inner.regions
                or isinstance(inner, UnboundOp)
                or (not guarded and _sets_own(inner))
                or self.is_of_number(inner)
                or is_removable(inner, self.environment)
            ):
                return False
        return True


def _raises_again(handler: Region) -> bool:
    """Whether a handler may raise what it has caught."""
    return any(isinstance(o, RaiseOp) and o.is_again for o in walk(handler.block))


def _sets_own(op: Operation) -> bool:
    """Whether an op sets an attribute, or an item of a dict that the function makes."""
    if isinstance(op, StoreSubscriptOp):
        return isinstance(op.operands[0].owner, DictOp)
    return isinstance(op, SetattrOp)


def _goes_over(op: Operation) -> bool:
    """Whether an op asks an iterator for its next item, or hands one on."""
    name = constant_name(op.callee) if isinstance(op, CallOp) else ""
    return name == "builtins.next" or name in ITERATORS


def _missing_key(op: Operation) -> type[KeyError] | None:
    """KeyError if the key is none of a dict that is made only to be asked."""
    if not isinstance(op, SubscriptOp) or not isinstance(op.operand.owner, DictOp):
        return None
    owner, key = op.operand.owner, constant_value(op.index)
    keys = [constant_value(k) for k in owner.items[::2]]
    if len(list(owner.result.uses)) > 1 or not isinstance(key, KEYS):
        return None
    sure = all(isinstance(k, KEYS) and k != key for k in keys)
    return KeyError if sure else None


def _wrong_count(op: Operation) -> type[ValueError] | None:
    """ValueError if there are more names than items, or fewer."""
    if not isinstance(op, UnpackOp) or (count := count_of(op.operand)) is None:
        return None
    return None if op.fits(count) else ValueError
