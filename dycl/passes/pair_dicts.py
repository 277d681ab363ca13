"""`dycl-pair-dicts`: a dict whose keys a run decides is a list of keys, and of values.

Before                         After
------                         -----
%s = dycl.call %set()          %0 = dycl.sequence()
%1 = dycl.invoke %s "add"(%x)  %l = dycl.call %list(%0)
%n = dycl.call %len(%s)        %1 = dycl.call %add_to(%l, %x)
dycl.return %n                 %n = dycl.call %len(%l)
                               dycl.return %n

A dict is two lists, so that `d[k] = v` is `put(keys, values, k, v)`.
`dycl.prelude.tables` says in Python what is done with the lists: the keys are in the
order in which they came, as a dict's are. A set is a list of its members. Where control
flow hands a dict on, it hands on a tuple of the two lists.

Needs:  the rounds of `normalise` are over: a dict whose keys are known in the end is
        better taken apart (`dycl-scalarize-aggregates`).
Leaves: no dict or set with a key of a run, but those that are skipped.
Skips:  a dict that goes where it cannot be followed, or is used in another way, and a
        loop over a set, whose order is Python's own: a remark says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue, Use
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import forwarded_from
from dycl.ir.rewriting import erase, replace
from dycl.passes.dicts import members
from dycl.passes.dicts.keyed import (
    keyed_calls,
    methods_read,
    replace_method,
    spell_out,
)
from dycl.passes.dicts.tables import SET, Table, tables_of
from dycl.passes.dicts.uses import (
    Pairs,
    Rewrite,
    make_lists,
    place_behind,
    read_lists,
    take_lists,
)

_ANOTHER = "a dict was not made two lists"


@dataclass(frozen=True)
class PairDictsPass(ModulePass):
    """A dict whose keys a run decides is a list of keys, and of values."""

    name = "dycl-pair-dicts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        found = tables_of(entry)
        methods = [read for table in found for read in methods_read(table)]
        calls = [call for table in found for call in keyed_calls(table)]
        for read in methods:
            replace_method(read, calls)
        for call in calls:
            spell_out(call)
        if methods or calls:
            return  # these functions may ask the dicts, once they are inlined
        left: set[SSAValue] = set()
        while table := next((t for t in found if left.isdisjoint(t.names)), None):
            if not (_list_members if table.kind == SET else _pair)(table):
                left.update(table.names)
            found = tables_of(entry)  # a copy of a dict is made in another way now


def _pair(table: Table) -> bool:
    """Make lists of a dict; whether it could be done."""
    pairs = Pairs(table, {})
    named = ((use, name) for name in table.names for use in name.uses)
    rewrites = _all_or_none((use, pairs.how(use, name)) for use, name in named)
    if rewrites is None:
        return False
    for name in table.names:
        if forwarded_from(name):
            pairs.lists[name] = read_lists(name, place_behind(name))
        elif isinstance(name.owner, Block):
            pairs.lists[name] = take_lists(name)
    for maker in table.makers:
        made = make_lists(maker)
        pairs.lists[maker.results[0]] = made
        hint = maker.results[0].name_hint
        made[0].name_hint = made[1].name_hint = hint
    for rewrite in rewrites:
        rewrite()
    for maker in table.makers:
        if not any(result.uses for result in maker.results):
            erase(maker)
    return True


def _list_members(table: Table) -> bool:
    """Make a list of a set; whether it could be done."""
    rewrites = _all_or_none((use, members.how(use, table)) for use in table.uses)
    if rewrites is None:
        return False
    for rewrite in rewrites:
        rewrite()
    for maker in table.makers:
        replace(maker, [members.make_members(maker)])
    return True


def _all_or_none(found: Iterable[tuple[Use, Rewrite | None]]) -> list[Rewrite] | None:
    """What writes each use anew; None, with a remark: one has nothing that does."""
    rewrites: list[Rewrite] = []
    for use, rewrite in found:
        if rewrite is None:
            remark(use.operation, _ANOTHER, "it has a use of another kind")
            return None
        rewrites.append(rewrite)
    return rewrites
