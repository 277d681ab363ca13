"""Updates in place become values: what `dycl-expand-modules` does first.

Each rewrite makes a name for what a tensor is after a write, so that the next one sees
it; the order is that of their needs. What is left over is for the pass to refuse.
"""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl.analysis.memory.aliases import USED_AFTERWARDS, visible_writes
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.analysis.tensors.structures import Structures
from dycl.ir import WhileOp
from dycl.ir.walking import walk
from dycl.passes.writes.open_stores import expand_open_stores
from dycl.passes.writes.renaming import carry_written, follow_writes
from dycl.passes.writes.stores import give_stores_results, stores_of
from dycl.passes.writes.view_names import name_parts
from dycl.passes.writes.views import renew_views, sink_views, store_through_view

_MOST_WRITES = 64
"""So many writes that views see are followed; more are refused."""

Writes = dict[Operation, str]
"""Ops that write where it can be seen -> why that cannot be compiled."""


def follow_all_writes(
    module: ModuleOp, entry: FuncOp
) -> tuple[Inference, Structures, Writes]:
    """Rewrite what is written in place; the facts of then, and what is left."""
    inference = infer(module)
    if stores := stores_of(entry):
        give_stores_results(stores, inference)
        inference = infer(module)
    in_place = any(outcome.written for outcome in inference.outcomes.values())
    if in_place and name_parts(walk(entry), inference):
        inference = infer(module)
    loops = [o for o in walk(entry) if isinstance(o, WhileOp)]
    if in_place and sink_views(loops, inference):
        inference = infer(module)
    for _ in range(_MOST_WRITES if in_place else 0):
        if not store_through_view(entry, inference):
            break
        inference = infer(module)
    loops = [o for o in walk(entry) if isinstance(o, WhileOp)]
    if carry_written(loops, inference):
        inference = infer(module)
    if follow_writes(inference):
        inference = infer(module)
    structures = Structures(inference)
    writes = visible_writes(entry, inference, structures)
    for _ in range(_MOST_WRITES):
        seen = [o for o, why in writes.items() if why == USED_AFTERWARDS]
        if not any(renew_views(o, inference) for o in seen):
            break
        inference = infer(module)
        if follow_writes(inference):
            inference = infer(module)
        structures = Structures(inference)
        writes = visible_writes(entry, inference, structures)
    stores = [o for o in walk(entry) if o not in writes]
    if expand_open_stores(stores, inference, structures):
        inference = infer(module)
        structures = Structures(inference)
    return inference, structures, writes
