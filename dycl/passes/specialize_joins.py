"""`dycl-specialize-joins`: paths that meet with values of no one type stay apart.

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

What follows is copied, once for each type, up to the last op that depends on such a
value; a return in it moves in too. Paths that give the same types share one copy.
One run goes no further than the next branch or loop that depends on the value: what the
copies of that one give may be of one type again, after the other passes had their turn.
A value that is None on some paths is followed to its end: `joins/settling.py`.

A list that a branch still changes is such a value too, and so is a number chosen among
constants if an op must know which (`dycl.analysis.tensors.demands`): the bound of a
slice.

Needs:  types (`dycl-infer-shapes`); it is the last resort of the normalise phase.
Leaves: no value without a type that is used before the next dependent branch.
Skips:  values that a loop hands to its next iteration; values that are not known yet on
        some path; a list of more than `max-list-paths` contents that `dycl-carry-lists`
        can make one list of a run, and a dict that `dycl-pair-dicts` can make two. A
        value whose copies would be more than `max-copied-ops` ops, over the whole
        function, becomes a `dycl.unsupported` (DY302). Everything, once that or a
        recursion (DY203) has been refused: each run doubles what is left, and the
        program is refused all the same.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of
from dycl.analysis.tensors.abstract import (
    Unbound,
    Unjoined,
    dynamic_sizes,
    is_open,
    is_unjoined,
    leaves,
    signature,
)
from dycl.analysis.tensors.demands import Demands, demands_of
from dycl.analysis.tensors.joining import join
from dycl.analysis.tensors.revised import Revised
from dycl.analysis.tensors.shapes import infer
from dycl.diag import remark
from dycl.ir import (
    ConstantOp,
    DictOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    ScopeOp,
    SelectOp,
    StoreSubscriptOp,
    UnsupportedOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.labels import labels_of
from dycl.ir.rewriting import insert_after, ops_from
from dycl.ir.torch import BoolT, FloatT, IntT, StrT
from dycl.ir.walking import walk
from dycl.passes.dicts.paths import asking, tables_of_many_paths
from dycl.passes.joins.continuations import (
    Continuation,
    Fork,
    Sunk,
    as_scope,
    sink,
)
from dycl.passes.joins.joined import Joined
from dycl.passes.joins.lists import changed_lists, goes_on_to
from dycl.passes.joins.settling import first_behind, is_optional, settle
from dycl.passes.lists.paths import lists_of_many_paths

COPIED = "dycl.copied"
"""The function's attribute that counts the ops that were copied."""

Values = set[SSAValue]


@dataclass(frozen=True)
class SpecializeJoinsPass(ModulePass):
    """Paths that meet with values of no one type stay apart."""

    name = "dycl-specialize-joins"

    max_copied_ops: int = 5_000
    """Copy no more ops than this, over all runs; what needs more is refused."""

    max_list_paths: int = 4
    """Leave a list of more contents than this, by path, if it can grow in a run, and
    likewise a dict or set."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None or not any(map(_may_be_unjoined, walk(entry))):
            return
        if any(map(_is_final, walk(entry))):
            return
        changed, inference = changed_lists(entry), analyses_of(ctx).get(infer, op)
        most = self.max_list_paths
        left = lists_of_many_paths(entry, changed, inference.of, most)
        tables = tables_of_many_paths(entry, changed, inference, most)
        left.update(*(table.names for table in tables))
        changed = {fork: lists - left for fork, lists in changed.items()}
        changed = {fork: lists for fork, lists in changed.items() if lists}
        asked = {o for table in tables for o in asking(table)}
        demands = demands_of((o for o in walk(entry) if o not in asked), inference)
        revised = Revised.of_inferred(inference)
        work = _Specializer(op, entry, revised, demands, changed, self.max_copied_ops)
        work.ops(entry.body.block.first_op, True)


def _may_be_unjoined(op: Operation) -> bool:
    """A quick look: what has one type has it written in the IR by now."""
    if isinstance(op, (InvokeOp, InplaceOp, StoreSubscriptOp)):
        return isinstance(op.operands[0].owner, (ListOp, DictOp))
    joins = isinstance(op, (IfOp, ScopeOp, SelectOp))
    return joins and any(result_type in _MAY_DIFFER for result_type in op.result_types)


def _is_final(op: Operation) -> bool:
    """Whether an op refuses what no copies will make possible."""
    return isinstance(op, UnsupportedOp) and op.code.data in _FINAL


class _Specializer:
    def __init__(
        self,
        module: ModuleOp,
        entry: FuncOp,
        inference: Revised,
        demands: Demands,
        changed: dict[Operation, Values],
        limit: int,
    ):
        self.entry = entry
        self.inference = inference
        self.labels = labels_of(module)
        self.limit = limit
        self.demands = demands
        self.changed = changed
        self.going_on: set[Operation] = set()
        """New forks of which all is known that the next round would find out."""

    def ops(self, first: Operation | None, is_path: bool) -> None:
        """An op and those behind it. `is_path`: no loop or function is around them.

        Inner joins first: one that ends a branch makes a scope of the `if`.
        """
        block = first.parent if first is not None else None
        if first is None or block is None:
            return
        for op in list(ops_from(first)):
            if op.parent is not block:
                continue  # it stands in a copy now, or was copied
            before = op.prev_op
            goes_on = is_path and isinstance(op, (IfOp, ScopeOp))
            for inner in [b for region in op.regions for b in region.blocks]:
                self.ops(inner.first_op, goes_on)
            if op.parent is block and isinstance(op, (IfOp, ScopeOp, SelectOp)):
                self.visit(op, is_path)
            now = first_behind(before, block)
            while isinstance(now, (IfOp, ScopeOp)) and now in self.going_on:
                self.going_on.discard(now)
                self.visit(now, is_path)
                now = first_behind(before, block)

    def visit(self, op: Fork | SelectOp, is_path: bool) -> None:
        """Give what depends on a join to the paths that meet there."""
        joined = Joined.at(op, self.is_mixed)
        mixed = [i for i, v in enumerate(joined.results) if self.is_mixed(v)]
        lists = self.changed.get(op, set())
        rows = [[self.inference.of(v) for v in row] for row in joined.rows]
        if any(_is_untyped(row[i]) for row in rows for i in mixed):
            return
        groups = self.groups(joined, rows, mixed)
        what = Continuation(op, self.dependent(joined, mixed, lists))
        if len(groups) < 2 or not what.ops:
            return
        last = what.ops[-1]
        if _forwards_to_loop(last):
            remark(op, "not specialised", "a loop carries the value")
            return
        if not self.may_copy(what.size * (len(groups) - 1)):
            self.refuse(joined, mixed)
            return
        fork = op if isinstance(op, (IfOp, ScopeOp)) else joined.as_if()
        what.fork = fork
        around = last.target if isinstance(last, RegionTerminator) else None
        if isinstance(around, IfOp):
            block = fork.parent
            around = as_scope(around, self.labels)
            assert block is not None
            assert block.last_op is not None
            what.ops[-1] = block.last_op
        edges = fork.exits
        sunk = sink(what, [[edges[i] for i in group] for group in groups], self.labels)
        if is_path and is_optional([row[i] for row in rows for i in mixed]):
            self.go_on(sunk, around)

    def go_on(self, sunk: Sunk, around: Operation | None) -> None:
        """Follow what the copies give, if no other pass has anything to do there."""
        for scope in sunk.shared:
            self.inference.revise(scope)
        places = [(op.prev_op, op.parent) for op in sunk.copies]
        if not all([settle(op, self.inference) for op in sunk.copies]):
            return
        for fork in (sunk.fork, around):
            if isinstance(fork, (IfOp, ScopeOp)):
                self.inference.revise(fork)
                self.going_on.add(fork)
        for before, block in places:
            assert block is not None
            self.ops(first_behind(before, block), True)

    def groups(
        self, joined: Joined, rows: list[list[object]], mixed: list[int]
    ) -> list[list[int]]:
        """The paths (by number) that may share a copy."""
        if joined.op in self.changed:
            return [[number] for number in range(len(rows))]
        asked = [i for i in mixed if joined.results[i] in self.demands.choices]
        return _groups(rows, mixed, asked)

    def dependent(
        self, joined: Joined, mixed: list[int], lists: Values
    ) -> list[Operation]:
        """What follows, up to the last op that depends on the mixed values.

        Not beyond a branch or loop that does.
        """
        tainted: Values = {joined.results[i] for i in mixed} | lists
        reached: list[Operation] = []
        count = 0
        after = joined.last.next_op
        while after is not None:
            if count and _chooses_constants(after) and _uses(after, tainted):
                break  # a branch that computes nothing
            reached.append(after)
            if _uses(after, tainted) or goes_on_to(after, lists):
                count = len(reached)
                tainted |= self.spoiled(after, tainted)
                if after.regions:
                    break
            after = after.next_op
        return reached[:count]

    def spoiled(self, op: Operation, tainted: Values) -> Values:
        """What an op that depends on mixed values makes of no one type."""
        result: Values = {
            r
            for r in op.results
            if r in self.demands.carriers
            or _is_untyped(self.inference.of(r))
            or dynamic_sizes(self.inference.of(r))
        }
        if isinstance(op, (InvokeOp, InplaceOp, StoreSubscriptOp)):
            receiver = op.operands[0]
            if isinstance(receiver.owner, (ListOp, DictOp)):
                result.add(receiver)
        return result

    def may_copy(self, count: int) -> bool:
        """Count copied ops; False, and nothing is counted, if they are too many."""
        so_far = self.entry.attributes.get(COPIED)
        total = count + (so_far.value.data if isinstance(so_far, IntegerAttr) else 0)
        if total > self.limit:
            return False
        self.entry.attributes[COPIED] = IntegerAttr(total, i64)
        return True

    def refuse(self, joined: Joined, mixed: list[int]) -> None:
        """Say that a value without one type is too much."""
        for i in mixed:
            result = joined.results[i]
            result_leaves = leaves(self.inference.of(result))
            reasons = [x.reason for x in result_leaves if isinstance(x, Unjoined)]
            why = reasons[0] if reasons else "what follows needs to know which it is"
            name = f"`{result.name_hint}`" if result.name_hint else "the value"
            what = f"{name} {_MIXED}"
            refusal = UnsupportedOp("DY302", f"{why}, and {what}", _HELP)
            insert_after(joined.last, refusal)
            refusal.result.name_hint = result.name_hint
            result.replace_all_uses_with(refusal.result)

    def is_mixed(self, value: SSAValue) -> bool:
        """Whether what a join gives has no one type, and is used."""
        return bool(value.uses) and (
            value in self.demands.choices
            or is_unjoined(self.inference.values.get(value))
        )


_FINAL = ("DY203", "DY302")
_MAY_DIFFER = (VALUE, StrT, IntT, FloatT, BoolT)
_MIXED = "lives too long for each path to have its own copy of what follows"
_HELP = "give both sides the same type: each `if` like this doubles what follows it"


def _groups(
    rows: list[list[object]], mixed: list[int], asked: list[int]
) -> list[list[int]]:
    """The paths (by number) that give values of one type, in order.

    Of the results in `asked` they have to give the very same.
    """
    groups: list[tuple[list[object], list[int]]] = []
    for number, row in enumerate(rows):
        given = [row[i] for i in mixed]
        for group_key, members in groups:
            together = list(map(_join, group_key, given))
            equal = all(
                signature(row[i]) == signature(rows[members[0]][i]) for i in asked
            )
            if equal and not any(map(is_unjoined, together)):
                group_key[:] = together
                members.append(number)
                break
        else:
            groups.append((given, [number]))
    return [members for _, members in groups]


def _join(first: object, second: object) -> object:
    """Their join, where a name without a value is of a type of its own."""
    if isinstance(first, Unbound) != isinstance(second, Unbound):
        return Unjoined()
    return join(first, second)


def _is_untyped(value: object) -> bool:
    return is_open(value) or is_unjoined(value)


def _chooses_constants(op: Operation) -> bool:
    return isinstance(op, SelectOp) and all(
        isinstance(value.owner, ConstantOp) for value in (op.if_true, op.if_false)
    )


def _uses(op: Operation, values: Values) -> bool:
    return any(v in values for inner in walk(op) for v in inner.operands)


def _forwards_to_loop(op: Operation) -> bool:
    """Whether an op gives values to a loop around it, which wants one type."""
    if not isinstance(op, RegionTerminator) or op.parent is None:
        return False
    around = op.target
    ends = isinstance(around, RegionBranchOp) and around.end_of(op.parent) is op
    return ends and not isinstance(around, (IfOp, ScopeOp))
