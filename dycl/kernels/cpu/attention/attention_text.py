"""The loops of an attention as text: sixteen queries side by side, keys in blocks.

Lanes are queries, so that what is known of each row (the largest score so far, the sum
of exponentials) is one vector, and no step goes across lanes. For each sixteen queries:

    turn them, so that an element of all of them is one vector
    for each block of keys:
      scores: products of a query's vector and a key's element, in every lane
      the largest score; how much what has been summed up so far shrinks by it
      exponentials, and their sum
      values: products of an exponential, in every lane, and vectors of a value
    divide by the sums

Keys and values are read as they are in memory. No score is computed twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dycl.kernels.cpu.attention.attention_places import Places, Shape
from dycl.kernels.cpu.nests.function_text import LANES, VECTOR
from dycl.kernels.cpu.nests.turned import turned
from dycl.schedules.attention import Schedule

_INTEGERS = f"vector<{LANES}xi32>"
_LOWEST = "0xFF800000"
"""Minus infinity."""


@dataclass(frozen=True)
class Rule:
    """What is done with the scores."""

    scale: float
    fills: bool
    """A mask's numbers that are not 0 take the place of scores, and are not added."""
    is_causal: bool
    empty_is_zero: bool
    """What a query gets that may look at no key: 0, or NaN."""


class AttentionText(Places):
    """Prints the function of an attention."""

    def __init__(self, shape: Shape, rule: Rule, schedule: Schedule):
        """Nothing is printed yet."""
        super().__init__(shape, schedule)
        self.rule = rule
        self._first, self._count = "", 0
        """The first of the queries that the text is at, and how many they are."""

    def write(self, name: str) -> str:
        """The text of the function."""
        text, s = self.text, self.shape
        for near, kind in self.near.items():
            made = f"memref.alloca() {{alignment = 64 : i64}} : {kind}"
            text.lines.append(f"%{near} = {made}")
        batch, heads = text.loop((0, s.batch, 1)), text.loop((0, s.heads, 1))
        self.outer = [batch.runs, heads.runs]
        whole = s.queries // LANES * LANES
        if whole:
            tiles = text.loop((0, whole, LANES))
            self._queries(tiles.runs, LANES)
            tiles.close()
        if whole < s.queries:
            self._queries(text.index(whole), s.queries - whole)
        heads.close()
        batch.close()
        arguments = [f"%{n}: {kind}" for n, kind in self.arguments.items()]
        return text.function(name, ", ".join(arguments))

    def _queries(self, first: str, count: int) -> None:
        """Sixteen queries, or the `count` that are left."""
        text, s = self.text, self.shape
        self._first, self._count = first, count
        self._turn()
        for row in range(count):
            for at in range(0, s.values, LANES):
                self.near_store(text.splat("0.0"), "sums", row, at)
        known = [text.splat(_LOWEST), text.splat("0.0")]
        step = self.schedule.keys
        whole = s.keys // step * step
        if whole:
            run, inner, close = self.loop(0, self._end(whole), step, known)
            known = close(self._block(run, step, inner))
        if whole < s.keys:
            # No trip where none of these queries may look at its keys.
            run, inner, close = self.loop(whole, self._end(s.keys), s.keys, known)
            known = close(self._block(run, s.keys - whole, inner))
        self._divide(known[1])

    def _end(self, keys: int) -> str:
        """Where the first `keys` end, or those that the queries may look at."""
        end = self.text.index(keys)
        if not self.rule.is_causal:
            return end
        past = self.plus(self._first, LANES)
        return self.text.emit(f"arith.minui {past}, {end} : index")

    def _turn(self) -> None:
        """Queries, times the scale, with an element of all of them side by side."""
        text, s = self.text, self.shape
        scale = text.splat(repr(self.rule.scale))
        places = [
            # Lanes beyond the last query do what it does.
            self.plus(self._first, min(lane, self._count - 1))
            for lane in range(LANES)
        ]
        for start in range(0, s.width, LANES):
            lanes = min(LANES, s.width - start)
            rows = [self.load("q", [place, start], lanes) for place in places]
            for j, column in enumerate(turned(text, rows)[:lanes]):
                value = text.emit(f"arith.mulf {column}, {scale} : {VECTOR}")
                self.near_store(value, "turned", start + j, 0)

    def _block(self, first: str, keys: int, carried: Sequence[str]) -> list[str]:
        """What a block of keys adds: the largest score and the sum after it."""
        text = self.text
        before, total = carried
        largest = before
        step = self.schedule.scores
        whole = keys // step * step
        if whole:
            run, inner, close = self.loop(0, text.index(whole), step, [largest])
            (largest,) = close([self._scores(first, run, step, inner[0])])
        if whole < keys:
            start = text.index(whole)
            largest = self._scores(first, start, keys - whole, largest)
        # Where all are minus infinity, what they differ by from 0 is.
        lowest, zero = text.splat(_LOWEST), text.splat("0.0")
        finite = self.choose("oeq", largest, lowest, zero, largest)
        shrinks = self.exp(before, finite)
        self.near_store(shrinks, "factor", 0)
        added = self._exponentials(keys, finite)
        total = text.emit(f"vector.fma {total}, {shrinks}, {added} : {VECTOR}")
        self._values(first, keys)
        return [largest, total]

    def _scores(self, block: str, start: str, count: int, largest: str) -> str:
        """Scores of `count` keys from `start` on in the block; the largest so far."""
        text = self.text
        key = text.emit(f"arith.addi {block}, {start} : index")
        keys = [self.plus(key, j) for j in range(count)]
        zero = text.splat("0.0")
        loop = text.loop((0, self.shape.width, 1), [zero] * count)
        query = self.near_load("turned", loop.runs, 0)
        sums = [
            text.emit(
                f"vector.fma {query}, {self.element('k', [one, loop.runs])}, {total} "
                f": {VECTOR}"
            )
            for one, total in zip(keys, loop.carried, strict=True)
        ]
        for j, score in enumerate(loop.close(sums)):
            score = self._masked(score, keys[j])
            self.near_store(score, "scores", self.plus(start, j), 0)
            # A NaN takes no part: it comes back in the exponentials.
            largest = self.choose("ogt", score, largest, score, largest)
        return largest

    def _masked(self, score: str, key: str) -> str:
        text, mask = self.text, self.shape.mask
        if mask is not None:
            place = [key if mask[2] > 1 else 0, self._first if mask[3] > 1 else 0]
            if mask[3] > 1:
                number = self.load("m", place, self._count)
            else:
                number = self.element("m", place)
            if self.rule.fills:
                zero = text.splat("0.0")
                score = self.choose("une", number, zero, number, score)
            else:
                score = text.emit(f"arith.addf {score}, {number} : {VECTOR}")
        if not self.rule.is_causal:
            return score
        first, place = (
            text.emit(f"arith.index_cast {value} : index to i32")
            for value in (self._first, key)
        )
        order = ", ".join(map(str, range(LANES)))
        lanes = text.constant(f"dense<[{order}]> : {_INTEGERS}")
        firsts, places = (
            text.emit(f"vector.broadcast {value} : i32 to {_INTEGERS}")
            for value in (first, place)
        )
        queries = text.emit(f"arith.addi {firsts}, {lanes} : {_INTEGERS}")
        ahead = text.emit(f"arith.cmpi sgt, {places}, {queries} : {_INTEGERS}")
        return self.select(ahead, text.splat(_LOWEST), score)

    def _exponentials(self, keys: int, largest: str) -> str:
        """Scores become exponentials of what they differ by; the sum of them."""
        text = self.text
        sums = [text.splat("0.0")] * min(4, keys)
        whole = keys // len(sums) * len(sums)

        def step(start: str, carried: Sequence[str]) -> list[str]:
            made: list[str] = []
            for j, total in enumerate(carried):
                place = self.plus(start, j)
                value = self.exp(self.near_load("scores", place, 0), largest)
                self.near_store(value, "scores", place, 0)
                made.append(text.emit(f"arith.addf {total}, {value} : {VECTOR}"))
            return made

        run = text.loop((0, whole, len(sums)), sums)
        sums = run.close(step(run.runs, run.carried))
        rest = keys - whole
        sums[:rest] = step(text.index(whole), sums[:rest])
        total = sums[0]
        for one in sums[1:]:
            total = text.emit(f"arith.addf {total}, {one} : {VECTOR}")
        return total

    def _values(self, block: str, keys: int) -> None:
        """Add a block's values, each times its exponential, to the shrunken sums."""
        tile, count = self.schedule, self._count
        tiles = -(-count // min(tile.rows, count))
        edges = [i * count // tiles for i in range(tiles + 1)]
        starts = list(range(0, self.shape.values, LANES))
        for low in range(0, len(starts), tile.vectors):
            columns = starts[low : low + tile.vectors]
            for first, last in pairwise(edges):
                self._tile(block, keys, range(first, last), columns)

    def _tile(
        self, block: str, keys: int, rows: Sequence[int], columns: Sequence[int]
    ) -> None:
        text = self.text
        places = [(row, at) for row in rows for at in columns]
        shrinks = {row: self.near_element("factor", row) for row in rows}
        sums = [
            text.emit(
                f"arith.mulf {self.near_load('sums', row, at)}, {shrinks[row]} "
                f": {VECTOR}"
            )
            for row, at in places
        ]
        run = text.loop((0, keys, 1), sums)
        key = text.emit(f"arith.addi {block}, {run.runs} : index")
        values = {
            at: self.load("v", [key, at], min(LANES, self.shape.values - at))
            for at in columns
        }
        weights = {row: self.near_element("scores", run.runs, row) for row in rows}
        sums = run.close(
            [
                text.emit(f"vector.fma {weights[row]}, {values[at]}, {one} : {VECTOR}")
                for (row, at), one in zip(places, run.carried, strict=True)
            ]
        )
        for (row, at), one in zip(places, sums, strict=True):
            self.near_store(one, "sums", row, at)

    def _divide(self, total: str) -> None:
        """The results: sums of values over sums of exponentials."""
        text, s = self.text, self.shape
        factor = text.emit(f"arith.divf {text.splat('1.0')}, {total} : {VECTOR}")
        if self.rule.empty_is_zero:
            zero = text.splat("0.0")
            factor = self.choose("oeq", total, zero, zero, factor)
        self.near_store(factor, "factor", 0)
        for row in range(self._count):
            by = self.near_element("factor", row)
            query = self.plus(self._first, row)
            for at in range(0, s.values, LANES):
                value = self.near_load("sums", row, at)
                value = text.emit(f"arith.mulf {value}, {by} : {VECTOR}")
                self.store(value, "o", [query, at], min(LANES, s.values - at))
