"""What asks a dict by a function: `max(d, key=d.get)`, `map(d.get, keys)`.

Before                      After
------                      -----
%d = dycl.dict(%x, %one)    %d = dycl.dict(%x, %one)
%g = dycl.getattr %d "get"  %g = dycl.call %getter(%d)
dycl.return %g              dycl.return %g

`max`, `min` and `sorted` with a key are written out in Python (`dycl.prelude.lists`),
so that what they ask of the dict is inlined.
"""

from collections.abc import Collection

from dycl.ir import CallOp, GetattrOp, InvokeOp
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import insert_constant, insert_value, replace
from dycl.ir.values import FunctionRef
from dycl.passes.dicts.tables import Table
from dycl.passes.dicts.uses import called

_BY_KEY = {
    "builtins.max": "greatest",
    "builtins.min": "smallest",
    "builtins.sorted": "ordered",
}
_READ = {"get": "getter", "__getitem__": "item_getter"}


def methods_read(table: Table) -> list[GetattrOp]:
    """`d.get` that is handed to a function."""
    reads = [use.operation for use in table.uses]
    return [r for r in reads if isinstance(r, GetattrOp) and r.attribute.data in _READ]


def replace_method(read: GetattrOp, calls: Collection[CallOp]) -> None:
    """The method as a function of ours; `calls` are those of `keyed_calls`."""
    # Of the dict's own keys none is missing.
    is_own = all(use.operation in calls for use in read.result.uses)
    name = "item_getter" if is_own else _READ[read.attribute.data]
    function = insert_constant(read, FunctionRef(f"dycl.prelude.tables.{name}"))
    replace(read, CallOp(function, [read.operand]))


def keyed_calls(table: Table) -> list[CallOp]:
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


def spell_out(op: CallOp) -> None:
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
