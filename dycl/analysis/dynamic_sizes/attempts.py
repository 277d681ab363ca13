"""Sizes with which torch is asked about those that only a run knows."""

from collections.abc import Sequence
from itertools import cycle
from math import prod

from dycl.analysis.dynamic_sizes.ranges import allows, range_of
from dycl.analysis.dynamic_sizes.size_texts import evaluate, words
from dycl.analysis.dynamic_sizes.sizes import (
    Attempt,
    dims_of,
    is_counted,
    names_in,
)
from dycl.analysis.dynamic_sizes.views import fitting_hints
from dycl.analysis.tensors.abstract import Tensor, leaves


def attempts(operands: Sequence[object], relation: str | None = None) -> list[Attempt]:
    """Sizes to reckon with: all different, all equal, equal to a known size, multiples
    of the numbers that the op is given (`x[mask].view(8, -1)`), such that a relation
    holds, divisible by many (`a, b = x.chunk(2)`, `a + b`), or small ones."""
    names = names_in(operands)
    known = sorted(
        {
            size
            for tree in operands
            for leaf in leaves(tree)
            if isinstance(leaf, Tensor)
            for size in leaf.shape
            if isinstance(size, int) and size > 1
        }
    )
    different = _different(operands, names)
    result = [Attempt(different)]
    if relation is not None:
        result += map(Attempt, fitting_hints(relation, names, PRIMES))
    for size in (_common(names), *known):
        result.append(Attempt(tuple((name, size) for name in names)))
    if 1 < (factor := _product(operands)) <= _LARGEST:
        result.append(Attempt(tuple((n, size * factor) for n, size in different)))
    result.append(Attempt(tuple((name, _divisible(name)) for name in names)))
    result.append(Attempt(_in_turn(names, _SMALL_PRIMES)))
    return [Attempt(_in_range(attempt.hints)) for attempt in result]


def _different(
    operands: Sequence[object], names: Sequence[str]
) -> tuple[tuple[str, int], ...]:
    """A prime for each name; larger ones if a size would be 0 or 1, such as that of an
    image after five strides: torch would broadcast it. Else any others of their ranges,
    as for the rest to a whole window, `-n % 4`."""
    usual, large = (_in_turn(names, primes) for primes in (PRIMES, _LARGE_PRIMES))
    for found in (usual, large, _without_small(operands, _in_range(usual))):
        if not has_small(operands, Attempt(_in_range(found))):
            return found
    return usual


def _without_small(
    operands: Sequence[object], hints: Sequence[tuple[str, int]]
) -> tuple[tuple[str, int], ...]:
    """The nearest size for each name for which no size that it alone decides is 0 or 1,
    and that no other name has."""
    found = dict(hints)
    texts = {d.text for tree in operands for x in leaves(tree) for d in dims_of(x)}
    for name, hint in hints:
        own = [text for text in texts if {*words(text)} == {name}]
        others = {size for other, size in found.items() if other != name}
        near = (hint + step * sign for step in range(_NEAR) for sign in (-1, 1))
        fitting = (
            size
            for size in near
            if size > 1 and allows(name, size) and size not in others
            if all(evaluate(text, {name: size}) > 1 for text in own)
        )
        found[name] = next(fitting, hint)
    return tuple(found.items())


def _in_turn(names: Sequence[str], sizes: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """A size for each name; of more names some have the same."""
    return tuple(zip(names, cycle(sizes), strict=False))


def larger(attempt: Attempt) -> Attempt:
    """The same with larger sizes, where they may be as large."""
    names = [name for name, _ in attempt.hints]
    return Attempt(_in_range(_in_turn(names, _LARGE_PRIMES)))


def has_small(operands: Sequence[object], attempt: Attempt | None) -> bool:
    """Whether a size that a run decides is 0 or 1 with those of an attempt."""
    hints = dict(attempt.hints) if attempt else {}
    sizes = [d for tree in operands for leaf in leaves(tree) for d in dims_of(leaf)]
    return any(not is_counted(d) and evaluate(d.text, hints) < 2 for d in sizes)


def _in_range(hints: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """The hints that a name may be of; of the others different ones, where it can."""
    used = {size for name, size in hints if allows(name, size)}
    result: list[tuple[str, int]] = []
    for name, size in hints:
        low, high = range_of(name)
        if not allows(name, size):
            least = max(2, low)
            most = least + len(hints) if high is None else high
            near = range(most, least - 1, -1) if size > most else range(least, most + 1)
            size = next((n for n in near if n not in used), near[0])
            used.add(size)
        result.append((name, size))
    return tuple(result)


def _common(names: Sequence[str]) -> int:
    """A size that each name may be of, if there is one."""
    lows, highs = zip(*map(range_of, names), strict=True) if names else ((), ())
    most = min((high for high in highs if high is not None), default=PRIMES[0])
    return max(min(PRIMES[0], most), *lows, 2)


def _divisible(name: str) -> int:
    """A size that many numbers divide, which a name may be of, if there is one."""
    low, _ = range_of(name)
    multiples = (max(step, -(-low // step) * step) for step in _DIVISIBLE)
    return next((n for n in multiples if allows(name, n)), _DIVISIBLE[0])


def _product(operands: Sequence[object]) -> int:
    """Of all plain numbers above one."""
    plain = [leaf for tree in operands for leaf in leaves(tree)]
    return prod(item for item in plain if type(item) is int and item > 1)


_LARGE_PRIMES = (1511, 1523, 1531, 1543, 1549, 1553, 1559, 1567, 1571, 1579)
_LARGEST = 2**31
_NEAR = 17
"""How far from the usual size another one is looked for."""
_DIVISIBLE = (720, 120, 24, 12, 6, 4, 2)
_SMALL_PRIMES = (3, 2, 5, 7)
"""For what is left of a known size: `torch.zeros(8 - n)`."""
PRIMES = (37, 41, 43, 47, 53, 59, 61, 67, 71, 73)
