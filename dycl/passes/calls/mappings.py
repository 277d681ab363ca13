"""Records that are dicts of their fields that are not None: outputs of libraries.

Before                           After
------                           -----
%t = dycl.tuple(%none, %one)     %d = dycl.dict(%logits, %one)
%r = dycl.record %t as #Mapping  %l = dycl.subscript %d[%logits]
%l = dycl.subscript %r[%logits]  %u = dycl.tuple(%one)
%f = dycl.subscript %r[%zero]    %f = dycl.subscript %u[%zero]
dycl.return %l, %f               dycl.return %l, %f

Which fields are None must be known. A field that is set makes a new record for what
follows, where nothing but what reads fields has seen the old one; until then nothing
that may follow is read of the old one.
"""

from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    GetattrOp,
    InvokeOp,
    RecordOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
    WhileOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dialect.calls import CallLike
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import erase, insert_constant, insert_value, replace
from dycl.ir.torch import NoneType, OptionalType
from dycl.ir.walking import outwards

Entries = list[tuple[str, SSAValue]]
_VIEWS = ("get", "items", "keys", "values")
_OF_ITEMS = frozenset(
    f"builtins.{name}" for name in ("dict", "enumerate", "iter", "len", "list", "tuple")
)


def read_mapping(record: RecordOp, use: Use) -> bool:
    """Replace what a use asks of the entries; False: it asks for something else."""
    op = use.operation
    entries = entries_of(record)
    if entries is None:
        return False
    match op:
        case ToBoolOp():
            replace(op, [insert_constant(op, bool(entries))])
        case SubscriptOp() if use.index == 0:
            key = constant_value(op.index)
            if key is MISSING:
                return False
            by_name = isinstance(key, str)
            op.operands[0] = _dict(op, entries) if by_name else _tuple(op, entries)
        case InvokeOp() if use.index == 0 and op.method.data in _VIEWS:
            op.operands[0] = _dict(op, entries)
        case CompareOp() if op.kind_name in ("in", "not_in") and use.index == 1:
            op.operands[1] = _dict(op, entries)
        case CallOp() if use.index == 1 and constant_name(op.callee) in _OF_ITEMS:
            op.operands[1] = _dict(op, entries)
        case CallLike() if op.takes_apart(use.index):
            op.operands[use.index] = _dict(op, entries)
        case ForOp() | UnpackOp() if use.index == 0:
            op.operands[0] = _dict(op, entries)
        case _:
            return False
    return True


def set_entry(record: RecordOp, op: StoreSubscriptOp | SetattrOp) -> bool:
    """What follows a field that is set has a new record; False: that is not so."""
    fields, entries = record.fields.owner, entries_of(record)
    name = op.attribute.data if isinstance(op, SetattrOp) else constant_value(op.index)
    kind = record.record_type
    if not isinstance(fields, TupleOp) or entries is None or name not in kind.fields:
        return False
    present = [key for key, _ in entries]
    index = kind.fields.index(str(name))
    later = [key for key in present if kind.fields.index(key) > index]
    if _is_none(op.value) is not False or (name not in present and later):
        return False  # it would go behind the others
    following = list[Use]()
    for use in record.result.uses:
        if (is_behind := _is_behind(use.operation, op)) is None:
            return False
        if is_behind:
            following.append(use)
        elif use.operation is not op and not _only_reads(use):
            return False
    items = [op.value if i == index else v for i, v in enumerate(fields.items)]
    record_op = RecordOp(insert_value(op, TupleOp(items)), kind)
    record_op.result.name_hint = record.result.name_hint
    new = insert_value(op, record_op)
    for use in following:
        use.operation.operands[use.index] = new
    erase(op)
    return True


def entries_of(record: RecordOp) -> Entries | None:
    """The fields that are not None; None: it is not known of all which they are."""
    fields = record.fields.owner
    if not isinstance(fields, TupleOp):
        return None
    result: Entries = []
    for name, value in zip(record.record_type.fields, fields.items, strict=True):
        none = _is_none(value)
        if none is None:
            return None
        if not none:
            result.append((name, value))
    return result


def _is_none(value: SSAValue) -> bool | None:
    """Whether a value is None; None: that is not known."""
    constant = constant_value(value)
    if constant is not MISSING:
        return constant is None
    if isinstance(value.type, NoneType):
        return True
    if isinstance(value.type, OptionalType):
        return None
    is_aggregate = isinstance(value.owner, (TupleOp, DictOp, RecordOp))
    return False if is_aggregate or value.type != VALUE else None


def _dict(op: Operation, entries: Entries) -> SSAValue:
    flat = [x for name, v in entries for x in (insert_constant(op, name), v)]
    return insert_value(op, DictOp(flat))


def _tuple(op: Operation, entries: Entries) -> SSAValue:
    return insert_value(op, TupleOp([value for _, value in entries]))


def sees_no_store(record: RecordOp, op: Operation) -> bool:
    """Whether no field is set before an op runs."""
    stores = [u.operation for u in record.result.uses if _is_store(u)]
    return all(store is op or _comes_first(op, store, record) for store in stores)


def is_changed_elsewhere(record: RecordOp, result: SSAValue) -> bool:
    """Whether a field may be set by one name, and seen by another, behind a region."""
    kept = [u for u in record.result.uses if not _only_reads(u) and not _is_store(u)]
    return len(kept) > 1 and any(map(_is_store, result.uses))


def _is_store(use: Use) -> bool:
    return use.index == 0 and isinstance(use.operation, StoreSubscriptOp | SetattrOp)


def _comes_first(op: Operation, store: Operation, record: Operation) -> bool:
    """Whether an op surely runs before a store, if both run."""
    chain = list(outwards(store))
    for inner in outwards(op):
        for other in chain:
            if inner is not other and inner.parent is other.parent:
                return inner.is_before_in_block(other)
            again = inner is other and isinstance(inner, ForOp | WhileOp)
            if again and not inner.is_ancestor(record):
                return False  # the next time around it is behind
    return False


def _is_behind(op: Operation, store: Operation) -> bool | None:
    """Whether an op runs after a store in a straight line; None: neither is sure."""
    for inner in outwards(op):
        if inner.parent is store.parent:
            return inner is not store and store.is_before_in_block(inner)
    return None


def _only_reads(use: Use) -> bool:
    op = use.operation
    asks = isinstance(op, (GetattrOp, SubscriptOp, ToBoolOp, CompareOp))
    of_object = isinstance(op, CallOp) and constant_name(op.callee) in (
        *("builtins.hasattr", "builtins.getattr", "builtins.isinstance"),
        *_OF_ITEMS,
    )
    return (use.index == 0 and asks) or of_object
