"""`OrderedDict(...)` and `defaultdict(...)`: dicts, and of another class when returned.

Before                             After
------                             -----
%d = dycl.call %OrderedDict()      %d = dycl.dict()
dycl.store_subscript %d[%one], %v  dycl.store_subscript %d[%one], %v
dycl.return %d                     %0 = dycl.tuple(%d)
                                   %1 = dycl.record %0 as #Ordered
                                   dycl.return %1

Their entries are read, written and gone over as a dict's are; an entry of a
`defaultdict` is read by `setdefault`. Where one is returned, also inside of tuples,
lists and dicts, the record says what its class is called with. One that is forwarded or
handed to a function stays, and is refused.
"""

from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    InvokeOp,
    ListOp,
    RecordOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.records import CALL, RecordType
from dycl.ir.rewriting import insert_constant, insert_value, replace
from dycl.passes.aggregates.uses import is_returned
from dycl.passes.builtins.items import Site
from dycl.passes.builtins.values import table

_METHODS = frozenset(
    {
        *("__delitem__", "clear", "get", "items", "keys", "pop", "setdefault"),
        *("update", "values"),
    }
)
_FUNCTIONS = frozenset(
    f"builtins.{n}" for n in ("bool", "dict", "iter", "len", "list", "sorted", "tuple")
)
_ORDERED = RecordType("collections.OrderedDict", CALL, ("items",))
_DEFAULT = RecordType("collections.defaultdict", CALL, ("default_factory", "items"))
_NUMBERS = {"builtins.int": 0, "builtins.float": 0.0, "builtins.bool": False}
_CONTAINERS = {"builtins.list": ListOp, "builtins.dict": DictOp}


def ordered(site: Site, op: CallOp) -> bool:
    """A dict in its place, and records where it is returned."""
    found = _returned(op)
    if found is None or not table(site, op):
        return False
    for end, index in found:
        items = insert_value(end, TupleOp([end.operands[index]]))
        end.operands[index] = insert_value(end, RecordOp(items, _ORDERED))
    return True


def with_default(site: Site, op: CallOp) -> bool:
    """A dict in the place of a `defaultdict`, whose reads set what is missing."""
    found = _returned(op)
    if found is None or len(op.arguments) != 1 or op.keyword_names:
        return False
    factory = op.arguments[0]
    name = constant_name(factory)
    if constant_value(factory) is MISSING or (found and not name):
        return False
    made = site.add(DictOp([]))
    site.done(made)
    for end, index in found:
        items = insert_value(end, TupleOp([factory, made]))
        end.operands[index] = insert_value(end, RecordOp(items, _DEFAULT))
    if constant_value(factory) is None:
        return True
    for use in list(made.uses):
        read = use.operation
        if isinstance(read, SubscriptOp) and use.index == 0:
            start = _start(read, factory, name)
            replace(read, InvokeOp(made, "setdefault", [read.index, start]))
    return True


def _start(at: Operation, factory: SSAValue, name: str) -> SSAValue:
    """What a factory gives, in front of an op."""
    if name in _NUMBERS:
        return insert_constant(at, _NUMBERS[name])
    if name in _CONTAINERS:
        return insert_value(at, _CONTAINERS[name]([]))
    return insert_value(at, CallOp(factory, []))


def _returned(op: CallOp) -> list[tuple[Operation, int]] | None:
    """Where a dict is returned; None: somebody may see that it is another class."""
    found: list[tuple[Operation, int]] = []
    for use in op.result.uses:
        if is_returned(use):
            found.append((use.operation, use.index))
        elif not _is_of_dicts(use):
            return None
    return found


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
