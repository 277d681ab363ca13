"""The items of lists and dicts, and what each method makes of them.

Before                       After
------                       -----
%l = dycl.list(%a, %b)       %l = dycl.list(%a)
%x = dycl.invoke %l "pop"()  dycl.return %b, %l
dycl.return %x, %l

A dict's items are key, value, key, value. Nothing here changes the program: the walk in
`dycl.passes.aggregates.walk` does.
"""

from collections.abc import Callable

from xdsl.ir import SSAValue

from dycl.ir import DictOp, InvokeOp, ListOp, SliceOp, TupleOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.equality import by_equality
from dycl.ir.objects import Objects

Items = tuple[SSAValue, ...]
ItemsOf = Callable[[SSAValue], Items | None]
"""Gives the items of another aggregate, where they are known."""


def known_slice(index: SSAValue) -> slice | None:
    """The slice of a `dycl.slice` of constants."""
    owner = index.owner
    if not isinstance(owner, SliceOp):
        return None
    parts = [constant_value(p) for p in owner.items]
    if not all(p is None or isinstance(p, int) for p in parts):
        return None
    return slice(*parts)


def is_dict(value: SSAValue) -> bool:
    """Whether a value is made by a dict display."""
    return isinstance(value.owner, DictOp)


def kind_of(value: SSAValue) -> type[TupleOp] | type[ListOp]:
    """Which of the two a value is."""
    is_tuple = isinstance(value.owner, TupleOp) or isinstance(
        constant_value(value), tuple
    )
    return TupleOp if is_tuple else ListOp


def key_of(objects: Objects, value: SSAValue) -> object:
    """A key as a dict sees it, MISSING if it is not known: a member is its number."""
    return by_equality(objects, constant_value(value))


def keys_of(objects: Objects, items: Items) -> list[object] | None:
    """A dict's keys as it sees them, or None if one is not known."""
    keys = [key_of(objects, k) for k in items[::2]]
    return None if MISSING in keys else keys


def dict_item(objects: Objects, items: Items, key: object) -> SSAValue | None:
    """The value under a `key_of`; None: it has none, or its keys are not all known."""
    keys = keys_of(objects, items)
    if keys is None or key not in keys:
        return None
    return items[2 * keys.index(key) + 1]


def with_item(items: Items, index: SSAValue, value: SSAValue) -> Items | None:
    """A list's items after `v[index] = value`."""
    position = constant_value(index)
    if not isinstance(position, int) or not _is_inside(items, position):
        return None
    changed = list(items)
    changed[position] = value
    return tuple(changed)


def with_slice(items: Items, index: SSAValue, new: Items) -> Items | None:
    """A list's items after `v[a:b] = new`; None: not known. ValueError: so says Python,
    of a step and another number of items."""
    if (part := known_slice(index)) is None:
        return None
    changed = list(items)
    changed[part] = new
    return tuple(changed)


def with_key(
    objects: Objects, items: Items, key: SSAValue, value: SSAValue
) -> Items | None:
    """A dict's items after `v[key] = value`; a key that is there already stays."""
    keys, name = keys_of(objects, items), key_of(objects, key)
    if keys is None or name is MISSING:
        return None
    if name not in keys:
        return (*items, key, value)
    changed = list(items)
    changed[2 * keys.index(name) + 1] = value
    return tuple(changed)


def first_keys(objects: Objects, items: Items) -> Items:
    """A display that repeats a key keeps the first place and the last value."""
    result: Items = ()
    for key, value in zip(items[::2], items[1::2], strict=True):
        result = with_key(objects, result, key, value) or result
    return result


def _is_inside(items: Items, index: int) -> bool:
    return -len(items) <= index < len(items)


Change = tuple[Items, SSAValue | None]
"""A list's items after a method, and the method's result (None: it is None)."""

Method = Callable[[InvokeOp, Items, ItemsOf], Change | None]


def _append(op: InvokeOp, items: Items, items_of: ItemsOf) -> Change | None:
    if len(op.arguments) != 1:
        return None
    return (*items, op.arguments[0]), None


def _extend(op: InvokeOp, items: Items, items_of: ItemsOf) -> Change | None:
    other = items_of(op.arguments[0]) if len(op.arguments) == 1 else None
    return None if other is None else ((*items, *other), None)


def _pop(op: InvokeOp, items: Items, items_of: ItemsOf) -> Change | None:
    index = constant_value(op.arguments[0]) if op.arguments else -1
    if not isinstance(index, int) or not _is_inside(items, index):
        return None
    rest = list(items)
    taken = rest.pop(index)
    return tuple(rest), taken


def _insert(op: InvokeOp, items: Items, items_of: ItemsOf) -> Change | None:
    index = constant_value(op.arguments[0]) if len(op.arguments) == 2 else None
    if not isinstance(index, int):
        return None
    rest = list(items)
    rest.insert(index, op.arguments[1])
    return tuple(rest), None


def _reverse(op: InvokeOp, items: Items, items_of: ItemsOf) -> Change | None:
    return tuple(reversed(items)), None


def _clear(op: InvokeOp, items: Items, items_of: ItemsOf) -> Change | None:
    return (), None


def _delete(op: InvokeOp, items: Items, items_of: ItemsOf) -> Change | None:
    """`del v[i]`, also of a slice."""
    (index,) = op.arguments
    position = constant_value(index)
    if isinstance(position, int) and not _is_inside(items, position):
        return None
    part = position if isinstance(position, (int, slice)) else known_slice(index)
    if part is None:
        return None
    rest = list(items)
    del rest[part]
    return tuple(rest), None


LIST_METHODS: dict[str, Method] = {
    "append": _append,
    "extend": _extend,
    "pop": _pop,
    "insert": _insert,
    "reverse": _reverse,
    "clear": _clear,
    "__delitem__": _delete,
}
"""The methods that change a list in a way that can be followed."""


DictMethod = Callable[[Objects, InvokeOp, Items, ItemsOf], Change | None]


def _dict_pop(
    objects: Objects, op: InvokeOp, items: Items, items_of: ItemsOf
) -> Change | None:
    key = key_of(objects, op.arguments[0])
    value = dict_item(objects, items, key)
    if value is None:
        missing = keys_of(objects, items) is not None and key is not MISSING
        return (items, op.arguments[1]) if missing and len(op.arguments) == 2 else None
    return _without(objects, items, key), value


def _dict_delete(
    objects: Objects, op: InvokeOp, items: Items, items_of: ItemsOf
) -> Change | None:
    key = key_of(objects, op.arguments[0])
    if dict_item(objects, items, key) is None:
        return None
    return _without(objects, items, key), None


def _without(objects: Objects, items: Items, key: object) -> Items:
    pairs = zip(items[::2], items[1::2], strict=True)
    return tuple(v for pair in pairs if key_of(objects, pair[0]) != key for v in pair)


def _dict_clear(
    objects: Objects, op: InvokeOp, items: Items, items_of: ItemsOf
) -> Change | None:
    return _clear(op, items, items_of)


def _update(
    objects: Objects, op: InvokeOp, items: Items, items_of: ItemsOf
) -> Change | None:
    """`d.update(e)`; keywords are put into a dict by the walk."""
    other = items_of(op.arguments[0]) if len(op.arguments) == 1 else None
    return None if other is None else merged(objects, items, other)


def merged(objects: Objects, items: Items, other: Items) -> Change | None:
    """A dict's items after those of another one are put into it."""
    for key, value in zip(other[::2], other[1::2], strict=True):
        now = with_key(objects, items, key, value)
        if now is None:
            return None
        items = now
    return items, None


def _set_default(
    objects: Objects, op: InvokeOp, items: Items, items_of: ItemsOf
) -> Change | None:
    if len(op.arguments) != 2 or keys_of(objects, items) is None:
        return None
    key, value = op.arguments
    if key_of(objects, key) is MISSING:
        return None
    current = dict_item(objects, items, key_of(objects, key))
    if current is not None:
        return items, current
    return (*items, key, value), value


DICT_METHODS: dict[str, DictMethod] = {
    "pop": _dict_pop,
    "__delitem__": _dict_delete,
    "update": _update,
    "setdefault": _set_default,
    "clear": _dict_clear,
}
"""The methods that change a dict in a way that can be followed."""
