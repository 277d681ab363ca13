"""Where an element stands: sums of numbered vectors, with their quotients and rests.

An index is `c0 * a0 + c1 * a1 + ... + constant`; an atom is a vector of a tile, such as
the rows of this program, or the quotient or the rest of another index. Each atom knows
its bound, so that the way through a reshape and back gives the index it began with.
All numbers may be sizes that a run decides (`sizes.py`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from dycl.kernels.cuda.tile.sizes import (
    Size,
    at_most,
    computed,
    divided,
    parted,
)


@dataclass(frozen=True)
class Atom:
    """A vector of integers from 0 up to `size`, which it does not reach."""

    name: str
    size: Size
    axis: str = ""
    """The axis of the tile along which it differs; "": it is one number."""
    placed: tuple[str, ...] | None = None
    """Of a value that is computed: all axes along which it differs. It lies in the tile
    as it is."""

    @property
    def axes(self) -> tuple[str, ...]:
        """All axes of the tile along which it differs."""
        if self.placed is not None:
            return self.placed
        return (self.axis,) if self.axis else ()


@dataclass(frozen=True)
class Part:
    """The quotient ("//") or the rest ("%") of an index by a positive number."""

    of: "Index"
    op: str
    by: Size

    @property
    def size(self) -> Size:
        """What it does not reach, if `of` is not negative."""
        if self.op == "%":
            return self.by
        return computed("//", self.of.top + (self.by - 1), self.by)


@dataclass(frozen=True)
class Index:
    """A sum of atoms, each times a number, and a number."""

    terms: tuple[tuple[Atom | Part, Size], ...] = ()
    constant: Size = 0

    @property
    def top(self) -> Size:
        """One more than its greatest value, where there is any."""
        ends = ((a.size - 1) * c for a, c in self.terms if at_most(0, c))
        return sum(ends, 1 + self.constant)

    @property
    def bottom(self) -> Size:
        """Its least value, where there is any."""
        ends = ((a.size - 1) * c for a, c in self.terms if not at_most(0, c))
        return sum(ends, self.constant)

    @property
    def atoms(self) -> frozenset[Atom]:
        """All vectors that it depends on."""
        found = ({a} if isinstance(a, Atom) else set(a.of.atoms) for a, _ in self.terms)
        return frozenset(set[Atom]().union(*found))

    @property
    def axes(self) -> frozenset[str]:
        """The axes of the tile along which it differs."""
        return frozenset(axis for a in self.atoms for axis in a.axes)

    def __add__(self, other: "Index | Size") -> "Index":
        """The sum."""
        if not isinstance(other, Index):
            return Index(self.terms, self.constant + other)
        total: dict[Atom | Part, Size] = dict(self.terms)
        for atom, times in other.terms:
            total[atom] = total.get(atom, 0) + times
        kept = tuple((a, c) for a, c in total.items() if c != 0)
        return _rejoined(Index(kept, self.constant + other.constant))

    def __mul__(self, times: Size) -> "Index":
        """The product with a number."""
        if times == 0:
            return Index()
        return Index(
            tuple((a, c * times) for a, c in self.terms), self.constant * times
        )

    def split(self, by: Size) -> tuple["Index", "Index"]:
        """Quotient and rest by a positive number, of an index that is not negative."""
        if by == 1:
            return self, Index()
        quotients = [(a, c, divided(c, by)) for a, c in self.terms]
        number, left = parted(self.constant, by)
        whole = Index(tuple((a, q) for a, _, q in quotients if q is not None), number)
        rest = Index(tuple((a, c) for a, c, q in quotients if q is None), left)
        if at_most(0, rest.bottom) and at_most(rest.top, by):
            return whole, rest
        return (
            Index(((Part(self, "//", by), 1),)),
            Index(((Part(self, "%", by), 1),)),
        )

    def replaced(self, by: Mapping[Atom, "Index"]) -> "Index":
        """With other indices in the place of atoms."""
        total = Index((), self.constant)
        for atom, times in self.terms:
            if isinstance(atom, Atom):
                new = by.get(atom, of(atom))
            else:
                quotient, rest = atom.of.replaced(by).split(atom.by)
                new = quotient if atom.op == "//" else rest
            total += new * times
        return total

    def text(self, name: Callable[[Atom], str]) -> str:
        """As an expression of Python; `name`: what an atom is called in it."""
        parts = [_term(atom, times, name) for atom, times in self.terms]
        if self.constant != 0 or not parts:
            parts.append(str(self.constant))
        return reduce(
            lambda a, b: f"{a} - {b[1:]}" if b[0] == "-" else f"{a} + {b}", parts
        )


def _term(atom: Atom | Part, times: Size, name: Callable[[Atom], str]) -> str:
    if isinstance(atom, Atom):
        text = name(atom)
    else:
        inner = atom.of.text(name)
        simple = len(atom.of.terms) == 1 and not atom.of.constant
        text = f"{inner if simple else f'({inner})'} {atom.op} {atom.by}"
        text = text if times == 1 else f"({text})"
    return text if times == 1 else f"-{text}" if times == -1 else f"{text} * {times}"


def _rejoined(index: Index) -> Index:
    """With a number in the place of its quotient and its rest."""
    times = dict(index.terms)
    for atom, factor in index.terms:
        if not isinstance(atom, Part) or atom.op != "%":
            continue
        quotient = Part(atom.of, "//", atom.by)
        if times.get(quotient) == factor * atom.by:
            left = tuple((a, c) for a, c in index.terms if a not in (atom, quotient))
            return Index(left, index.constant) + atom.of * factor
    return index


def of(atom: Atom) -> Index:
    """The index that is one atom; an atom that can only be 0 is none."""
    return Index() if atom.size == 1 else Index(((atom, 1),))


def flat(indices: Sequence[Index], shape: Sequence[Size]) -> Index:
    """The number of an element, row by row."""
    total = Index()
    for index, size in zip(indices, shape, strict=True):
        total = total * size + index if size != 1 else total + index
    return total


def unflat(index: Index, shape: Sequence[Size]) -> tuple[Index, ...]:
    """The indices of the element with this number: what `flat` was made of."""
    result: list[Index] = []
    for size in reversed(shape[1:]):
        index, rest = index.split(size)
        result.append(rest)
    return (index, *reversed(result)) if shape else ()


Pairs = Sequence[tuple[int, int]]
"""Of a reshape: how many dimensions on one side are how many on the other."""


def reshaped(
    indices: Sequence[Index],
    shape: Sequence[Size],
    source: Sequence[Size],
    pairs: Pairs = (),
) -> tuple[Index, ...]:
    """The indices in `source` of an element of `shape`, row by row the same.

    `pairs` of sizes that a run decides: which dimensions are which.
    """
    result: list[Index] = []
    at = 0
    for group, wanted in _groups(shape, source, pairs):
        number = flat(indices[at : at + len(group)], group)
        result += unflat(number, wanted)
        at += len(group)
    return tuple(result)


def _groups(
    left: Sequence[Size], right: Sequence[Size], pairs: Pairs
) -> Iterable[tuple[Sequence[Size], Sequence[Size]]]:
    """Runs of both that have as many elements, as short as they can be."""
    known = [[n for n in side if isinstance(n, int)] for side in (left, right)]
    if len(known[0]) == len(left) and len(known[1]) == len(right):
        yield from _runs(known[0], known[1])
        return
    i = j = 0
    for many, others in pairs:
        yield left[i : i + many], right[j : j + others]
        i, j = i + many, j + others


def _runs(
    left: Sequence[int], right: Sequence[int]
) -> Iterable[tuple[Sequence[int], Sequence[int]]]:
    i = j = 0
    while i < len(left) or j < len(right):
        start, begin, a, b = i, j, 1, 1
        while True:
            if a <= b and i < len(left) and (a < b or i == start):
                a *= left[i]
                i += 1
            elif j < len(right) and (b < a or j == begin):
                b *= right[j]
                j += 1
            elif a == b:
                break
            elif a < b:
                a *= left[i]
                i += 1
            else:
                b *= right[j]
                j += 1
        yield left[start:i], right[begin:j]


def own_atoms(shape: Sequence[Size], letter: str = "d") -> tuple[Index, ...]:
    """The indices of an element of a shape, each an atom of its own."""
    return tuple(of(Atom(f"{letter}{i}", n)) for i, n in enumerate(shape))
