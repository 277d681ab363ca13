"""Reading and writing one vector of a nest, at a place among its loops."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu.loops.accesses import (
    Access,
    Index,
    NotLinear,
    Term,
    runs_along,
    spread_along,
    stride_along,
)
from dycl.kernels.cpu.nests.function import (
    LANES,
    NOTHING,
    Function,
    Value,
    memref,
)
from dycl.kernels.cpu.nests.padding import Window


@dataclass(frozen=True)
class At:
    """The value of a loop: `runs + plus`, what runs and what has been unrolled."""

    runs: Value = NOTHING
    """A value that is a multiple of `step`; 0: nothing runs."""
    plus: int = 0
    step: int = 1

    def moved(self, by: int) -> "At":
        """Further along."""
        return At(self.runs, self.plus + by, self.step)


Place = Mapping[int, At]
"""The value of each loop."""

_EVERY_OTHER = [*range(0, LANES, 2), *range(LANES + 1, 2 * LANES, 2)]
"""Of two vectors, the second of which begins where the first one ends."""


@dataclass(frozen=True)
class Operand:
    """A memref argument of the nest, and where it is read or written."""

    memory: Value
    type: str
    access: Access
    value: Any
    """The memref of the kernel."""
    edge: Window | None = None
    """The window along the lanes, if some of it may lie beyond the ends of a row."""


def is_half(operand: Operand) -> bool:
    """Whether an operand holds bf16, or its bits: see `cpu-narrow-weights`."""
    return "xi16" in operand.type or "xbf16" in operand.type


def load(
    function: Function,
    operand: Operand,
    place: Place,
    lanes: tuple[int, int],
    known: dict[tuple[object, ...], Value],
) -> Value:
    """A vector: neighbours along the loop `lanes[0]`, or one element in every lane.

    `lanes[1]` is the size of that loop. `known` remembers what has been loaded.
    Raises NotLinear if the place cannot be computed.
    """
    by = spread_along(operand.access, lanes[0])
    if by and not is_half(operand):
        return _spread(function, operand, place, known, by)
    stride = stride_along(operand.access, lanes[0])
    if stride > 1 or operand.edge is not None:
        return _of_row(function, operand, place, lanes, known, stride)
    indices = [value_of(function, index, place, known) for index in operand.access]
    key = (operand.memory, *indices)
    if key in known:
        return known[key]
    if is_half(operand):
        if _real_lanes(operand.access, place, lanes) != LANES:
            raise NotLinear("half floats lie in whole vectors")
        known[key] = _widened(function, operand.memory, indices)
        return known[key]
    if not any(lanes[0] in index.loops for index in operand.access):
        known[key] = function.spread(operand.memory, indices)
        return known[key]
    count = _real_lanes(operand.access, place, lanes)
    # Further lanes of another vector may begin at the same place.
    some = (*key, count)
    if some not in known:
        known[some] = function.loaded(operand.memory, indices, count)
    return known[some]


def _of_row(
    function: Function,
    operand: Operand,
    place: Place,
    lanes: tuple[int, int],
    known: dict[tuple[object, ...], Value],
    stride: int,
) -> Value:
    """A vector of every pixel or every other one of a row; zeros beyond its ends."""
    *outer, last = operand.access
    at = place[lanes[0]]
    first, count = 0, LANES if at.runs else min(LANES, lanes[1] - at.plus)
    if operand.edge is not None and not at.runs:
        if any(place[term.loop].runs for term in last.terms):
            raise NotLinear("which pixels are real is known at run time only")
        start = last.constant + sum(t.factor * place[t.loop].plus for t in last.terms)
        real = [i for i in range(count) if 0 <= start + i * stride < operand.edge.size]
        first, count = real[0], len(real)
    shifted = Index(last.terms, last.constant + first * stride)
    indices = [value_of(function, index, place, known) for index in (*outer, shifted)]
    key = (operand.memory, *indices, count, first)
    if key not in known:
        whole = min(LANES, stride * (count - 1) + 1)
        vector = function.loaded(operand.memory, indices, whole)
        if stride > 1:
            # The second half ends with the last pixel that is asked for.
            further = Index(last.terms, shifted.constant + LANES - 1)
            indices[-1] = value_of(function, further, place, known)
            more = max(0, stride * (count - 1) + 2 - LANES)
            zero = function.splat("0.0")
            other = function.loaded(operand.memory, indices, more) if more else zero
            vector = function.shuffled(vector, other, _EVERY_OTHER)
        if first:
            lanes_of = [*range(first), *range(LANES, 2 * LANES - first)]
            vector = function.shuffled(function.splat("0.0"), vector, lanes_of)
        known[key] = vector
    return known[key]


def _widened(function: Function, memory: Value, place: Sequence[Value]) -> Value:
    """A vector of bf16 as one of f32: its bits are the upper half of each lane."""
    halves, words = f"vector<{LANES}xi16>", f"vector<{LANES}xi32>"
    half = function.op("vector.load", (memory, *place), halves)
    low = function.op("arith.extui", [half], words)
    bits = function.op("arith.shli", [low, function.splat("16", "i32")], words)
    return function.op("arith.bitcast", [bits], function.vector)


def _spread(
    function: Function,
    operand: Operand,
    place: Place,
    known: dict[tuple[object, ...], Value],
    by: int,
) -> Value:
    """A vector of which each lane has one element of the `by` that it lies among."""
    *outer, last = operand.access
    others = [term for term in last.terms if term.kind == "loop"]
    if any(place[term.loop].runs for term in others):
        raise NotLinear("which element is known at run time only")
    which = last.constant + sum(t.factor * place[t.loop].plus for t in others)
    indices = [value_of(function, index, place, known) for index in outer]
    key = (operand.memory, *indices)
    if key not in known:
        location_of = (*indices, function.index(0))
        known[key] = function.loaded(operand.memory, location_of, LANES)
    whole = known[key]
    if (*key, which) not in known:
        order = [lane // by * by + which for lane in range(LANES)]
        known[(*key, which)] = function.shuffled(whole, whole, order)
    return known[(*key, which)]


def store(
    function: Function,
    operand: Operand,
    place: Place,
    lanes: tuple[int, int],
    value: Value,
    known: dict[tuple[object, ...], Value],
) -> None:
    """Write a vector, without the lanes that lie beyond the end of the loop."""
    indices = [value_of(function, index, place, known) for index in operand.access]
    count = _real_lanes(operand.access, place, lanes)
    function.store(value, operand.memory, indices, count)


def fetch(
    function: Function,
    operand: Operand,
    place: Place,
    known: dict[tuple[object, ...], Value],
    *,
    writes: bool = False,
) -> None:
    """Ask for the memory at a place, which may lie beyond the end, to be in the cache.

    In the second cache: the first one is full of what is used now.
    """
    indices = [value_of(function, index, place, known) for index in operand.access]
    _fetch(function, (operand.memory, *indices), writes=writes)


def fetch_at(
    function: Function, operand: Operand, place: Value, *, is_soon: bool
) -> None:
    """The same for an element of dense memory, by its number; in the first cache, if it
    is read soon."""
    shape = operand.value.type.shape
    kind = memref([math.prod(shape)], str(operand.value.type.element_type))
    flat = function.collapsed(operand.memory, [range(len(shape))], kind)
    _fetch(function, (flat, place), writes=False, is_soon=is_soon)


def _fetch(
    function: Function, at: Sequence[Value], *, writes: bool, is_soon: bool = False
) -> None:
    function.do(
        "memref.prefetch",
        at,
        isWrite="true" if writes else "false",
        localityHint=f"{3 if is_soon else 2} : i32",
        isDataCache="true",
    )


def _real_lanes(access: Access, place: Place, lanes: tuple[int, int]) -> int:
    loop, size = lanes
    if not runs_along(access, loop):
        raise NotLinear("lanes are not neighbours in memory")
    blocked = any(term.kind == "mod" for term in access[-1].terms)
    if blocked or place[loop].runs:
        # Memory in blocks has room for whole vectors; what runs, runs in whole ones.
        return LANES
    return min(LANES, size - place[loop].plus)


def value_of(
    function: Function,
    index: Index,
    place: Place,
    known: dict[tuple[object, ...], Value],
) -> Value:
    """An index at a place. Raises NotLinear if it cannot be computed."""

    def made(op: str, left: Value, right: Value) -> Value:
        key = (op, left, right)
        if key not in known:
            known[key] = function.on_indices(f"arith.{op}", left, right)
        return known[key]

    constant = index.constant
    parts: list[Value] = []
    for term in index.terms:
        at = place[term.loop]
        constant += term.factor * _unrolled(term, at)
        divided = _divided(term, at)
        if not at.runs or divided == "":
            continue
        name = at.runs
        if divided:
            name = made(divided, name, function.index(term.by))
        if term.factor != 1:
            name = made("muli", name, function.index(term.factor))
        parts.append(name)
    if constant or not parts:
        parts.append(function.index(constant))
    total = parts[0]
    for part in parts[1:]:
        total = made("addi", total, part)
    return total


def offset(access: Access, place: Place) -> tuple[int, ...]:
    """How far along each dimension a place is from where its tile begins."""
    return tuple(
        index.constant
        + sum(term.factor * _unrolled(term, place[term.loop]) for term in index.terms)
        for index in access
    )


def _divided(term: Term, at: At) -> str | None:
    """The op on what runs: None, it stays as it is; "", nothing is left of it."""
    if term.kind == "loop" or not at.runs:
        return None
    if at.step % term.by == 0:
        return "" if term.kind == "mod" else "divui"
    if term.by % at.step == 0 and at.plus < at.step:
        return "remui" if term.kind == "mod" else "divui"
    raise NotLinear(f"steps of {at.step} do not fit blocks of {term.by}")


def _unrolled(term: Term, at: At) -> int:
    """What a term has beside what runs; see `_divided` for why it is so simple."""
    if term.kind == "loop":
        return at.plus
    return at.plus // term.by if term.kind == "div" else at.plus % term.by
