"""`dycl-follow-writes`: updates in place become values.

Before                                  After
------                                  -----
%y = dycl.invoke %x "exp"()             %y = dycl.invoke %x "exp"()
dycl.store_subscript %y[%i], %v         %z = dycl.update_subscript %y[%i], %v
%r = dycl.invoke %y "relu_"()           %r = dycl.invoke %z "relu_"()
dycl.return %y                          dycl.return %r

A tensor of the IR is a value, so a write gives a new one; from there on all names of
the old one mean it. The folder `writes/` has a file for each kind of write, in the
order in which they are followed here: each makes a name for what a tensor is after a
write, so that the next one sees it.

Needs:  types (`dycl-infer-shapes`) and normal form.
Leaves: no store into a tensor by subscript, and no write of which an earlier name is
        used afterwards, as far as names can be followed.
Skips:  writes to inputs and parameters, and those that may or may not be to a tensor
        which is used afterwards: a remark says which, and `dycl-expand-modules` refuses
        them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of
from dycl.analysis.memory.aliases import USED_AFTERWARDS, visible_writes
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.analysis.tensors.structures import Structures
from dycl.diag import remark
from dycl.ir import WhileOp
from dycl.ir.functions import entry_function
from dycl.ir.walking import walk
from dycl.passes.writes.dynamic_stores import expand_dynamic_stores
from dycl.passes.writes.renaming import carry_written, follow_writes
from dycl.passes.writes.stores import give_stores_results, stores_of
from dycl.passes.writes.view_names import name_parts
from dycl.passes.writes.views import renew_views, sink_views, store_through_view

_MOST_WRITES = 64
"""So many writes that views see are followed; more are refused."""


@dataclass(frozen=True)
class FollowWritesPass(ModulePass):
    """Updates in place become values."""

    name = "dycl-follow-writes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the entry function; what cannot be followed stays, with a remark."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        facts = partial(analyses_of(ctx).get, infer, op)
        inference = _follow_through_views(facts, entry)
        inference = _follow_seen_by_views(facts, entry, inference)
        structures = Structures(inference)
        writes = visible_writes(entry, inference, structures)
        for one, why in writes.items():
            remark(one, "not followed", f"this changes a tensor that is {why}")
        stores = [o for o in walk(entry) if o not in writes]
        expand_dynamic_stores(stores, inference, structures)


def _follow_through_views(facts: Callable[[], Inference], entry: FuncOp) -> Inference:
    """Writes to a tensor or to a view of it; the facts of then."""
    inference = facts()
    if stores := stores_of(entry):
        give_stores_results(stores, inference)
        inference = facts()
    in_place = any(outcome.written for outcome in inference.outcomes.values())
    if in_place and name_parts(walk(entry), inference):
        inference = facts()
    if in_place and sink_views(_loops(entry), inference):
        inference = facts()
    for _ in range(_MOST_WRITES if in_place else 0):
        if not store_through_view(entry, inference):
            break
        inference = facts()
    if carry_written(_loops(entry), inference):
        inference = facts()
    if follow_writes(inference):
        inference = facts()
    return inference


def _follow_seen_by_views(
    facts: Callable[[], Inference], entry: FuncOp, inference: Inference
) -> Inference:
    """Views of what was written to are made anew; the facts of then."""
    for _ in range(_MOST_WRITES):
        writes = visible_writes(entry, inference, Structures(inference))
        seen = [o for o, why in writes.items() if why == USED_AFTERWARDS]
        if not any(renew_views(o, inference) for o in seen):
            break
        inference = facts()
        if follow_writes(inference):
            inference = facts()
    return inference


def _loops(entry: FuncOp) -> list[WhileOp]:
    return [op for op in walk(entry) if isinstance(op, WhileOp)]
