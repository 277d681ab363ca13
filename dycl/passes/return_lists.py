"""`dycl-return-lists`: a list or dict of the caller's that a run changes is returned.

Before                                   After
------                                   -----
%xs = dycl.list(%x) {dycl.given = "xs"}  %xs = dycl.list(%x)
%n = dycl.invoke %xs "append"(%y)        %n = dycl.invoke %xs "append"(%y)
dycl.return %y                           %0 = dycl.tuple(%y, %xs)
                                         dycl.return %0

In eager the caller's list changes. Here it is returned as any list is: so what it holds
at the end is found by the passes that find what any list holds, also where the data
decides it. The function's attribute `dycl.refilled` names the lists, and each is in a
tuple around what was returned before. `dycl-return-inputs` takes the tuples apart once
it is known what is in them, and the runtime fills the caller's lists anew.

Needs:  nothing; a change in a function that is not inlined yet waits for that round.
Leaves: no op of the entry function changes a list or dict that is marked as given.
Skips:  what is reached under another name that data chooses: `dycl-carry-lists` refuses
        that. Changes in local functions are refused, and those of a network with rows,
        which all have the same list.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from dycl.ir import (
    DictOp,
    InplaceOp,
    InvokeOp,
    StoreSubscriptOp,
    TupleOp,
)
from dycl.ir.changes import GIVEN
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.functions import entry_function, function_named_by, returns_in
from dycl.ir.refilled import REFILLED, given, refilled_by
from dycl.ir.rewriting import insert_constant, insert_value, refuse
from dycl.ir.row_marks import rows_of
from dycl.ir.state import STATE
from dycl.ir.walking import walk
from dycl.passes.state.promotion import TEMPLATE

_CHANGING = frozenset(
    {
        *("append", "clear", "extend", "insert", "pop", "popitem", "remove"),
        *("reverse", "setdefault", "sort", "update", "__delitem__"),
    }
)
"""The methods of lists and dicts that change them."""


@dataclass(frozen=True)
class ReturnListsPass(ModulePass):
    """A list or dict of the caller's that a run changes is returned."""

    name = "dycl-return-lists"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        functions = [entry]
        if (template := function_named_by(op, entry, TEMPLATE)) is not None:
            functions.append(template)
        for name in _changed(functions):
            for function in functions:
                _return(name, function)
            names = [*refilled_by(entry), name]
            entry.attributes[REFILLED] = ArrayAttr(map(StringAttr, names))


def refuse_change(op: Operation, given: Operation, *, is_shared: bool = False) -> None:
    """A list or dict of the caller's stays as it is: nothing gives it back, or it
    `is_shared` by all rows."""
    kind = "dict" if isinstance(given, DictOp) else "list"
    what = f"this changes a {kind} that is an input of the network"
    what += ", which all rows share" * is_shared
    refuse(op, "DY206", what, f"change a copy of it: `xs = {kind}(xs)`")


def _changed(functions: Sequence[FuncOp]) -> list[str]:
    """The names of the lists that ops change; changes that cannot be are refused."""
    names: dict[str, None] = {}
    is_shared = bool(rows_of(functions[0]))
    for function in functions:
        for made in list(walk(function)):
            name = made.attributes.get(GIVEN)
            if not isinstance(name, StringAttr):
                continue
            uses = [use for result in made.results for use in result.uses]
            for use in uses:
                if use.index != 0 or not _is_change(use.operation):
                    continue
                if function_around(use.operation) is not None or is_shared:
                    refuse_change(use.operation, made, is_shared=is_shared)
                else:
                    names[name.data] = None
    return list(names)


def _is_change(op: Operation) -> bool:
    """Whether an op changes its first operand, if that is a list or dict."""
    if isinstance(op, InvokeOp):
        return op.method.data in _CHANGING
    return isinstance(op, (StoreSubscriptOp, InplaceOp))


def _return(name: str, function: FuncOp) -> None:
    """Have each return of a function give a list, too."""
    same = [o for o in walk(function) if o.attributes.get(GIVEN) == StringAttr(name)]
    for end in returns_in(function.body):
        if function_around(end) is not None:
            continue
        # A body that is compiled for several kinds of state has a list in each.
        inside = [o for o in same if o.parent is not None and _is_in(end, o.parent)]
        value = inside[0].results[0] if inside else insert_constant(end, given(name))
        output, *state = end.values
        if STATE in function.attributes:
            both = output.owner
            assert isinstance(both, TupleOp)
            output, *state = both.operands
        pair = insert_value(end, TupleOp([output, value]))
        end.operands = [insert_value(end, TupleOp([pair, *state])) if state else pair]
    for op in same:
        del op.attributes[GIVEN]


def _is_in(op: Operation, block: Block) -> bool:
    around = op.parent
    while around is not None and around is not block:
        around = around.parent_block()
    return around is block
