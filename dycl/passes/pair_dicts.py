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
from xdsl.ir import SSAValue, Use
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import CallOp, GetattrOp, InvokeOp
from dycl.ir.constant_values import constant_name
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import forwarded_from
from dycl.ir.rewriting import erase, insert_constant, insert_value, replace
from dycl.ir.values import FunctionRef
from dycl.passes.dicts import members
from dycl.passes.dicts.tables import SET, Table, tables_of
from dycl.passes.dicts.uses import (
    Pairs,
    Rewrite,
    called,
    make_lists,
    place_behind,
    read_lists,
)

_BY_KEY = {
    "builtins.max": "greatest",
    "builtins.min": "smallest",
    "builtins.sorted": "ordered",
}
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
        methods = [read for table in found for read in _methods_read(table)]
        calls = [call for table in found for call in _keyed_calls(table)]
        for read in methods:
            # Of the dict's own keys none is missing.
            users = [use.operation for use in read.result.uses]
            is_own = all(user in calls for user in users)
            name = "item_getter" if is_own else _READ[read.attribute.data]
            function = insert_constant(read, FunctionRef(f"dycl.prelude.tables.{name}"))
            replace(read, CallOp(function, [read.operand]))
        for call in calls:
            _spell_out(call)
        if methods or calls:
            return  # these functions may ask the dicts, once they are inlined
        left: set[SSAValue] = set()
        while table := next((t for t in found if left.isdisjoint(t.names)), None):
            if not (_list_members if table.kind == SET else _pair)(table):
                left.update(table.names)
            found = tables_of(entry)  # a copy of a dict is made in another way now


_READ = {"get": "getter", "__getitem__": "item_getter"}


def _methods_read(table: Table) -> list[GetattrOp]:
    """`d.get` that is handed to a function."""
    reads = [use.operation for use in table.uses]
    return [r for r in reads if isinstance(r, GetattrOp) and r.attribute.data in _READ]


def _keyed_calls(table: Table) -> list[CallOp]:
    """`max(d, key=f)` and its like, also of what `d.items()` gives."""
    asked = dict(table.names)
    for use in table.uses:
        op = use.operation
        is_view = isinstance(op, InvokeOp) and op.method.data in _VIEWS
        if is_view and use.index == 0:
            asked[op.results[0]] = None
    users = (use.operation for value in asked for use in value.uses)
    calls = [op for op in users if isinstance(op, CallOp) and _is_keyed(op)]
    return [c for c in dict.fromkeys(calls) if c.positional[0] in asked]


_VIEWS = ("items", "keys", "values")


def _is_keyed(op: CallOp) -> bool:
    names = set(op.keyword_names)
    known = {"key", "reverse"} if _function(op) == "ordered" else {"default", "key"}
    return len(op.positional) == 1 and "key" in names and names <= known


def _function(op: CallOp) -> str | None:
    return _BY_KEY.get(constant_name(op.callee))


def _spell_out(op: CallOp) -> None:
    """The call as one of `dycl.prelude.lists`, so that its function is inlined."""
    name, given = _function(op), op.keyword_arguments
    if name is None:
        return
    items = called(op, "builtins.list", op.positional[0])
    if name == "ordered":
        rest = [given.get("reverse") or insert_constant(op, False)]
    else:
        default = given.get("default")
        rest = [
            insert_constant(op, None) if default is None else default,
            insert_constant(op, default is not None),
        ]
    function = insert_constant(op, FunctionRef(f"dycl.prelude.lists.{name}"))
    replace(op, [insert_value(op, CallOp(function, [items, given["key"], *rest]))])


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
