"""`min`, `max` and `sorted` of known items, also by a key."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import from_type, kind_of
from dycl.ir import CallOp, ListOp, TupleOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.torch import BoolT, IntT
from dycl.ir.values import FunctionRef, GlobalRef
from dycl.passes.builtins.items import Site, is_number, is_settled

_MOST_SORTED = 32
"""A sort by comparisons that are made one by one grows with the square."""


_MOST_WITH_NAN = 3
"""So many items are in Python's order also where some are NaN, less than none;
from four on Python's sort by bisection need not come upon it."""

_REFUSE_NAN = FunctionRef("dycl.prelude.lists.refuse_nan")


def min_or_max(site: Site, op: CallOp) -> bool:
    """`max(v)`, `max(a, b)`, with `key=` and `default=`: the first of the greatest."""
    keywords = op.keyword_arguments
    key, default = keywords.pop("key", None), keywords.pop("default", None)
    positional = list(op.positional)
    if keywords or not positional:
        return False
    if len(positional) == 1:
        items = site.items(positional[0])
        if items is None:
            return False
        values = site.values(items)
    else:
        values = positional
    if not values:
        return default is not None and site.done(default)
    if len(values) == 1:
        return site.done(values[0])
    if constant_value(key) is None if key is not None else True:
        key = None
    if key is None and not all(map(_can_compare, values)):
        return False
    kinds = {kind_of(constant_value(v)) or kind_of(from_type(v.type)) for v in values}
    # Of an int and a float the one that is chosen keeps its kind: two paths.
    if key is None and len(kinds) == 1 and all(map(is_number, values)):
        if len(positional) > 1:
            return False  # numbers stay for the host
        return site.done(site.add(CallOp(op.callee, values)))
    callee = constant_value(op.callee)
    assert isinstance(callee, GlobalRef)
    kind = "lt" if callee.name == "builtins.min" else "gt"
    keys = _keys(site, key, values)
    best, best_key = values[0], keys[0]
    for value, its_key in zip(values[1:], keys[1:], strict=True):
        best, best_key = _better(site, kind, (value, its_key), (best, best_key))
    return site.done(best)


def _better(
    site: Site,
    kind: str,
    new: tuple[SSAValue, SSAValue],
    old: tuple[SSAValue, SSAValue],
) -> tuple[SSAValue, SSAValue]:
    test = site.to_bool(site.compare(kind, new[1], old[1]))
    value, key = site.branch(test, f"{kind}", lambda: new, lambda: old)
    return value, key


def _keys(
    site: Site, key: SSAValue | None, values: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    if key is None:
        return values
    return [site.add(CallOp(key, [value])) for value in values]


def _can_compare(value: SSAValue) -> bool:
    return is_settled(value) or isinstance(value.owner, (TupleOp, ListOp))


def sort(site: Site, op: CallOp) -> bool:
    """`sorted(v, key=f)`: an insertion sort, as stable as Python's.

    Without a key, what is known is sorted by `dycl-propagate-constants`, and here ints
    are: where Python sorts a NaN to depends on all the others. A key that is one raises
    NotImplementedError where there are more than three.
    """
    keywords = op.keyword_arguments
    key, reverse = keywords.pop("key", None), keywords.pop("reverse", None)
    if keywords or len(op.positional) != 1:
        return False
    if key is not None and constant_value(key) is None:
        key = None
    descending = False if reverse is None else constant_value(reverse)
    items = site.items(op.positional[0])
    if items is None or len(items) > _MOST_SORTED or not isinstance(descending, bool):
        return False
    values = site.values(items)
    if key is None and not all(map(_is_int, values)):
        return False
    if key is None and all(constant_value(v) is not MISSING for v in values):
        return False
    pairs = list(zip(values, _keys(site, key, values), strict=True))
    if key is not None and len(pairs) > _MOST_WITH_NAN:
        for _, its_key in pairs:
            site.add(CallOp(site.constant(_REFUSE_NAN), [its_key]))
    for end in range(1, len(pairs)):
        for i in range(end, 0, -1):
            before, after = pairs[i - 1], pairs[i]
            kind = "gt" if descending else "lt"
            test = site.to_bool(site.compare(kind, after[1], before[1]))
            branch = site.branch(
                *(test, "sorted"),
                lambda b=before, a=after: [*a, *b],
                lambda b=before, a=after: [*b, *a],
            )
            pairs[i - 1], pairs[i] = (branch[0], branch[1]), (branch[2], branch[3])
    return site.done(site.add(ListOp([value for value, _ in pairs])))


def _is_int(value: SSAValue) -> bool:
    return value.type in (BoolT, IntT) or isinstance(constant_value(value), int)
