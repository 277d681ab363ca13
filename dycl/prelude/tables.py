"""Dicts and sets whose keys the data decides: a list of keys, and one of their values.

Keys are in the order in which they came, as in Python's dicts. Python compares an
object with itself first, so that a NaN may be found; which object a number is, a
network does not know: it raises NotImplementedError where a key is a NaN.
"""

from collections.abc import Callable
from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled


def _words(fails: Callable[[], object]) -> str:
    """What this version of Python says where this fails."""
    try:
        fails()
    except (KeyError, RuntimeError, ValueError) as error:
        return str(error.args[0])
    raise AssertionError("it does not fail")


def _grow() -> None:
    items = {0: 0}
    for key in items:
        items[key + 1] = 0


_NO_ITEM = _words(lambda: {}.popitem())
_NO_MEMBER = _words(lambda: set[int]().pop())
_GROWN = _words(_grow)
_NAN = "a NaN as a key is found by which object it is"


def place(keys: Any, key: Any) -> Any:
    """Where a key is; behind the others if it is not there.

    Raises NotImplementedError: it is a NaN.
    """
    if isinstance(key, torch.Tensor):
        raise NotCompiled(
            "a dict or set with a tensor for a key, which Python finds by which object "
            "it is,",
            "make it a number: `int(key)` or `key.item()`",
        )
    if isinstance(key, tuple):
        for part in key:
            if isinstance(part, float) and part != part:
                raise NotImplementedError(_NAN)
    elif isinstance(key, float) and key != key:
        raise NotImplementedError(_NAN)
    at = 0
    while at < len(keys) and keys[at] != key:
        at = at + 1
    return at


def _missing(key: Any) -> Any:
    """What a KeyError says: of a tuple its text."""
    return f"{key}" if isinstance(key, tuple) else key


def has(keys: Any, key: Any) -> Any:
    """`key in d`."""
    return place(keys, key) < len(keys)


def item(keys: Any, values: Any, key: Any) -> Any:
    """`d[key]`. Raises KeyError: it is not there."""
    at = place(keys, key)
    if at == len(keys):
        raise KeyError(_missing(key))
    return values[at]


def item_or(keys: Any, values: Any, key: Any, default: Any = None) -> Any:
    """`d.get(key, default)`."""
    at = place(keys, key)
    if at == len(keys):
        return default
    return values[at]


def item_or_set(keys: Any, values: Any, key: Any, default: Any = None) -> Any:
    """`d.setdefault(key, default)`."""
    at = place(keys, key)
    if at == len(keys):
        keys.append(key)
        values.append(default)
    return values[at]


def put(keys: Any, values: Any, key: Any, value: Any) -> None:
    """`d[key] = value`."""
    at = place(keys, key)
    if at == len(keys):
        keys.append(key)
        values.append(value)
    else:
        values[at] = value


def put_each(keys: Any, values: Any, pairs: Any) -> None:
    """`d.update(pairs)`, and `dict(pairs)`."""
    for key, value in pairs:
        put(keys, values, key, value)


def put_all(keys: Any, values: Any, others: Any, their_values: Any) -> None:
    """`d.update(other)`."""
    for at in range(len(others)):
        put(keys, values, others[at], their_values[at])


def remove(keys: Any, values: Any, key: Any) -> None:
    """`del d[key]`. Raises KeyError: it is not there."""
    at = place(keys, key)
    if at == len(keys):
        raise KeyError(_missing(key))
    keys.pop(at)
    values.pop(at)


def taken(keys: Any, values: Any, key: Any) -> Any:
    """`d.pop(key)`. Raises KeyError: it is not there."""
    at = place(keys, key)
    if at == len(keys):
        raise KeyError(_missing(key))
    keys.pop(at)
    return values.pop(at)


def taken_or(keys: Any, values: Any, key: Any, default: Any) -> Any:
    """`d.pop(key, default)`."""
    at = place(keys, key)
    if at == len(keys):
        return default
    keys.pop(at)
    return values.pop(at)


def last_taken(keys: Any, values: Any) -> Any:
    """`d.popitem()`. Raises KeyError: there is none."""
    if len(keys) == 0:
        raise KeyError(_NO_ITEM)
    return keys.pop(), values.pop()


def clear(keys: Any, values: Any) -> None:
    """`d.clear()`."""
    keys.clear()
    values.clear()


def pairs(keys: Any, values: Any) -> Any:
    """`list(d.items())`."""
    result: list[Any] = []
    for at in range(len(keys)):
        result.append((keys[at], values[at]))
    return result


def ordered_pairs(keys: Any, values: Any, reverse: Any = False) -> Any:
    """`sorted(d.items())`: no two keys are equal, so no values are compared."""
    result: list[Any] = []
    for key in sorted(keys, reverse=reverse):
        result.append((key, item(keys, values, key)))
    return result


def each_key(keys: Any) -> Any:
    """The keys, one by one, as a loop that may change the dict goes over them.

    Raises RuntimeError: the loop has added a key.
    """
    size = len(keys)
    for at in range(size):
        if len(keys) != size:
            raise RuntimeError(_GROWN)
        yield keys[at]
    if len(keys) != size:
        raise RuntimeError(_GROWN)


def each_value(keys: Any, values: Any) -> Any:
    """The same for values."""
    size = len(keys)
    for at in range(size):
        if len(keys) != size:
            raise RuntimeError(_GROWN)
        yield values[at]
    if len(keys) != size:
        raise RuntimeError(_GROWN)


def each_pair(keys: Any, values: Any) -> Any:
    """The same for both."""
    size = len(keys)
    for at in range(size):
        if len(keys) != size:
            raise RuntimeError(_GROWN)
        yield keys[at], values[at]
    if len(keys) != size:
        raise RuntimeError(_GROWN)


def getter(table: Any) -> Any:
    """`d.get`, as a function."""

    def get(key: Any) -> Any:
        return table.get(key)

    return get


def item_getter(table: Any) -> Any:
    """`d.__getitem__`, as a function."""

    def get_item(key: Any) -> Any:
        return table[key]

    return get_item


def same(keys: Any, values: Any, others: Any, their_values: Any) -> Any:
    """`d == other`."""
    if len(keys) != len(others):
        return False
    for at in range(len(keys)):
        where = place(others, keys[at])
        if where == len(others):
            return False
        if values[at] != their_values[where]:
            return False
    return True


def add_counts(keys: Any, values: Any, items: Any) -> None:
    """`Counter.update(items)`."""
    for key in items:
        at = place(keys, key)
        if at == len(keys):
            keys.append(key)
            values.append(1)
        else:
            values[at] = values[at] + 1


def most_common(keys: Any, values: Any, count: Any = None) -> Any:
    """`Counter.most_common(count)`: of equal counts the first comes first."""
    result = sorted(pairs(keys, values), key=lambda pair: pair[1], reverse=True)
    return result if count is None else result[: max(count, 0)]


def add(keys: Any, key: Any) -> None:
    """`s.add(key)`."""
    if place(keys, key) == len(keys):
        keys.append(key)


def add_each(keys: Any, items: Any) -> None:
    """`s.update(items)`, and `set(items)`."""
    for key in items:
        if place(keys, key) == len(keys):
            keys.append(key)


def discard(keys: Any, key: Any) -> None:
    """`s.discard(key)`."""
    at = place(keys, key)
    if at < len(keys):
        keys.pop(at)


def remove_member(keys: Any, key: Any) -> None:
    """`s.remove(key)`. Raises KeyError: it is not there."""
    at = place(keys, key)
    if at == len(keys):
        raise KeyError(_missing(key))
    keys.pop(at)


def united(keys: Any, others: Any) -> Any:
    """`s | t`."""
    result = list(keys)
    add_each(result, others)
    return result


def common(keys: Any, others: Any) -> Any:
    """`s & t`."""
    result: list[Any] = []
    for key in keys:
        if place(others, key) < len(others):
            result.append(key)
    return result


def without(keys: Any, others: Any) -> Any:
    """`s - t`."""
    result: list[Any] = []
    for key in keys:
        if place(others, key) == len(others):
            result.append(key)
    return result


def in_one(keys: Any, others: Any) -> Any:
    """`s ^ t`."""
    result = without(keys, others)
    for key in others:
        if place(keys, key) == len(keys):
            result.append(key)
    return result


def is_within(keys: Any, others: Any) -> Any:
    """`s <= t`."""
    inside = True
    for key in keys:
        if place(others, key) == len(others):
            inside = False
    return inside


def same_members(keys: Any, others: Any) -> Any:
    """`s == t`."""
    return len(keys) == len(others) and is_within(keys, others)
