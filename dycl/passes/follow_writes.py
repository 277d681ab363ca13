"""`dycl-follow-writes`: updates in place become values.

Before                              After
------                              -----
%y = dycl.invoke %x "exp"()         %y = dycl.invoke %x "exp"()
dycl.store_subscript %y[%zero], %v  %y_1 = dycl.update_subscript %y[%zero], %v
%r = dycl.invoke %y "relu_"()       %r = dycl.invoke %y_1 "relu_"()
dycl.return %y                      dycl.return %r

A tensor of the IR is a value, so a write gives a new one; from there on all names of
the old one mean it. The folder `writes/` has a file for each kind of write, in the
order in which they are followed here: each makes a name for what a tensor is after a
write, so that the next one sees it.

One sweep follows one write through a view, or makes one set of views anew. So the
pipeline repeats this pass (`dycl-repeat`) until nothing is left to follow.

Needs:  types (`dycl-infer-shapes`), normal form, and the inputs that are written to as
        results (`dycl-return-inputs`).
Leaves: no store into a tensor by subscript, and no write of which an earlier name is
        used afterwards, as far as names can be followed.
Skips:  writes to parameters and to inputs that are not returned, and those that may or
        may not be to a tensor which is used afterwards: a remark says which, and
        `dycl-expand-modules` refuses them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of
from dycl.analysis.memory.aliases import (
    NOT_FOLLOWED,
    USED_AFTERWARDS,
    visible_writes,
)
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.analysis.tensors.structures import structures_of
from dycl.diag import remark
from dycl.ir import ScopeOp, WhileOp
from dycl.ir.functions import entry_function
from dycl.ir.walking import walk
from dycl.passes.writes.dynamic_stores import expand_dynamic_stores
from dycl.passes.writes.renaming import carry_written, follow_writes
from dycl.passes.writes.stores import give_stores_results, stores_of
from dycl.passes.writes.view_names import name_parts
from dycl.passes.writes.views import renew_views, sink_views, store_through_view


@dataclass(frozen=True)
class FollowWritesPass(ModulePass):
    """Updates in place become values."""

    name = "dycl-follow-writes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the entry function; what cannot be followed stays, with a remark."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        analyses = analyses_of(ctx)
        facts = partial(analyses.get, infer, op)
        inference = _name_what_is_written(facts, entry)
        if _is_written_in_place(inference) and store_through_view(entry, inference):
            return  # Now other writes go through views: for the next sweep.
        carriers = [o for o in walk(entry) if isinstance(o, (WhileOp, ScopeOp))]
        if carry_written(carriers, inference):
            inference = facts()
        if follow_writes(inference):
            inference = facts()
        structures = analyses.ask(structures_of, op)
        inference, writes = structures.inference, analyses.ask(visible_writes, op)
        seen = [o for o, why in writes.items() if why in _RENEWED]
        if any(renew_views(o, inference) for o in seen):
            return  # The new views are written to: for the next sweep.
        for written, why in writes.items():
            remark(written, "not followed", f"this changes a tensor that is {why}")
        stores = [o for o in walk(entry) if o not in writes]
        expand_dynamic_stores(stores, inference, structures)


_RENEWED = (NOT_FOLLOWED, USED_AFTERWARDS)


def _name_what_is_written(facts: Callable[[], Inference], entry: FuncOp) -> Inference:
    """Stores, parts of tensors and views in loops as later steps know them; the facts
    of then."""
    inference = facts()
    if stores := stores_of(entry):
        give_stores_results(stores, inference)
        inference = facts()
    if not _is_written_in_place(inference):
        return inference
    if name_parts(walk(entry), inference):
        inference = facts()
    if sink_views(_loops(entry), inference):
        inference = facts()
    return inference


def _is_written_in_place(inference: Inference) -> bool:
    return any(outcome.written for outcome in inference.outcomes.values())


def _loops(entry: FuncOp) -> list[WhileOp]:
    return [op for op in walk(entry) if isinstance(op, WhileOp)]
