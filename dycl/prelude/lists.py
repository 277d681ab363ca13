"""Methods and functions of Python's lists, where the data decides their length.

Python's own compare an object with itself first, so that a NaN may be found, and may be
sorted anywhere. Which object a number is, a network does not know: it raises
NotImplementedError where that would matter.
"""

from collections.abc import Callable
from typing import Any


def _words(fails: Callable[[], object]) -> str:
    """What this version of Python says where this fails."""
    try:
        fails()
    except ValueError as error:
        return str(error)
    raise AssertionError("it does not fail")


_NOT_THERE = _words(lambda: [].index(0)).replace("0 ", "{} ")
_NOT_IN_TUPLE = _words(lambda: ().index(0))
_NO_MIN = _words(lambda: min([]))
_NO_MAX = _words(lambda: max([]))
_NAN = "a NaN in a list is compared by which object it is"


def refuse_nan(own: Any) -> None:
    """Where a NaN, alone or in a tuple, goes in a sort depends on all the others.

    Raises NotImplementedError: this item or key is one, or has one.
    """
    if isinstance(own, tuple):
        for part in own:
            if not isinstance(part, int) and part != part:
                raise NotImplementedError("a NaN in a list is sorted anywhere")
    elif not isinstance(own, int) and own != own:
        raise NotImplementedError("a NaN in a list is sorted anywhere")


def ordered(items: Any, key: Any = None, reverse: Any = False) -> Any:
    """`sorted`: a list in the order of its items or keys, as stable as Python's.

    Raises NotImplementedError: one of these is a NaN.
    """
    result: list[Any] = []
    keys: list[Any] = []
    for item in items:
        own = item if key is None else key(item)
        refuse_nan(own)
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) // 2
            before = keys[middle]
            if before < own if reverse else own < before:
                high = middle
            else:
                low = middle + 1
        keys.insert(low, own)
        result.insert(low, item)
    return result


def sort(items: Any, *, key: Any = None, reverse: Any = False) -> None:
    """`items.sort(key=..., reverse=...)`. Raises what `ordered` does."""
    result = ordered(items, key, reverse)
    items.clear()
    items.extend(result)


def turn_around(items: Any) -> None:
    """`items.reverse()`."""
    result = [items[-1 - at] for at in range(len(items))]
    items.clear()
    items.extend(result)


def add_each(items: Any, more: Any) -> None:
    """`items.extend(more)`, where `more` is another object than `items`."""
    for item in more:
        items.append(item)


def count(items: Any, wanted: Any) -> Any:
    """`items.count(wanted)` of numbers. Raises NotImplementedError: a NaN is wanted."""
    if not isinstance(wanted, int) and wanted != wanted:
        raise NotImplementedError(_NAN)
    found = 0
    for item in items:
        if item == wanted:
            found = found + 1
    return found


def index(items: Any, wanted: Any, start: Any = 0, stop: Any = None) -> Any:
    """`items.index(wanted, start, stop)` of numbers.

    Raises ValueError: it is not there; NotImplementedError: a NaN is wanted.
    """
    at = _place(items, wanted, start, stop)
    if at < 0:
        raise ValueError(_NOT_THERE.format(wanted))
    return at


def index_of_tuple(items: Any, wanted: Any, start: Any = 0, stop: Any = None) -> Any:
    """`items.index(wanted, start, stop)` of numbers in a tuple or `torch.Size`.

    Raises ValueError: it is not there; NotImplementedError: a NaN is wanted.
    """
    at = _place(items, wanted, start, stop)
    if at < 0:
        raise ValueError(_NOT_IN_TUPLE)
    return at


def _place(items: Any, wanted: Any, start: Any, stop: Any) -> Any:
    """Where a number is first, from `start` on and before `stop`; -1: nowhere."""
    if not isinstance(wanted, int) and wanted != wanted:
        raise NotImplementedError(_NAN)
    length = len(items)
    first = max(start + length, 0) if start < 0 else start
    last = length
    if stop is not None:
        last = stop + length if stop < 0 else stop
    for at in range(first, min(last, length)):
        if items[at] == wanted:
            return at
    return -1


def same(ones: Any, others: Any) -> Any:
    """`ones == others` of two lists of numbers.

    Raises NotImplementedError: there are NaNs at one place of both.
    """
    if len(ones) != len(others):
        return False
    for at in range(len(ones)):
        one, other = ones[at], others[at]
        if not isinstance(one, int) and one != one and other != other:
            raise NotImplementedError(_NAN)
        if one != other:
            return False
    return True


def repeated(items: Any, times: Any) -> Any:
    """`items * times`."""
    result: list[Any] = []
    for _ in range(times):
        result.extend(items)
    return result


def stepped(items: Any, start: Any, stop: Any, step: Any) -> Any:
    """`items[start:stop:step]`, of a step that is known."""
    length = len(items)
    if step > 0:
        first, last = 0, length
        if start is not None:
            first = max(start + length, 0) if start < 0 else start
        if stop is not None:
            last = min(stop + length if stop < 0 else stop, length)
    else:
        first, last = length - 1, -1
        if start is not None:
            first = min(start + length if start < 0 else start, length - 1)
        if stop is not None:
            last = max(stop + length, -1) if stop < 0 else stop
    return [items[at] for at in range(first, last, step)]


def smallest(items: Any, key: Any, default: Any, has_default: Any) -> Any:
    """`min(items, key=..., default=...)`: the first of the least.

    Raises ValueError: there are no items, and there is no default.
    """
    if len(items) == 0:
        if has_default:
            return default
        raise ValueError(_NO_MIN)
    best = items[0]
    least = best if key is None else key(best)
    for at in range(1, len(items)):
        item = items[at]
        own = item if key is None else key(item)
        if own < least:
            best, least = item, own
    return best


def greatest(items: Any, key: Any, default: Any, has_default: Any) -> Any:
    """`max(items, key=..., default=...)`: the first of the greatest.

    Raises ValueError: there are no items, and there is no default.
    """
    if len(items) == 0:
        if has_default:
            return default
        raise ValueError(_NO_MAX)
    best = items[0]
    most = best if key is None else key(best)
    for at in range(1, len(items)):
        item = items[at]
        own = item if key is None else key(item)
        if own > most:
            best, most = item, own
    return best


def kept(function: Any, items: Any) -> Any:
    """`list(filter(function, items))`."""
    result: list[Any] = []
    for item in items:
        if item if function is None else function(item):
            result.append(item)
    return result


def listed(items: Any) -> Any:
    """`list(items)` of what is gone over by number."""
    result: list[Any] = []
    for item in items:
        result.append(item)
    return result


def distinct(items: Any) -> Any:
    """The items of `set(items)` of ints, in the order in which they come."""
    result: list[Any] = []
    for item in items:
        if item not in result:
            result.append(item)
    return result
