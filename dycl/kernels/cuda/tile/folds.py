"""How reductions put elements together: what a body says, and Triton's functions.

A sum, a product, an extreme value, `any` and `all` fold one thing; `max` with indices
folds two, the value and where it stands, of which eager gives the first.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cuda.tile.payload import Value, literal


@dataclass(frozen=True)
class Fold:
    """How a reduction puts elements together."""

    helper: str
    """The function of the module's head that joins two."""
    identity: tuple[Value, ...]
    """What changes nothing, for each thing that is carried."""
    elements: tuple[Any, ...]
    """The values of the body that are folded in, for each."""
    has_index: bool = False


_FOLDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "arith.addf": ("add", lambda kind: 0.0),
    "arith.addi": ("add", lambda kind: 0),
    "arith.mulf": ("multiply", lambda kind: 1.0),
    "arith.muli": ("multiply", lambda kind: 1),
    "arith.maximumf": ("maximum", lambda kind: -math.inf),
    "arith.minimumf": ("minimum", lambda kind: math.inf),
    "arith.maxsi": ("maximum", lambda kind: -(2 ** (_width(kind) - 1))),
    "arith.minsi": ("minimum", lambda kind: 2 ** (_width(kind) - 1) - 1),
    "arith.andi": ("both", lambda kind: True if kind == "i1" else -1),
    "arith.ori": ("either", lambda kind: False if kind == "i1" else 0),
}
_EXTREMES = {
    "arith.maximumf": ("first_greatest", -math.inf),
    "arith.maxsi": ("first_greatest", None),
    "arith.minimumf": ("first_least", math.inf),
    "arith.minsi": ("first_least", None),
}
NO_INDEX = 2**31 - 1
"""Behind every index."""


def _width(kind: str) -> int:
    return int(kind[1:])


def fold_of(
    block_results: Sequence[Any], body: Sequence[Any], wanted: int
) -> Fold | None:
    """How the result `wanted` of a reduction is made; None: no template does that.

    `block_results`: what the body is given of the results so far.
    """
    ends = list(body[-1].operands)
    made = {r: op for op in body for r in op.results}
    first = made.get(ends[0])
    if wanted == 0 and first is not None and first.name in _FOLDS:
        helper, identity = _FOLDS[first.name]
        rest = [v for v in first.operands if v != block_results[0]]
        depends = _depends(rest[0], set(block_results), made) if rest else True
        if len(rest) == 1 and not depends:
            kind = str(ends[0].type)
            return Fold(helper, (literal(identity(kind), kind),), (rest[0],))
        return None
    return _extreme(first, block_results, ends, made)


def _extreme(
    first: Any, block_results: Sequence[Any], ends: Sequence[Any], made: dict[Any, Any]
) -> Fold | None:
    """Of `max` with indices: the value and where it stands."""
    if first is None or first.name not in _EXTREMES or len(ends) != 2:
        return None
    chosen = made.get(ends[1])
    if chosen is None or chosen.name != "arith.select":
        return None
    values = [v for v in first.operands if v != block_results[0]]
    places = [v for v in list(chosen.operands)[1:] if v != block_results[1]]
    if len(values) != 1 or len(places) != 1 or chosen.operands[2] != block_results[1]:
        return None
    if not _compares(made.get(chosen.operands[0]), made):
        return None
    helper, worst = _EXTREMES[first.name]
    kind = str(ends[0].type)
    if worst is None:
        worst = _FOLDS[first.name][1](kind)
    identity = (literal(worst, kind), literal(NO_INDEX, str(ends[1].type)))
    return Fold(helper, identity, (values[0], places[0]), True)


def _compares(op: Any, made: dict[Any, Any]) -> bool:
    """Whether it says that an element is better than the best so far, in order."""
    if op is not None and op.name == "arith.andi":  # `cpu-first-nan-wins`
        op = made.get(op.operands[0])
    if op is None:
        return False
    number = int(ir.IntegerAttr(op.attributes["predicate"]).value)
    if op.name == "arith.cmpf":
        return number in (2, 4, 9, 11)
    return op.name == "arith.cmpi" and number in (2, 4)


def _depends(value: Any, on: set[Any], made: dict[Any, Any]) -> bool:
    if value in on:
        return True
    op = made.get(value)
    return op is not None and any(_depends(v, on, made) for v in op.operands)
