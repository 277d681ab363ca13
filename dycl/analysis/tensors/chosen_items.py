"""What a lookup in a table gives whose key the data decides.

    state = "start"
    for token in ids.tolist():
        state = TABLE[state].get(token, "start")

What `TABLE[state]` gives is one of its items, and what is looked up in that, in turn,
is of the kind that all items of all of them have in common. Without it, nobody knew
what `state` is in the loop, and so neither what `TABLE[state]` looks up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import cast

from xdsl.ir import Operation

from dycl.analysis.folding.iteration import is_read_only
from dycl.analysis.tensors.abstract import (
    Scalar,
    Unknown,
    children,
    is_container,
    kind_of,
    leaves,
)
from dycl.analysis.tensors.joining import join
from dycl.analysis.tensors.outcomes import Outcome
from dycl.ir import InvokeOp, SubscriptOp


@dataclass(frozen=True)
class AnyOf(Unknown):
    """One of these lists or dicts, which nothing changes."""

    tables: tuple[object, ...] = ()


def chosen_item(op: Operation, operands: Sequence[object], why: str) -> Outcome | None:
    """What is known of an item, by any key that the data decides.

    None: this looks nothing up, the key is known, the table may change, or the items
    are of no one kind. `why`: the reason why a list or dict that was chosen is unknown.
    """
    looked_up = _tables_and_key(op, operands)
    if looked_up is None:
        return None
    tables, key, defaults = looked_up
    if len(tables) == 1 and not _is_open_key(key):
        return None
    if not is_read_only(op.operands[0]):
        return None
    items = [*(v for table in tables for v in _items(table, key)), *defaults]
    if items and all(isinstance(item, (list, dict, tuple)) for item in items):
        return Outcome((AnyOf(why, tuple(items)),))
    found = reduce(join, items) if items else Unknown()
    # Of equal items, too: a key that is not there raises, or gives the default.
    kind = kind_of(found)
    return None if kind is None else Outcome((Scalar(kind),))


def _tables_and_key(
    op: Operation, operands: Sequence[object]
) -> tuple[tuple[object, ...], object, Sequence[object]] | None:
    """What is looked in, by which key, and what else it may give."""
    match op, operands:
        case SubscriptOp(), [table, key]:
            defaults: Sequence[object] = ()
        case InvokeOp(), [table, key, *rest] if op.method.data == "get":
            if op.keyword_names or len(rest) > 1:
                return None
            defaults = rest or (None,)
        case _:
            return None
    tables = table.tables if isinstance(table, AnyOf) else (table,)
    if not all(map(is_container, tables)):
        return None
    if isinstance(op, InvokeOp) and not all(isinstance(t, dict) for t in tables):
        return None
    return tables, key, defaults


def _is_open_key(key: object) -> bool:
    """Whether a key is a number or text, or a tuple of such, that only a run knows."""
    parts = list(leaves(key)) if isinstance(key, tuple) else [key]
    return any(isinstance(p, Scalar) for p in parts) and all(
        kind_of(p) is not None for p in parts
    )


def _items(table: object, key: object) -> list[object]:
    """The items that a key may mean in a table."""
    if _is_open_key(key):
        return children(table)
    try:
        return [cast("dict[object, object]", table)[key]]
    except (LookupError, TypeError):
        return []  # it raises there, or gives the default
