"""Where a key stands among several: `experts[i]`, `heads[name]`."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any


def make_finder(keys: int | tuple[object, ...], error: str) -> Callable[[object], int]:
    """A function from a key to its place, from 0 on.

    `keys` is the length of a sequence, whose indices may be negative, or a dict's keys.
    A key that is not there raises what `error` names, `"IndexError: index {} is out of
    range"` or `"KeyError"`; if that is empty, its place is behind the last.
    """
    if isinstance(keys, int):
        return _in_sequence(keys, error)
    places = {key: place for place, key in reversed(list(enumerate(keys)))}

    def find(key: object) -> int:
        place = places.get(key)
        if place is not None:
            return place
        if not error:
            return len(keys)
        raise _missing(key, error)

    return find


def _in_sequence(length: int, error: str) -> Callable[[object], int]:
    def find(key: Any) -> int:
        index = operator.index(key)
        place = index + length if index < 0 else index
        if 0 <= place < length:
            return place
        raise _missing(index, error)

    return find


def _missing(key: object, error: str) -> Exception:
    kind, _, text = error.partition(": ")
    return getattr(builtins, kind)(text.format(key) if text else key)
