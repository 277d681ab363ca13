"""What follows an `if` or a scope, given to the paths that lead there.

A *continuation* is the part of a block behind a `dycl.if` or `dycl.scope`, the *fork*.
*Edges* are the ends inside the fork that lead to what follows it, with their values.
`sink` copies the continuation once for each group of edges.

Before                    After
------                    -----
%h = dycl.if %p -> (T) {  dycl.if %p {
  dycl.yield %none          %y = dycl.call %f(%none)
} else {                    dycl.return %y
  dycl.yield %x           } else {
}                           %y_1 = dycl.call %f(%x)
%y = dycl.call %f(%h)       dycl.return %y_1
dycl.return %y            }
                          dycl.unreachable

Where a group has one edge, the copy stands in front of it, as here; edges that share a
copy leave an inner scope for it:

    dycl.scope "out" {
      %y = dycl.scope "group" { <the fork's body> }
      <copy>
      dycl.leave "out" ..
    }
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator

from dycl.ir import (
    IfOp,
    LeaveOp,
    ScopeOp,
    UnreachableOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.interfaces import LoopOp, RegionTerminator, nearest
from dycl.ir.labels import fresh_label
from dycl.ir.rewriting import append, erase, erase_from, insert_before, replace
from dycl.ir.walking import walk

Fork = IfOp | ScopeOp
Groups = Sequence[Sequence[RegionTerminator]]
"""Edges, by the copy of the continuation that they lead to."""


@dataclass
class Continuation:
    """The ops behind a fork that are copied, and what they forward."""

    fork: Operation
    ops: list[Operation]

    @property
    def ends(self) -> bool:
        """Whether the last of the ops ends the block."""
        return self.ops[-1].has_trait(IsTerminator)

    @property
    def kept(self) -> list[int]:
        """The numbers of the fork's results that are read behind the continuation."""
        return [i for i, r in enumerate(self.fork.results) if self._is_read(r)]

    @property
    def given(self) -> list[SSAValue]:
        """The values made in the continuation that are read behind it."""
        return [r for op in self.ops for r in op.results if self._is_read(r)]

    @property
    def size(self) -> int:
        """The number of ops in it, at any depth."""
        return sum(1 for op in self.ops for _ in walk(op))

    def _is_read(self, value: SSAValue) -> bool:
        return any(not self._holds(use.operation) for use in value.uses)

    def _holds(self, op: Operation) -> bool:
        return any(mine.is_ancestor(op) for mine in self.ops)


@dataclass
class Sunk:
    """What stands in the place of a fork and its continuation."""

    fork: Fork | None = None
    """None: the copies lead elsewhere."""
    copies: list[Operation] = field(default_factory=list[Operation])
    """The first op of each copy, which reaches from there to the end of its block."""
    shared: list[ScopeOp] = field(default_factory=list[ScopeOp])
    """Where the edges of a group meet, in front of their copy."""


def sink(
    what: Continuation,
    groups: Groups,
    labels: dict[str, int],
) -> Sunk:
    """Replace a fork and its continuation by one with a copy for each group of edges.

    Where the continuation ends the block, so do the copies.
    """
    sinking = _Sinking(what, labels)
    sinking.run(groups)
    return sinking.made


def as_scope(fork: IfOp, labels: dict[str, int]) -> ScopeOp:
    """Replace an `if` by a scope around it, which its sides leave."""
    label = fresh_label(labels, "join")
    for end in fork.exits:
        replace(end, LeaveOp(label, end.forwarded))
    inner = fork.rebuilt([])
    last = UnreachableOp()
    scope = ScopeOp(label, fork.result_types, Region(Block([inner, last])))
    replace(fork, scope)
    return scope


class _Sinking:
    def __init__(self, what: Continuation, labels: dict[str, int]):
        assert isinstance(what.fork, (IfOp, ScopeOp))
        self.what, self.fork, self.labels = what, what.fork, labels
        self.kept, self.given = what.kept, what.given
        self.made = Sunk()
        assert not what.ends or not (self.kept or self.given)

    def run(self, groups: Groups) -> None:
        if isinstance(self.fork, IfOp) and all(len(group) == 1 for group in groups):
            self.into_sides(self.fork, groups)
            return
        if isinstance(self.fork, IfOp):
            self.fork = self.what.fork = as_scope(self.fork, self.labels)
        self.into_scope(self.fork, groups)

    def into_sides(self, fork: IfOp, groups: Groups) -> None:
        for [end] in groups:
            self.copy_in_front(end, None)
        new = fork.rebuilt(self.types())
        if not self.what.ends:
            self.replace(new)
            return
        last = UnreachableOp()
        insert_before(fork, new, last)
        erase_from(fork)

    def into_scope(self, fork: ScopeOp, groups: Groups) -> None:
        out, block = fork.label.data, Block()
        shared: list[str] = []
        for group in groups:
            if len(group) == 1 and not _is_in_loop(group[0], fork):
                self.copy_in_front(group[0], out)
                continue
            shared.append(fresh_label(self.labels, out))
            for end in group:
                replace(end, LeaveOp(shared[-1], end.forwarded))
        block.add_ops(_detached(list(fork.body.block.ops)))
        for label in shared:
            inner = ScopeOp(label, fork.result_types, Region(block))
            for new, old in zip(inner.results, fork.results, strict=True):
                new.name_hint = old.name_hint
            block = Block()
            copies = self.copies(inner.results, out)
            append(block, inner, *copies, source=fork)
            self.made.shared.append(inner)
            self.made.copies.append(copies[0])
        if self.what.ends:
            insert_before(fork, *block.ops)
            erase_from(fork)
        else:
            self.replace(ScopeOp(out, self.types(), Region(block)))

    def types(self) -> list[Attribute]:
        """The types of what the new fork gives."""
        kept = [self.fork.result_types[i] for i in self.kept]
        return [*kept, *(value.type for value in self.given)]

    def copy_in_front(self, end: RegionTerminator, out: str | None) -> None:
        """Put a copy in the place of an edge."""
        copies = self.copies(end.forwarded, out)
        insert_before(end, *copies)
        erase(end)
        self.made.copies.append(copies[0])

    def copies(
        self, values: Sequence[SSAValue], out: str | None = None
    ) -> list[Operation]:
        """A copy for these results of the fork, with its end."""
        mapping: dict[SSAValue, SSAValue] = dict(
            zip(self.fork.results, values, strict=True)
        )
        new = [clone(op, mapping) for op in self.what.ops]
        for op in new:
            _relabel(op, self.labels)
        if not self.what.ends:
            given = [values[i] for i in self.kept]
            given += [mapping[value] for value in self.given]
            end = YieldOp(given) if out is None else LeaveOp(out, given)
            new.append(end)
        return new

    def replace(self, new: Fork) -> None:
        """Put the new fork in the place of the old one and its continuation."""
        self.made.fork = new
        new.attributes |= self.fork.attributes
        insert_before(self.fork, new)
        old = [*(self.fork.results[i] for i in self.kept), *self.given]
        for value, result in zip(old, new.results, strict=True):
            result.name_hint = value.name_hint
            value.replace_all_uses_with(result)
        for op in reversed([self.fork, *self.what.ops]):
            Rewriter.erase_op(op, safe_erase=False)


def _relabel(copy: Operation, labels: dict[str, int]) -> None:
    """Labels are unique: the scopes of a copy get new ones."""
    for scope in [op for op in walk(copy) if isinstance(op, ScopeOp)]:
        label = StringAttr(fresh_label(labels, scope.label.data))
        for terminator in scope.terminators:
            terminator.properties["label"] = label
        scope.properties["label"] = label


def _is_in_loop(end: RegionTerminator, fork: Fork) -> bool:
    """Whether a copy in this place would stand in a loop that the fork is around."""
    loop = nearest(end, LoopOp)
    return loop is not None and fork.is_ancestor(loop)


def _detached(ops: Sequence[Operation]) -> Sequence[Operation]:
    for op in ops:
        op.detach()
    return ops
