"""Whether two runs took the same path, and where they part."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dycl.checking.comparisons import Comparison, told_apart
from dycl.checking.eager import EagerDecision
from dycl.checking.program import decision_of
from dycl.checking.values import spacing
from dycl.checking.watching import Decided
from dycl.runtime import Decision

CLOSE = 1e-3
"""A decision is close if its margin is less, relative to what it compares."""


@dataclass(frozen=True)
class PathDifference:
    """The first decision that two runs take differently."""

    index: int
    """Its place in the path, from 0."""
    decision: Decision
    """As the network takes it, or would have."""
    here: bool | None
    """The side that the network takes; None: it makes no such decision."""
    expected: bool | None
    """The side that it should take; None: no such decision should be made."""
    comparison: Comparison | None
    """What the network compares; None: not known."""
    expected_comparison: Comparison | None
    """What is compared where it is right; None: not known."""
    against: str
    """Whose path it is compared with: `eager`, or `the interpreter`."""

    def __str__(self) -> str:
        """`exit2: p.max() > 0.7 (net.py:31): 0.7003 here, 0.6998 in eager, ...`."""
        what = ": ".join(p for p in (self.decision.name, self.decision.test) if p)
        at = self.decision
        head = f"{what or 'a decision'} ({at.file}:{at.line})"
        here, there = self.comparison, self.expected_comparison
        if here is not None and there is not None and not self._is_inside:
            if here.threshold == there.threshold:
                mine, right, threshold = told_apart(
                    here.value, there.value, here.threshold
                )
                numbers = f"{mine} here, {right} in {self.against}"
                return f"{head}: {numbers}, threshold {threshold}"
            return f"{head}: {here} here, {there} in {self.against}"
        sides = [_side(self.here), _side(self.expected)]
        text = f"{head}: {sides[0]} here, {sides[1]} in {self.against}"
        return text if there is None else f"{text}, of {there}"

    @property
    def _is_inside(self) -> bool:
        """Whether both sides compare the same, so that the kernel itself errs."""
        here, there = self.comparison, self.expected_comparison
        is_same = here is not None and there is not None and here.holds == there.holds
        return is_same and self.here != self.expected


@dataclass(frozen=True)
class Margin:
    """How close a decision came to its threshold."""

    index: int
    """The place of the decision in the path, from 0."""
    decision: Decision
    comparison: Comparison
    """What is compared where it is right."""
    here: Comparison | None
    """What the network compares; None: not known."""
    error: float
    """How far the value may be off: what it is here, and at least one ulp."""

    @property
    def margin(self) -> float:
        """The distance from the value to its threshold."""
        return self.comparison.margin or 0.0

    @property
    def may_flip(self) -> bool:
        """Whether an error of that size would turn the decision."""
        return 0 < self.error >= self.margin

    def __str__(self) -> str:
        """`exit2: p.max() > 0.7 (net.py:31): 0.7003 > 0.7, margin 0.0003, ...`."""
        at = self.decision
        what = ": ".join(part for part in (at.name, at.test) if part) or "a decision"
        flip = ", may flip" if self.may_flip else ""
        return (
            f"{what} ({at.file}:{at.line}): {self.comparison}, "
            f"margin {self.margin:.2g}, error {self.error:.2g}{flip}"
        )


def margins(expected: Sequence[Decided], here: Sequence[Decided]) -> list[Margin]:
    """The margins of the decisions that are orderings, in order.

    `here`: the decisions of the compiled kernels, up to where the paths part.
    """
    result: list[Margin] = []
    parted = False
    for index, decided in enumerate(expected):
        other = here[index] if index < len(here) and not parted else None
        if other is None or other.op is not decided.op:
            other, parted = None, True
        mine = None if other is None else closest(other.comparisons)
        if (comparison := closest(decided.comparisons)) is not None:
            decision = decision_of(decided.op, decided.taken)
            error = _error(comparison, mine)
            result.append(Margin(index, decision, comparison, mine, error))
        # Behind a decision that differs nothing can be compared.
        parted = parted or other is None or other.taken != decided.taken
    return result


def near_misses(
    expected: Sequence[Decided], here: Sequence[Decided], rtol: float | None = None
) -> set[str]:
    """The kernels of decisions that part two paths, or that nearly do.

    It is there that a difference in what is compared may count. Where errors up to
    `rtol` are allowed, so is any margin that they could take.
    """
    close = max(CLOSE, rtol or 0.0)
    result: set[str] = set()
    for index, decided in enumerate(expected):
        other = here[index] if index < len(here) else None
        parts = other is None or (other.op, other.taken) != (decided.op, decided.taken)
        comparison = closest(decided.comparisons)
        if parts or (comparison is not None and _is_close(comparison, close)):
            result |= decided.kernels
        if parts:
            return result
    return result


def _is_close(comparison: Comparison, close: float) -> bool:
    largest = max(abs(comparison.value), abs(comparison.threshold))
    return (comparison.margin or 0.0) <= close * largest


def _error(comparison: Comparison, here: Comparison | None) -> float:
    largest = max(abs(comparison.value), abs(comparison.threshold))
    least = spacing(largest, comparison.dtype)
    return least if here is None else max(least, abs(here.value - comparison.value))


def closest(comparisons: Sequence[Comparison]) -> Comparison | None:
    """The comparison that would turn first. None: there is no ordering."""
    known = [c for c in comparisons if c.margin is not None]
    return min(known, key=lambda c: c.margin or 0.0, default=None)


def first_difference(
    path: Sequence[Decision],
    here: Sequence[Decided],
    expected: Sequence[Decided],
    eager: Sequence[EagerDecision],
    lines: Collection[tuple[str, int]],
) -> PathDifference | None:
    """Where a network's path is not the interpreter's, or the latter not eager's.

    `here`: the decisions of the compiled kernels, with what they compare; `lines`:
    those with one test, where a decision of eager's can be that of the program only.
    """
    right = [decision_of(d.op, d.taken) for d in expected]
    seen = _matched(expected, [d for d in eager if (d.file, d.line) in lines])
    for index in range(max(len(path), len(right))):
        mine = path[index] if index < len(path) else None
        wanted = right[index] if index < len(right) else None
        if mine != wanted:
            return _difference(index, mine, wanted, here, expected, seen)
    for index, (decided, match) in enumerate(zip(expected, seen, strict=True)):
        if match is not None and match.taken != decided.taken:
            return PathDifference(
                index,
                right[index],
                decided.taken,
                match.taken,
                _first(here[index].comparisons if index < len(here) else ()),
                _first(match.comparisons),
                "eager",
            )
    return None


def _difference(
    index: int,
    mine: Decision | None,
    wanted: Decision | None,
    here: Sequence[Decided],
    expected: Sequence[Decided],
    seen: Sequence[EagerDecision | None],
) -> PathDifference:
    decision = mine if mine is not None else wanted
    assert decision is not None
    is_one = (
        mine is not None
        and wanted is not None
        and (mine.name, mine.test, mine.file, mine.line)
        == (wanted.name, wanted.test, wanted.file, wanted.line)
    )
    own = here[index] if index < len(here) else None
    is_own = (
        own is not None and mine is not None and decision_of(own.op, own.taken) == mine
    )
    match = seen[index] if index < len(seen) else None
    right = expected[index].comparisons if index < len(expected) else ()
    if match is not None and match.comparisons:
        right = match.comparisons
    return PathDifference(
        index,
        decision,
        None if mine is None else mine.taken,
        wanted.taken if is_one and wanted is not None else None,
        _first(own.comparisons) if own is not None and is_own and is_one else None,
        _first(right) if is_one else None,
        "the interpreter" if match is None else "eager",
    )


def _matched(
    expected: Sequence[Decided], eager: Sequence[EagerDecision]
) -> list[EagerDecision | None]:
    """For each decision the one of eager's that it is; None: that cannot be said.

    Eager makes more of them: what was settled when the network was compiled is no
    decision any more. Decisions are told apart by their lines.
    """
    lines = {(d.file, d.line) for d in eager}
    rest = list(eager)
    result: list[EagerDecision | None] = []
    for decided in expected:
        decision = decision_of(decided.op, decided.taken)
        line = decision.file, decision.line
        if line not in lines or _is_compound(decision.test):
            result.append(None)
            continue
        negated = decision.test.startswith("not ")
        here = [i for i, d in enumerate(rest) if (d.file, d.line) == line]
        found = [i for i in here if (rest[i].taken != negated) == decided.taken]
        if not here:
            result.append(None)
            continue
        chosen = found[0] if found else here[0]
        match = rest[chosen]
        if negated:
            match = EagerDecision(
                match.file, match.line, match.source, not match.taken, match.comparisons
            )
        result.append(match)
        rest = rest[chosen + 1 :]
    return result


def _is_compound(test: str) -> bool:
    words = test.replace("(", " ").replace(")", " ").split()
    return bool({"and", "or", "if"} & {*words}) or "not" in words[1:]


def _first(comparisons: Sequence[Comparison]) -> Comparison | None:
    return closest(comparisons) or next(iter(comparisons), None)


def _side(taken: bool | None) -> str:
    return "not made" if taken is None else str(taken)
