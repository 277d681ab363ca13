"""A dict's value is read or set under one of its keys, which the data chooses.

Before                                After
------                                -----
%a = dycl.constant "a"                %a = dycl.constant "a"
%b = dycl.constant "b"                %b = dycl.constant "b"
%d = dycl.dict(%a, %one, %b, %two)    %k = dycl.select %p, %a, %b
%k = dycl.select %p, %a, %b           %v = dycl.select %p, %one, %two
%v = dycl.subscript %d[%k]            %0 = dycl.select %p, %three, %one
dycl.store_subscript %d[%k], %three   %1 = dycl.select %p, %two, %three
dycl.return %d, %v                    %d = dycl.dict(%a, %0, %b, %1)
                                      dycl.return %d, %v

The key is a choice among constants, each of which is a key of the dict: then the dict
has the same keys on all paths, in the same order.
"""

from collections.abc import Callable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CompareOp,
    IfOp,
    ScopeOp,
    SelectOp,
    StoreSubscriptOp,
    SubscriptOp,
    SwitchOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.equality import by_equality
from dycl.ir.interfaces import forwarded_from
from dycl.ir.objects import Objects
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.passes.aggregates.choices import are_numbers, one_of
from dycl.passes.aggregates.items import Items, dict_item, keys_of
from dycl.passes.aggregates.names import is_or_holds_list

_LIMIT = 64
"""Keys that a choice may be of: each costs a comparison at every use."""


def chosen_value(objects: Objects, op: SubscriptOp, items: Items) -> SSAValue | None:
    """The value under the key; None: it is not chosen among the dict's keys."""
    if not _is_chosen(objects, op.index, items):
        return None

    def value_of(key: object) -> SSAValue:
        found = dict_item(objects, items, by_equality(objects, key))
        assert found is not None
        return found

    return _chosen(op, op.index, value_of, are_numbers(items[1::2]))


def with_chosen_value(
    objects: Objects, op: StoreSubscriptOp, items: Items
) -> Items | None:
    """A dict's items after the op; None: the key is not chosen among the dict's."""
    if not _is_chosen(objects, op.index, items) or is_or_holds_list(op.value):
        return None
    plain = are_numbers((op.value, *items[1::2]))
    after = list(items)
    for position, key in enumerate(keys_of(objects, items) or ()):
        old = items[2 * position + 1]

        def value_of(
            chosen: object, key: object = key, old: SSAValue = old
        ) -> SSAValue:
            return op.value if by_equality(objects, chosen) == key else old

        after[2 * position + 1] = _chosen(op, op.index, value_of, plain)
    return tuple(after)


def _is_chosen(objects: Objects, key: SSAValue, items: Items) -> bool:
    """Whether a key is a choice of some that the dict has."""
    keys, chosen = keys_of(objects, items), _constants(key)
    if keys is None or chosen is None or constant_value(key) is not MISSING:
        return False
    return all(by_equality(objects, one) in keys for one in chosen) and not any(
        map(is_or_holds_list, items[1::2])
    )


def _constants(key: SSAValue) -> list[object] | None:
    """What a value is chosen from, each once; None: not from constants alone."""
    waiting, seen = [key], set[SSAValue]()
    result: dict[object, None] = {}
    while waiting:
        one = waiting.pop(0)
        if one in seen:
            continue
        seen.add(one)
        constant = constant_value(one)
        more = _choice(one)
        if constant is not MISSING:
            try:
                result[constant] = None
            except TypeError:  # a list is no key
                return None
        elif more is None or len(seen) > _LIMIT:
            return None
        waiting += more or ()
    return list(result)


def _choice(value: SSAValue) -> list[SSAValue] | None:
    """The values that one is chosen from; None: it is made otherwise."""
    if isinstance(value.owner, SelectOp):
        return [value.owner.if_true, value.owner.if_false]
    if isinstance(value.owner, IfOp | ScopeOp | SwitchOp):
        return forwarded_from(value)
    return None


def _chosen(
    op: Operation,
    key: SSAValue,
    value_of: Callable[[object], SSAValue],
    are_plain: bool,
) -> SSAValue:
    """The value for the key that is chosen, in front of `op`."""
    constant = constant_value(key)
    if constant is not MISSING:
        return value_of(constant)
    if isinstance(choice := key.owner, SelectOp):
        one = _chosen(op, choice.if_true, value_of, are_plain)
        other = _chosen(op, choice.if_false, value_of, are_plain)
        test = choice.attributes.get("test")
        words = test.data if isinstance(test, StringAttr) else "key"
        condition = choice.condition
        return (
            one
            if one is other
            else one_of(op, condition, (one, other), are_plain, words)
        )
    constants = _constants(key)
    assert constants
    result = value_of(constants.pop())
    for constant in reversed(constants):
        value = value_of(constant)
        if value is result:
            continue
        wanted = insert_constant(op, constant)
        test = insert_value(op, CompareOp("eq", key, wanted))
        words = f"{key.name_hint or 'key'} == {constant!r}"
        result = one_of(op, test, (value, result), are_plain, words)
    return result
