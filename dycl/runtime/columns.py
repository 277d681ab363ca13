"""Lists of tuples and their like, of a list for each part: what a network returns.

A list whose length the run decides is kept as one list for each part of its items. The
lists are as long as one another; what is no list is a part that all items have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def list_of(what: str, parts: Sequence[Any]) -> list[Any]:
    """The list of "tuples", "lists", "dicts" or "records" that `parts` are given for.

    KeyError: it is none of these.
    """
    return _MAKERS[what](*parts)


def _tuples(*columns: Any) -> list[tuple[Any, ...]]:
    """A tuple of each row."""
    return _rows(columns)


def _lists(*columns: Any) -> list[list[Any]]:
    """A list of each row."""
    return [list(row) for row in _rows(columns)]


def _dicts(keys: Sequence[Any], *columns: Any) -> list[dict[Any, Any]]:
    """A dict of each row, under these keys."""
    return [dict(zip_equal(keys, row)) for row in _rows(columns)]


def _records(
    name: str, kind: str, fields: tuple[str, ...], *columns: Any
) -> list[object]:
    """A record of each row: see `make_record`."""
    from dycl.runtime.records import make_record

    return [make_record(name, kind, fields, row) for row in _rows(columns)]


def _rows(columns: Sequence[Any]) -> list[tuple[Any, ...]]:
    count = next(len(column) for column in columns if isinstance(column, list))
    same = [c if isinstance(c, list) else [c] * count for c in columns]
    return list(zip_equal(*same))


_MAKERS: dict[str, Callable[..., list[Any]]] = {
    "tuples": _tuples,
    "lists": _lists,
    "dicts": _dicts,
    "records": _records,
}
