"""`dycl-scalarize-aggregates`: replace tuples, lists and dicts by their items.

Before                            After
------                            -----
%t = dycl.tuple(%a, %b)           %y = dycl.call %f(%b)
%u = dycl.subscript %t[%one]      dycl.return %none, %y
%y = dycl.call %f(%u)
%l = dycl.list()
%n = dycl.invoke %l "append"(%y)
%z = dycl.subscript %l[%zero]
dycl.return %n, %z

A list or dict is followed by reference, as in Python: all names of it see every change.
Where a whole list is used (returned, given to torch.stack) a snapshot of its items at
that point is used.

A list that a branch or scope forwards, and that has no other name from there on, goes
as a tuple, which is joined item by item.

Needs:  indices that are constants.
Leaves: no subscript, unpack or length of an aggregate whose items are known here; no
        change of one that is followed.
Skips:  an aggregate that a branch or loop changes in a way that depends on data, or
        that is reached through two names at a join: `dycl-check-typed` says so.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dycl.analysis.manager import environment_of
from dycl.diag import remark
from dycl.ir import DictOp, ListOp
from dycl.ir.functions import entry_function
from dycl.ir.walking import walk
from dycl.passes.aggregates.walk import Scalarizer


@dataclass(frozen=True)
class ScalarizeAggregatesPass(ModulePass):
    """Replace tuples, lists and dicts by their items."""

    name = "dycl-scalarize-aggregates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        lists = [o for o in walk(entry) if isinstance(o, (ListOp, DictOp))]
        scalarizer = Scalarizer(environment_of(ctx, op))
        scalarizer.block(entry.body.block, {})
        scalarizer.finish()
        for definition in lists:
            if definition.result in scalarizer.lost:
                remark(definition, "not scalarised", "its items depend on data here")
