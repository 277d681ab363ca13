"""`OrderedDict(...)` that is never seen to be more than a dict.

Before                             After
------                             -----
%d = dycl.call %OrderedDict()      %d = dycl.dict()
dycl.store_subscript %d[%one], %v  dycl.store_subscript %d[%one], %v
%y = dycl.subscript %d[%one]       %y = dycl.subscript %d[%one]
dycl.return %y                     dycl.return %y

Its entries are read, written and gone over as a dict's are. One that is returned or
forwarded would have another class: it stays, and is refused.
"""

from xdsl.ir import Use

from dycl.ir import (
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    InvokeOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
)
from dycl.ir.constant_values import constant_name
from dycl.passes.builtins.items import Site
from dycl.passes.builtins.values import table

_METHODS = ("clear", "get", "items", "keys", "pop", "setdefault", "update", "values")
_FUNCTIONS = frozenset(
    f"builtins.{n}" for n in ("bool", "dict", "iter", "len", "list", "sorted", "tuple")
)


def ordered(site: Site, op: CallOp) -> bool:
    """A dict in its place, where nobody sees the difference."""
    return all(map(_is_of_dicts, op.result.uses)) and table(site, op)


def _is_of_dicts(use: Use) -> bool:
    op = use.operation
    match op:
        case SubscriptOp() | StoreSubscriptOp() | ForOp() | ToBoolOp():
            return use.index == 0
        case InvokeOp() if use.index == 0:
            return op.method.data in _METHODS
        case InvokeOp():
            return op.method.data == "update" and isinstance(op.receiver.owner, DictOp)
        case CompareOp():
            return use.index == 1 and op.kind_name in ("in", "not_in")
        case CallOp():
            return use.index > 0 and constant_name(op.callee) in _FUNCTIONS
        case _:
            return False
