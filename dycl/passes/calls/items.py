"""Tuples, dicts and records that local functions give: they give the items.

Before                           After
------                           -----
dycl.local_function "f"(%a) {    dycl.local_function "f"(%a) {
  %k = dycl.constant "h"           %k = dycl.constant "h"
  %d = dycl.dict(%k, %a)           %d = dycl.dict(%k, %a)
  dycl.local_return %d             dycl.local_return %a
}                                } {items = 1, keys = ["h"]}
%y = dycl.local_call "f"(%x)     %v = dycl.local_call "f"(%x)
dycl.return %y                   %k1 = dycl.constant "h"
                                 %y = dycl.dict(%k1, %v)
                                 dycl.return %y

All paths give tuples of one length; or dicts that have the same keys in the same order,
and that nobody changes or keeps; or records of one class. A call then makes the tuple,
dict or record anew.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.ir import (
    ConstantOp,
    DictOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    RecordOp,
    SelectOp,
    TupleOp,
    UnboundOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.records import RecordType, RecordTypeAttr
from dycl.ir.rewriting import erase, insert_before, insert_value, replace
from dycl.ir.values import to_attr
from dycl.ir.walking import walk
from dycl.passes.calls.none_results import or_none, says_whether

_ITEMS = "items"
"""Attribute of a local function that gives the items of a tuple or dict: how many."""
_KEYS = "keys"
"""The keys of the dict, if it is one."""
_RECORD = "record"
"""The class of the record, if it is one."""


def call_of(
    anchor: Operation, function: LocalFunctionOp, given: Sequence[SSAValue]
) -> SSAValue:
    """What a new call of a local function gives, in front of an op."""
    new = _called(anchor, function, given)
    if not says_whether(function):
        return _whole(anchor, function, new.results)
    return or_none(
        anchor, new.results[0], lambda at: _whole(at, function, new.results[1:])
    )


def _called(
    anchor: Operation, function: LocalFunctionOp, given: Sequence[SSAValue]
) -> LocalCallOp:
    """A new call in front of an op."""
    items, first = function.attributes.get(_ITEMS), int(says_whether(function))
    count = items.value.data if isinstance(items, IntegerAttr) else 1
    new = LocalCallOp(function.label.data, given, [VALUE] * (first + count))
    insert_before(anchor, new)
    return new


def _whole(
    anchor: Operation, function: LocalFunctionOp, results: Sequence[SSAValue]
) -> SSAValue:
    """The value that a call gives, if it does, in front of an op."""
    if _ITEMS not in function.attributes:
        return results[0]
    keys, record = function.attributes.get(_KEYS), function.attributes.get(_RECORD)
    if not isinstance(keys, ArrayAttr):
        values = insert_value(anchor, TupleOp(results))
        if isinstance(record, RecordTypeAttr):
            values = insert_value(anchor, RecordOp(values, RecordType.of(record)))
        return values
    entries: list[SSAValue] = []
    for key, value in zip(keys, results, strict=True):
        entries += [insert_value(anchor, ConstantOp(key)), value]
    return insert_value(anchor, DictOp(entries))


def return_items(entry: FuncOp, function: LocalFunctionOp) -> None:
    """Let all returns give the items, where they give tuples of one length, dicts of
    the same keys, or records of one class."""
    first = int(says_whether(function))
    ends = [end.values for end in function.returns]
    if _ITEMS in function.attributes or any(len(e) != first + 1 for e in ends):
        return
    values = [end[first] for end in ends]
    values = [one for one in values if not isinstance(one.owner, UnboundOp)]
    if not values:
        return
    keys, record = _keys_of_all(values), _record_of_all(values)
    if keys is None:
        tuples = values if record is None else map(_fields, values)
        counts = {count for value in tuples for count in _lengths(value)}
        if len(counts) != 1 or None in counts:
            return
        count = counts.pop()
        assert count is not None
        if record is not None:
            function.attributes[_RECORD] = record
    else:
        count = len(keys)
        function.attributes[_KEYS] = ArrayAttr(keys)
    function.attributes[_ITEMS] = IntegerAttr(count, i64)
    for call in [o for o in walk(entry) if isinstance(o, LocalCallOp)]:
        if call.label == function.label:
            _take_items(call, function)
    for end in function.returns:
        items = _items(end, end.values[first], count)
        insert_before(end, LocalReturnOp([*end.values[:first], *items]))
        erase(end)


def _take_items(call: LocalCallOp, function: LocalFunctionOp) -> None:
    """Let a call take the items that a function gives from now on."""
    new = _called(call, function, call.arguments)
    if not says_whether(function):
        replace(call, [_whole(call, function, new.results)])
        return
    call.results[0].replace_all_uses_with(new.results[0])
    for use in list(call.results[1].uses):  # not here: of None there are no items
        whole = _whole(use.operation, function, new.results[1:])
        use.operation.operands[use.index] = whole
    erase(call)


def _keys_of_all(values: Sequence[SSAValue]) -> Sequence[Attribute] | None:
    """The keys that all of these dicts have; None: they have others, or are none."""
    keys = [_keys(value) for value in values]
    first = keys[0]
    return first if all(one == first for one in keys) else None


def _record_of_all(values: Sequence[SSAValue]) -> RecordTypeAttr | None:
    """The class that all of these records are of; None: they are none."""
    owners = [value.owner for value in values]
    records = [owner.record for owner in owners if isinstance(owner, RecordOp)]
    is_one = len(records) == len(values) and len(set(records)) == 1
    return records[0] if is_one else None


def _fields(record: SSAValue) -> SSAValue:
    """The tuple of a record's fields."""
    assert isinstance(record.owner, RecordOp)
    return record.owner.fields


def _keys(value: SSAValue) -> list[Attribute] | None:
    """The keys of a dict that is only returned; None: it is none, or may be changed."""
    owner = value.owner
    if not isinstance(owner, DictOp) or not owner.items:
        return None
    if not all(isinstance(use.operation, LocalReturnOp) for use in value.uses):
        return None
    keys = [constant_value(key) for key in owner.items[::2]]
    texts = [key for key in keys if isinstance(key, str)]
    if len(texts) != len(keys) or len(set(texts)) != len(texts):
        return None
    return [to_attr(key) for key in texts]


def _items(anchor: Operation, value: SSAValue, count: int) -> Sequence[SSAValue]:
    """The items of a value that is a tuple or dict, in front of an op."""
    owner = value.owner
    if isinstance(owner, TupleOp):
        return owner.operands
    if isinstance(owner, DictOp):
        return owner.items[1::2]
    if isinstance(owner, RecordOp):
        return _items(anchor, owner.fields, count)
    if isinstance(owner, UnboundOp):
        name = owner.variable.data
        return [insert_value(anchor, UnboundOp(name)) for _ in range(count)]
    if isinstance(owner, SelectOp):
        sides = [_items(anchor, v, count) for v in (owner.if_true, owner.if_false)]
        items: list[SSAValue] = []
        for one, other in zip(*sides, strict=True):
            select = SelectOp(owner.condition, one, other)
            select.attributes.update(owner.attributes)
            items.append(insert_value(anchor, select))
        return items
    unpack = UnpackOp(value, count)
    insert_before(anchor, unpack)
    return unpack.items


def _lengths(value: SSAValue) -> set[int | None]:
    """The lengths of the tuples that a value may be; None: it may be none."""
    owner = value.owner
    match owner:
        case TupleOp():
            return {len(owner.operands)}
        case DictOp() | RecordOp():
            return {None}
        case SelectOp():
            return _lengths(owner.if_true) | _lengths(owner.if_false)
        case _:
            return set() if value.type == VALUE else {None}
