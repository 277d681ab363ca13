"""Sizes that a run decides, beside those that are ints.

A size is an int or a sum of products of symbols: `16 * n * n + 3`. A symbol is a size
of an argument, a number among the arguments, or what the host computes from others, as
a quotient. What is equal as a sum is equal; what is not may still be equal in a run, so
that all that is decided by sizes here asks what is sure.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce

from dycl.runtime.cuda.sizes import MOST_ELEMENTS

USUAL = 128
"""What plans take a size for that a run decides."""


@dataclass(frozen=True)
class Symbol:
    """A number that the host of a run knows.

    `op` with what it is of: `dim` (number of the argument, dimension), `number` (of the
    argument), or an operation on sizes: `//`, `quotient` (as C has it), `min`, `max`,
    `lt`, `le`, `eq`, `ne`, `select`.
    """

    op: str
    of: "tuple[Size, ...]"

    @cached_property
    def name(self) -> str:
        """What it is called in a function: of an operation, by a digest of it."""
        if self.op == "dim":
            return f"x{self.of[0]}_{self.of[1]}"
        if self.op == "number":
            return f"x{self.of[0]}_n"
        return "n_" + hashlib.sha256(str(self).encode()).hexdigest()[:8]

    def __str__(self) -> str:
        """The operation, in full."""
        if self.op in ("dim", "number"):
            return self.name
        parts = [size.full if isinstance(size, Sum) else str(size) for size in self.of]
        if self.op == "//":
            return " // ".join(parts)
        return f"{self.op}({', '.join(parts)})"

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that it may have."""
        if self.op == "dim":
            return 0, MOST_ELEMENTS  # a run asks for that
        if self.op in ("lt", "le", "eq", "ne"):
            return 0, 1
        if self.op == "number":
            return -math.inf, math.inf
        lows, highs = zip(*(bounds(size) for size in self.of), strict=True)
        if self.op in ("min", "max"):
            choose = min if self.op == "min" else max
            return choose(lows), choose(highs)
        if self.op == "select":
            return min(lows[1:]), max(highs[1:])
        if self.op == "//" and lows[0] >= 0 and lows[1] >= 1:
            return 0, highs[0]
        return -math.inf, math.inf


Monomial = tuple[Symbol, ...]
"""A product of symbols, in the order of their names; `()` is 1."""


@dataclass(frozen=True)
class Sum:
    """A size that is no int: products of symbols, each times a number."""

    terms: tuple[tuple[Monomial, int], ...]

    def __add__(self, other: "Size") -> "Size":
        """The sum."""
        total = dict(self.terms)
        for product, times in _terms(other):
            total[product] = total.get(product, 0) + times
        return _size(total)

    __radd__ = __add__

    def __mul__(self, other: "Size") -> "Size":
        """The product."""
        total: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in _terms(other):
                product = tuple(sorted((*left, *right), key=lambda s: s.name))
                total[product] = total.get(product, 0) + a * b
        return _size(total)

    __rmul__ = __mul__

    def __neg__(self) -> "Size":
        """What gives 0 with it."""
        return self * -1

    def __sub__(self, other: "Size") -> "Size":
        """The difference."""
        return self + other * -1

    def __rsub__(self, other: "Size") -> "Size":
        """The difference."""
        return other + self * -1

    @property
    def symbols(self) -> "frozenset[Symbol]":
        """All symbols in it."""
        return frozenset(symbol for product, _ in self.terms for symbol in product)

    @cached_property
    def text(self) -> str:
        """As an expression of Python that binds as a name does."""
        if len(self.terms) == 1 and len(self.terms[0][0]) == 1 == self.terms[0][1]:
            return self.terms[0][0][0].name
        parts: list[str] = []
        for product, times in self.terms:
            names = [symbol.name for symbol in product]
            number = [str(times)] if times != 1 or not names else []
            parts.append(" * ".join([*names, *number]))
        return "(" + " + ".join(parts).replace("+ -", "- ") + ")"

    @cached_property
    def full(self) -> str:
        """The same by the arguments alone."""
        by_name = {symbol.name: symbol for symbol in self.symbols}
        return _NAME.sub(lambda m: _full(by_name[m[0]]), self.text)

    def __str__(self) -> str:
        """As it stands in functions."""
        return self.text

    __repr__ = __str__


def _full(one: Symbol) -> str:
    return f"({one})" if one.op == "//" else str(one)


Size = int | Sum
"""Of a dimension, or of several together."""


def _terms(size: Size) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(size, Sum):
        return size.terms
    return (((), size),) if size else ()


def _size(terms: Mapping[Monomial, int]) -> Size:
    kept = {product: times for product, times in terms.items() if times}
    if not kept.keys() - {()}:
        return kept.get((), 0)
    return Sum(tuple(sorted(kept.items(), key=_rank)))


def _rank(term: tuple[Monomial, int]) -> tuple[int, list[str]]:
    """Long products first, the number last."""
    return -len(term[0]), [symbol.name for symbol in term[0]]


_BY_NAME: dict[str, Symbol] = {}
"""All that have been made; a name says what it is of."""
_NAME = re.compile(r"\b(?:x\d+_(?:\d+|n)|n_[0-9a-f]{8})\b")


def symbol(op: str, *of: Size) -> Size:
    """The size that is one symbol."""
    one = Symbol(op, of)
    return Sum((((_BY_NAME.setdefault(one.name, one),), 1),))


def symbols_in(lines: Iterable[str]) -> list[Symbol]:
    """The symbols whose names stand in a text, as they first appear."""
    names = (name for line in lines for name in _NAME.findall(line))
    return [_BY_NAME[name] for name in dict.fromkeys(names) if name in _BY_NAME]


def renamed(text: str, names: dict[str, str]) -> str:
    """With short names for digests; `names`: those that have been given, n0 first."""

    def short(match: "re.Match[str]") -> str:
        if not match[0].startswith("n_"):
            return match[0]
        return names.setdefault(match[0], f"n{len(names)}")

    return _NAME.sub(short, text)


def alone(size: Size) -> Symbol | None:
    """The symbol that a size is, if it is one."""
    if isinstance(size, Sum) and len(size.terms) == 1:
        ((product, times),) = size.terms
        if times == 1 and len(product) == 1:
            return product[0]
    return None


def count(sizes: Iterable[Size]) -> Size:
    """How many elements there are."""
    one: Size = 1
    return reduce(lambda a, b: a * b, sizes, one)


def bounds(size: Size) -> tuple[float, float]:
    """The least and the greatest value that it may have; too wide at worst."""
    low = high = 0.0
    for product, times in _terms(size):
        least = most = float(times)
        for one in product:
            ends = [_product(x, y) for x in (least, most) for y in one.bounds]
            least, most = min(ends), max(ends)
        low, high = low + least, high + most
    return low, high


def _product(a: float, b: float) -> float:
    return 0.0 if 0 in (a, b) else a * b


def at_most(a: Size, b: Size) -> bool:
    """Whether a is surely no more than b."""
    difference = b - a
    if isinstance(difference, int):
        return difference >= 0
    return bounds(difference)[0] >= 0


def divided(size: Size, by: Size) -> Size | None:
    """The quotient, if nothing is left; None: something may be."""
    if isinstance(size, int) and isinstance(by, int):
        return None if size % by else size // by
    quotient: Size = 0
    first, factor = _terms(by)[0]
    while size != 0:
        product, times = _terms(size)[0]
        left = list(product)
        for one in first:
            if one not in left:
                return None
            left.remove(one)
        if times % factor:
            return None
        part = _size({tuple(left): times // factor})
        quotient = quotient + part
        size = size - part * by
    return quotient


def parted(size: Size, by: Size) -> tuple[Size, Size]:
    """What of a size `by` divides, as a quotient, and what is left."""
    if isinstance(size, int) and isinstance(by, int):
        return divmod(size, by)
    whole: Size = 0
    for product, times in _terms(size):
        quotient = divided(_size({product: times}), by)
        if quotient is not None:
            whole = whole + quotient
    if isinstance(by, int):
        number = dict(_terms(size)).get((), 0)
        whole = whole + (number // by if number % by else 0)
    return whole, size - whole * by


def quotient(size: Size, by: Size) -> Size:
    """The quotient, rounded down, of what is not negative."""
    whole, rest = parted(size, by)
    if isinstance(rest, int) and isinstance(by, int) and 0 <= rest < by:
        return whole
    return symbol("//", size, by)


def parts_of(size: Size, by: int) -> Size:
    """How many parts of a length there are; the last may be shorter."""
    return quotient(size + (by - 1), by)


def usual(size: Size) -> int:
    """What plans take a size for."""
    if isinstance(size, int):
        return size
    total = 0
    for product, times in size.terms:
        total += times * math.prod(_usual(one) for one in product)
    return max(1, total)


def held(size: Size, most: int) -> int:
    """Of a length, what is held at once, if it is surely no more than `most`."""
    if isinstance(size, Sum) and at_most(size, most):
        return int(bounds(size)[1])
    return usual(size)


def _usual(one: Symbol) -> int:
    if one.op == "//":
        return max(1, usual(one.of[0]) // usual(one.of[1]))
    return USUAL


def replaced(size: Size, by: Mapping[Symbol, Size]) -> Size:
    """With other sizes in the place of symbols, within symbols too."""
    if isinstance(size, int):
        return size
    total: Size = 0
    for product, times in size.terms:
        total = total + count([times, *(_replaced(one, by) for one in product)])
    return total


def _replaced(one: Symbol, by: Mapping[Symbol, Size]) -> Size:
    if one in by:
        return by[one]
    if one.op in ("dim", "number"):
        return symbol(one.op, *one.of)
    of = tuple(replaced(size, by) for size in one.of)
    new = computed(one.op, *of)
    found = alone(new)
    return by.get(found, new) if found is not None else new


def computed(op: str, *of: Size) -> Size:
    """An operation on sizes, done here as far as they are known."""
    if op == "//":
        if all(isinstance(size, int) for size in of):
            return of[0] // of[1]  # pyright: ignore[reportOperatorIssue]
        return quotient(*of) if bounds(of[0])[0] >= 0 else symbol(op, *of)
    if op in ("min", "max"):
        small, large = of if at_most(of[0], of[1]) else (of[1], of[0])
        if at_most(small, large):
            return small if op == "min" else large
    elif op == "select":
        if isinstance(of[0], int):
            return of[1] if of[0] else of[2]
        if of[1] == of[2]:
            return of[1]
    elif op != "quotient":
        known = _compared(op, of[0] - of[1])
        if known is not None:
            return known
    return symbol(op, *of)


def _compared(op: str, difference: Size) -> int | None:
    low, high = bounds(difference)
    sure, never = {
        "lt": (high < 0, low >= 0),
        "le": (high <= 0, low > 0),
        "eq": (low == 0 == high, low > 0 or high < 0),
        "ne": (low > 0 or high < 0, low == 0 == high),
    }[op]
    return 1 if sure else 0 if never else None
