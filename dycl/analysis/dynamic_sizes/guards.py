"""What torch assumed when it reckoned with sizes, and what a run must fulfil of that.

    n - (n + 1) // 2 == (n + 1) // 2    required: `a, b = x.chunk(2)`, `a + b`
    n // 2 != 1                         nothing: of 2 rows the op gives what is reckoned
    n >= 2                              tried with 0 and 1, which may be right as well

torch reckons with sizes of two and more. What its guards exclude is tried one by one,
and so are 0 and 1; what then behaves otherwise is required not to be.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from dycl.analysis.dynamic_sizes import settled
from dycl.analysis.dynamic_sizes.ranges import (
    all_allowed,
    allows,
    always,
    is_ranged,
    may_divide_by_zero,
)
from dycl.analysis.dynamic_sizes.size_texts import (
    CannotReckon,
    evaluate,
    is_true,
    words,
)
from dycl.analysis.dynamic_sizes.sizes import (
    CHANGES,
    GUARD,
    NEGATIVE,
    Probe,
    Requirement,
)

_MOST = 16
_TRIED = 6
_FAR = 96
_SMALL = (2, 3, 5)
_COARSE = frozenset((2, 3, 5, 7, 16, 23, 40, 64, 95))
"""Sizes that are tried in all choices: more would take seconds."""
_MOST_NAMES = 4
"""Of no more names all small values are tried with one another."""


def requirements(
    guards: Sequence[str], hints: dict[str, int], ints: Sequence[str], probe: Probe
) -> tuple[Requirement, ...]:
    """What a run must fulfil for a reckoning to hold. CannotReckon: it is not clear.

    `ints` are the names that are no sizes of tensors, and so may be below zero.
    """
    by_size: dict[str, Requirement] = {}
    for name in ints:
        by_size.setdefault(f"{name} >= 0", Requirement(f"{name} >= 0", NEGATIVE))
    tried: set[tuple[tuple[str, int], ...]] = set()
    needed = _Guards(guards, hints, probe).needed(by_size)
    for guard in needed:
        said = settled.said_without(guard, hints, probe)
        by_size[guard] = Requirement(guard, said or GUARD)
    names, singles = list(hints), [{name: v} for name in hints for v in (0, 1)]
    all_small = [
        dict(zip(names, values, strict=True))
        for values in product((0, 1), repeat=len(names))
        if 1 < len(names) <= _MOST_NAMES
    ]
    for small in [*singles, *all_small]:
        sizes = {**hints, **small}
        key = tuple(sorted(sizes.items()))
        if key in tried or not all_allowed(small):
            continue
        tried.add(key)
        if not all(is_true(r.relation, sizes) for r in by_size.values()):
            continue
        if (how := probe(sizes)) is None:
            continue
        if len(small) > 1:
            relation = " or ".join(f"{n} != {v}" for n, v in small.items())
            by_size[relation] = Requirement(relation, how)
            continue
        ((name, value),) = small.items()
        relation = _without(name, value, hints, probe)
        by_size[relation] = Requirement(relation, how)
    return tuple(by_size.values())


@dataclass
class _Guards:
    """The guards of one evaluation, the sizes that torch was given, and a probe."""

    guards: Sequence[str]
    hints: dict[str, int]
    probe: Probe
    _idle: dict[str, bool] = field(default_factory=dict[str, bool])

    def needed(self, by_size: dict[str, Requirement]) -> list[str]:
        """Those that a run must fulfil as they are; of others, what `by_size` gets.

        CannotReckon: torch demands the very sizes that it was given, or divides by one
        that may be zero: of no rows, `chunk` gives another number of parts.
        """
        needed: list[str] = []
        for guard in self.guards:
            divides = may_divide_by_zero(guard, self.hints)
            if divides and not self._fails_where_it_divides(guard):
                raise CannotReckon(settled.FIXED_ONLY)
            if always(guard):
                continue
            if _settled_on_hints(guard, self.hints, self.probe):
                raise CannotReckon(settled.FIXED_ONLY)
            excluded = _excluded(guard, self.hints)
            if excluded is None or len(excluded[1]) > _MOST:
                if divides:
                    raise CannotReckon(settled.FIXED_ONLY)
                if not self._is_idle(guard):
                    needed.append(guard)
                continue
            name, values = excluded
            wrong = self._wrong(guard, name, values)
            # Of `n == 4` all sizes in a range may have been tried: for 1 the op would
            # broadcast, and give the same shape. `n < 4` says more than it excludes.
            is_all = len(wrong) == len(values) and max(wrong, default=0) > 1
            if not divides and is_ranged(name) and ("==" in guard or is_all):
                needed.append(guard)
                continue
            for value, how in wrong.items():
                sizes = {**self.hints, name: value}
                if not all(is_true(other, sizes) for other in needed):
                    continue  # `n > 2` beside `n > 3`, of which 3 is right as well
                relation = _without(name, value, self.hints, self.probe)
                by_size[relation] = Requirement(relation, how)
        return needed

    def _fails_where_it_divides(self, guard: str) -> bool:
        """Whether the op raises of all sizes for which a guard of one name divides by
        zero: of `n // 2` rows, none."""
        name, *others = dict.fromkeys(words(guard))
        if others:
            return False
        zeros: list[int] = []
        for value in range(_FAR):
            try:
                evaluate(guard, {name: value})
            except ZeroDivisionError:
                zeros += [value] * allows(name, value)
        return len(zeros) <= _MOST and all(
            self.probe({**self.hints, name: value}) is not None for value in zeros
        )

    def _wrong(self, guard: str, name: str, values: Sequence[int]) -> dict[int, str]:
        """Of the values that a guard excludes, those with which the op does otherwise,
        each with how.

        Of `n // 2 != 1`, 2 may be right, while 3 is for an equality to exclude.
        """
        found = {value: self.probe({**self.hints, name: value}) for value in values}
        wrong = {value: how for value, how in found.items() if how is not None}
        if "==" in guard or max(wrong, default=0) <= 1:
            return wrong
        equal = [g for g in self.guards if "==" in g and not always(g)]
        equal = [g for g in equal if not self._is_idle(g)]
        return {
            value: how
            for value, how in wrong.items()
            if all(is_true(g, {**self.hints, name: value}) for g in equal)
        }

    def _is_idle(self, guard: str) -> bool:
        if guard not in self._idle:
            rest = [g for g in self.guards if g != guard]
            self._idle[guard] = _is_idle(guard, rest, self.hints, self.probe)
        return self._idle[guard]


def _without(name: str, value: int, hints: dict[str, int], probe: Probe) -> str:
    """That a name has not a value, or another one has a small one that makes up for it:
    of no elements, none may be taken."""
    if len(hints) > _MOST_NAMES:
        return f"{name} != {value}"
    parts = [
        f"{other} == {small}"
        for other in hints
        for small in (0, 1)
        if other != name
        and allows(other, small)
        and probe({**hints, name: value, other: small}) is None
    ]
    return " or ".join([f"{name} != {value}", *parts])


def _settled_on_hints(guard: str, hints: dict[str, int], probe: Probe) -> bool:
    """Whether torch demands the very size it was given, though others work as well.

    `x @ w` demands one, too, and fails with another.
    """
    return "==" in guard and any(
        not is_true(guard, sizes) and probe(sizes) in (None, CHANGES)
        for sizes in settled.other_sizes(guard, hints)
    )


def _is_idle(
    guard: str, rest: Sequence[str], hints: dict[str, int], probe: Probe
) -> bool:
    """Whether small sizes alone do not fulfil a guard, and those tried work as well.

    A layout of memory that torch looks for makes it ask whether an image has one pixel.
    Tried are the smallest, the largest, and some in between.
    """
    names = list(dict.fromkeys(words(guard)))
    if not 0 < len(names) <= 2:
        return False
    ranges = [[v for v in range(_FAR) if allows(name, v)] for name in names]
    tries = (dict(zip(names, values, strict=True)) for values in product(*ranges))
    fails = [dict(sizes) for sizes in tries if not is_true(guard, sizes)]
    is_large = any(
        size >= _FAR // 2 and allows(name, _FAR)
        for sizes in fails
        for name, size in sizes.items()
    )
    if not fails or is_large:
        return False
    # Small sizes are tried one by one, and may fail for reasons of their own.
    fails = [sizes for sizes in fails if min(sizes.values()) > 1] or fails
    corners: list[dict[str, int]] = []
    for name in names:
        by_name = sorted(fails, key=lambda sizes: sizes[name])
        corners += [by_name[0], by_name[-1]]
    between = fails[:: max(1, len(fails) // _TRIED)]
    tried = [*corners, *between, fails[-1]]
    known = [{**hints, **sizes} for sizes in tried]
    few = [sizes for sizes in fails if _COARSE.issuperset(sizes.values())]
    few = few or fails[:_MOST]
    known += _with_small([{**hints, **sizes} for sizes in few], names, rest)
    return all(probe(sizes) is None for sizes in known)


def _with_small(
    known: Sequence[dict[str, int]], names: Sequence[str], rest: Sequence[str]
) -> list[dict[str, int]]:
    """Sizes of which those that a guard does not speak of are small, if there are any
    that the other guards allow: what is the largest of three, each pair decides."""
    others = [name for name in known[0] if name not in names]
    if not 0 < len(others) <= 2:
        return []
    values = [[v for v in _SMALL if allows(name, v)] for name in others]
    choices = [dict(zip(others, few, strict=True)) for few in product(*values)]
    mixed = [{**sizes, **few} for sizes in known for few in choices]
    fitting = [m for m in mixed if all(is_true(guard, m) for guard in rest)]
    return fitting[:: max(1, len(fitting) // _MOST)]


def _excluded(guard: str, hints: dict[str, int]) -> tuple[str, list[int]] | None:
    """The few values of the one name in a guard for which it is false, or None."""
    names = list(dict.fromkeys(words(guard)))
    if len(names) != 1:
        return None
    (name,) = names
    tried = [v for v in range(_FAR) if allows(name, v)]
    values = [v for v in tried if not is_true(guard, {**hints, name: v})]
    if values and values[-1] >= _FAR // 2 and allows(name, _FAR):
        return None
    return name, values
