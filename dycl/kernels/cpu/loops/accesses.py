"""What an op of linalg reads and writes, by loops: indexing maps taken apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dycl.kernels.cpu.mlir import ir


@dataclass(frozen=True)
class Term:
    """`factor * loop`, `factor * (loop floordiv by)` or `factor * (loop mod by)`."""

    loop: int
    factor: int = 1
    kind: Literal["loop", "div", "mod"] = "loop"
    by: int = 1


@dataclass(frozen=True)
class Index:
    """One result of an indexing map: a sum of terms and a constant."""

    terms: tuple[Term, ...] = ()
    constant: int = 0

    @property
    def loops(self) -> frozenset[int]:
        """The loops that take part."""
        return frozenset(term.loop for term in self.terms)

    def renamed(self, loops: Mapping[int, int]) -> "Index":
        """The same over other loops. KeyError: a loop is not in `loops`."""
        terms = tuple(
            Term(loops[term.loop], term.factor, term.kind, term.by)
            for term in self.terms
        )
        return Index(terms, self.constant)

    def running(self, trips: Mapping[int, int]) -> "Index":
        """Without the loops that run once."""
        terms = (term for term in self.terms if trips.get(term.loop) != 1)
        return Index(tuple(terms), self.constant)


Access = tuple[Index, ...]
"""Where in a memref an op reads or writes: one index for each dimension."""


class NotLinear(ValueError):
    """An indexing map does more than add, scale, and divide single loops."""


def accesses(op: Any) -> list[Access]:
    """The access of each operand of a linalg op. Raises NotLinear."""
    return [
        tuple(_index(result) for result in attribute.value.results)
        for attribute in op.attributes["indexing_maps"]
    ]


def reductions(op: Any) -> list[int]:
    """The loops of a linalg op that sum up, outermost first."""
    kinds = [str(kind) for kind in op.attributes["iterator_types"]]
    return [i for i, kind in enumerate(kinds) if "reduction" in kind]


def sizes(op: Any) -> dict[int, int]:
    """The number of trips of each loop that is an index of some operand by itself."""
    result: dict[int, int] = {}
    for value, access in zip(op.operands, accesses(op), strict=True):
        for index, size in zip(access, value.type.shape, strict=True):
            if index.constant == 0 and len(index.terms) == 1:
                (term,) = index.terms
                if term == Term(term.loop):
                    result[term.loop] = size
    return result


def sole_loop(index: Index) -> int | None:
    """The loop that an index is, if it is one and no more."""
    if index.constant or len(index.terms) != 1:
        return None
    (term,) = index.terms
    return term.loop if term == Term(term.loop) else None


def runs_along(access: Access, loop: int) -> bool:
    """Whether neighbours in `loop` are neighbours in the last dimension only.

    `(n floordiv 64, k, n mod 64)` runs along `n`, as long as no step crosses a block.
    """
    if not access or loop not in access[-1].loops:
        return False
    last = [term for term in access[-1].terms if term.loop == loop]
    others = [
        term for index in access[:-1] for term in index.terms if term.loop == loop
    ]
    if len(last) != 1 or last[0].factor != 1:
        return False
    if last[0].kind == "loop":
        return not others
    by = last[0].by
    return last[0].kind == "mod" and all(t.kind == "div" and t.by == by for t in others)


def stride_along(access: Access, loop: int) -> int:
    """How far apart in the last dimension neighbours in `loop` are, if in no other.

    0 if they are the same element, or if the access is not of that kind.
    """
    if not access or any(loop in index.loops for index in access[:-1]):
        return 0
    terms = [term for term in access[-1].terms if term.loop == loop]
    return terms[0].factor if len(terms) == 1 and terms[0].kind == "loop" else 0


def spread_along(access: Access, loop: int) -> int:
    """How many neighbours in `loop` read one element each of as many that lie together.

    `(v floordiv 4) * 4 + j` is 4 along `v`: each lane reads element `j` of its four.
    0 if the access is not of that kind.
    """
    if not access or any(loop in index.loops for index in access[:-1]):
        return 0
    terms = [term for term in access[-1].terms if term.loop == loop]
    if len(terms) != 1 or terms[0].kind != "div" or terms[0].factor != terms[0].by:
        return 0
    return terms[0].by


def _index(expression: Any) -> Index:
    terms: list[Term] = []
    constant = _collect(expression, 1, terms)
    merged: dict[tuple[int, str, int], int] = {}
    for term in terms:
        key = (term.loop, term.kind, term.by)
        merged[key] = merged.get(key, 0) + term.factor
    kinds: dict[str, Literal["loop", "div", "mod"]] = {
        "loop": "loop",
        "div": "div",
        "mod": "mod",
    }
    return Index(
        tuple(
            Term(loop, factor, kinds[kind], by)
            for (loop, kind, by), factor in sorted(merged.items())
            if factor
        ),
        constant,
    )


def _collect(expression: Any, factor: int, terms: list[Term]) -> int:
    """Add what `factor * expression` has of loops to `terms`; the constant of it."""
    if isinstance(expression, ir.AffineDimExpr):
        terms.append(Term(int(expression.position), factor))
        return 0
    if isinstance(expression, ir.AffineConstantExpr):
        return factor * int(expression.value)
    if isinstance(expression, ir.AffineAddExpr):
        left = _collect(expression.lhs, factor, terms)
        return left + _collect(expression.rhs, factor, terms)
    if isinstance(expression, ir.AffineMulExpr) and _is_constant(expression.rhs):
        return _collect(expression.lhs, factor * int(expression.rhs.value), terms)
    for kind, cls in (("div", ir.AffineFloorDivExpr), ("mod", ir.AffineModExpr)):
        if (
            isinstance(expression, cls)
            and _is_constant(expression.rhs)
            and isinstance(expression.lhs, ir.AffineDimExpr)
        ):
            loop, by = int(expression.lhs.position), int(expression.rhs.value)
            terms.append(Term(loop, factor, "div" if kind == "div" else "mod", by))
            return 0
    raise NotLinear(str(expression))


def _is_constant(expression: Any) -> bool:
    return isinstance(expression, ir.AffineConstantExpr)
