"""Which tensor of a state is given to the next call where.

a call leaves    {"a": %t, "b": [%u, None]}
it was given     {"a": argument 1, "b": [argument 2, None]}
so               %t is argument 1 of the next call, and %u its argument 2
"""

from typing import cast

from dycl.analysis.tensors.structures import Known, Leaf
from dycl.ir.values import LeafRef


def matched(left: object, given: object) -> list[tuple[Leaf, LeafRef]] | None:
    """The tensors that a call leaves, each with the place where the next call is given
    it; None: the two are not of one structure."""
    if isinstance(given, LeafRef):
        is_leaf = not isinstance(left, (list, tuple, dict))
        return [(cast(Leaf, left), given)] if is_leaf else None
    if isinstance(left, Known) and not isinstance(given, (list, tuple, dict)):
        return []
    if isinstance(left, dict) and isinstance(given, dict):
        here = cast("dict[object, object]", left)
        there = cast("dict[object, object]", given)
        if here.keys() != there.keys():
            return None
        items = [(item, there[key]) for key, item in here.items()]
    elif isinstance(left, (list, tuple)) and type(left) is type(given):
        one = cast("list[object]", left)
        other = cast("list[object]", given)
        if len(one) != len(other):
            return None
        items = list(zip(one, other, strict=True))
    else:
        return None
    found = [matched(*pair) for pair in items]
    if any(pairs is None for pairs in found):
        return None
    return [pair for pairs in found for pair in pairs or ()]
