"""What the functions of `itertools` go over, of iterables whose items are known."""

import itertools
from collections.abc import Callable, Iterable
from typing import cast

from xdsl.ir import SSAValue

from dycl.analysis.folding.items import Item, Items, Known, applies
from dycl.ir import CallOp
from dycl.ir.constant_values import MISSING, constant_value

_MOST = 4096
"""More items are not listed: the loop over them would be too long to unroll."""

ItemsOf = Callable[[Item], list[Item] | None]


def of_itertools(name: str, op: CallOp, items_of: ItemsOf) -> list[Item] | None:
    """The items of a call of one of FUNCTIONS; None: they are not known.

    `items_of` says what an argument, or an item of one, goes over.
    """
    if op.is_starred:
        return None
    keywords: dict[str, object] = {
        key: constant_value(value) for key, value in op.keyword_arguments.items()
    }
    if MISSING in keywords.values():
        return None
    found = FUNCTIONS[name](list(op.positional), keywords, items_of)
    return found if found is None or len(found) <= _MOST else None


_Given = list[SSAValue]
_Keywords = dict[str, object]


def _repeat(given: _Given, keywords: _Keywords, _: ItemsOf) -> list[Item] | None:
    times = constant_value(given[1]) if len(given) == 2 else keywords.pop("times", None)
    if not given or keywords or not isinstance(times, int) or times > _MOST:
        return None
    return list[Item]([given[0]]) * times


def _chain(given: _Given, keywords: _Keywords, of: ItemsOf) -> list[Item] | None:
    parts = _all(given, of)
    if parts is None or keywords:
        return None
    return [item for part in parts for item in part]


def _flat(given: _Given, keywords: _Keywords, of: ItemsOf) -> list[Item] | None:
    parts = _all(given, of)
    if parts is None or keywords or len(parts) != 1:
        return None
    result: list[Item] = []
    for part in parts[0]:
        inner = of(part)
        if inner is None:
            return None
        result += inner
    return result


def _product(given: _Given, keywords: _Keywords, of: ItemsOf) -> list[Item] | None:
    parts, times = _all(given, of), keywords.pop("repeat", 1)
    if parts is None or keywords or not isinstance(times, int):
        return None
    return _rows(itertools.islice(itertools.product(*parts, repeat=times), _MOST + 1))


def _islice(given: _Given, keywords: _Keywords, of: ItemsOf) -> list[Item] | None:
    bounds = [constant_value(value) for value in given[1:]]
    parts = _all(given[:1], of)
    if parts is None or keywords or not 1 <= len(bounds) <= 3:
        return None
    if not all(bound is None or isinstance(bound, int) for bound in bounds):
        return None
    if any(map(applies, parts[0])):
        return None  # what is left out in front is made, too
    bounds = cast("list[int | None]", bounds)
    if any(bound is not None and bound < 0 for bound in bounds) or bounds[2:] == [0]:
        return None  # it raises
    return parts[0][slice(*bounds)]


def _longest(given: _Given, keywords: _Keywords, of: ItemsOf) -> list[Item] | None:
    parts, filled = _all(given, of), Known(keywords.pop("fillvalue", None))
    if parts is None or keywords:
        return None
    return _rows(itertools.zip_longest(*parts, fillvalue=filled))


def _choice(
    choose: Callable[[list[Item], int], Iterable[tuple[Item, ...]]],
) -> Callable[[_Given, _Keywords, ItemsOf], list[Item] | None]:
    def chosen(given: _Given, keywords: _Keywords, of: ItemsOf) -> list[Item] | None:
        parts, size = _all(given[:1], of), constant_value(given[-1])
        if parts is None or keywords or len(given) != 2 or type(size) is not int:
            return None
        if size < 0:
            return None  # it raises
        return _rows(itertools.islice(choose(parts[0], size), _MOST + 1))

    return chosen


def _pairwise(given: _Given, keywords: _Keywords, of: ItemsOf) -> list[Item] | None:
    parts = _all(given, of)
    if parts is None or keywords or len(parts) != 1:
        return None
    return _rows(itertools.pairwise(parts[0]))


def _all(given: _Given, of: ItemsOf) -> list[list[Item]] | None:
    """The items of each iterable, if all are known."""
    parts = [part for value in given if (part := of(value)) is not None]
    return parts if len(parts) == len(given) else None


def _rows(rows: Iterable[tuple[Item, ...]]) -> list[Item] | None:
    """Tuples of items; none that would be made more than once."""
    result = list(rows)
    if any(applies(item) for row in result for item in row):
        return None
    return [Items(row) for row in result]


FUNCTIONS: dict[str, Callable[[_Given, _Keywords, ItemsOf], list[Item] | None]] = {
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _flat,
    "itertools.combinations": _choice(itertools.combinations),
    "itertools.combinations_with_replacement": _choice(
        itertools.combinations_with_replacement
    ),
    "itertools.islice": _islice,
    "itertools.pairwise": _pairwise,
    "itertools.permutations": _choice(itertools.permutations),
    "itertools.product": _product,
    "itertools.repeat": _repeat,
    "itertools.zip_longest": _longest,
}
"""Functions of `itertools` -> what they go over, from their arguments."""
