"""The loops of an attention: sixteen queries side by side, keys in blocks.

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
from dycl.kernels.cpu.nests.function import BITS, LANES, NOTHING, Function, Loop, Value
from dycl.kernels.cpu.nests.transposed import transposed
from dycl.schedules.attention import Schedule

INTEGERS = f"vector<{LANES}xi32>"
_GREATER = "4 : i64"
"""The predicate `sgt` of `arith.cmpi`."""
LOWEST = "0xFF800000"
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


class Attention(Places):
    """Makes the function of an attention."""

    def __init__(self, shape: Shape, rule: Rule, schedule: Schedule):
        """Nothing is emitted yet."""
        super().__init__(shape, schedule)
        self.rule = rule
        self._first, self._count = NOTHING, 0
        """The first of the queries that the loops are at, and how many they are."""

    def written(self) -> Function:
        """The function."""
        function, s = self.function, self.shape
        self.begin()
        batch, heads = function.loop((0, s.batch, 1)), function.loop((0, s.heads, 1))
        self.outer = [batch.runs, heads.runs]
        self._all_queries()
        heads.close()
        batch.close()
        return function

    def _all_queries(self) -> None:
        """All queries of a head."""
        function, s = self.function, self.shape
        whole = s.queries // LANES * LANES
        if whole:
            tiles = function.loop((0, whole, LANES))
            self._some_queries(tiles.runs, LANES)
            tiles.close()
        if whole < s.queries:
            self._some_queries(function.index(whole), s.queries - whole)

    def _some_queries(self, first: Value, count: int) -> None:
        """Sixteen queries, or the `count` that are left."""
        function, s = self.function, self.shape
        self._first, self._count = first, count
        self._turn()
        for row in range(count):
            for at in range(0, s.values, LANES):
                self.near_store(function.splat("0.0"), "sums", row, at)
        known = self._all_keys([function.splat(LOWEST), function.splat("0.0")])
        self._divide(known[1])

    def _all_keys(self, known: Sequence[Value]) -> Sequence[Value]:
        """All keys: the largest score and the sum of exponentials."""
        s, step = self.shape, self.schedule.keys
        whole = s.keys // step * step
        if whole:
            loop = self.loop(0, self._end(whole), step, known)
            known = loop.close(self._block(loop.runs, step, loop.carried))
        if whole < s.keys:
            # No trip where none of these queries may look at its keys.
            loop = self.loop(whole, self._end(s.keys), s.keys, known)
            known = loop.close(self._block(loop.runs, s.keys - whole, loop.carried))
        return known

    def _end(self, keys: int) -> Value:
        """Where the first `keys` end, or those that the queries may look at."""
        index = self._index(keys)
        if not self.rule.is_causal:
            return index
        past = self.plus(self._first, LANES)
        return self.function.on_indices("arith.minui", past, index)

    def _turn(self) -> None:
        """Queries, times the scale, with an element of all of them side by side."""
        function, s = self.function, self.shape
        scale = function.splat(repr(self.rule.scale))
        places = [self._query(lane) for lane in range(LANES)]
        for start in range(0, s.width, LANES):
            lanes = min(LANES, s.width - start)
            rows = [self.load("q", [place, start], lanes) for place in places]
            for j, column in enumerate(transposed(function, rows)[:lanes]):
                value = function.on_vectors("arith.mulf", column, scale)
                self.near_store(value, "transposed", start + j, 0)

    def _query(self, lane: int) -> Value:
        """Lanes beyond the last query do what it does."""
        return self.plus(self._first, min(lane, self._count - 1))

    def _block(self, first: Value, keys: int, carried: Sequence[Value]) -> list[Value]:
        """What a block of keys adds: the largest score and the sum after it."""
        function = self.function
        before, total = carried
        largest = self._all_scores(first, keys, before)
        # Where all are minus infinity, what they differ by from 0 is.
        lowest, zero = function.splat(LOWEST), function.splat("0.0")
        finite = self.choose("oeq", largest, lowest, zero, largest)
        shrinks = self.exp(before, finite)
        self.near_store(shrinks, "factor", 0)
        added = self._exponentials(keys, finite)
        total = function.on_vectors("vector.fma", total, shrinks, added)
        self._values(first, keys)
        return [largest, total]

    def _all_scores(self, first: Value, keys: int, largest: Value) -> Value:
        """Scores of a block; the largest so far."""
        function = self.function
        step = self.schedule.scores
        whole = keys // step * step
        if whole:
            loop = self.loop(0, function.index(whole), step, [largest])
            (so_far,) = loop.carried
            scores = self._scores(first, loop.runs, step, so_far)
            (largest,) = loop.close([scores])
        if whole < keys:
            start = function.index(whole)
            largest = self._scores(first, start, keys - whole, largest)
        return largest

    def _scores(self, block: Value, start: Value, count: int, largest: Value) -> Value:
        """Scores of `count` keys from `start` on in the block; the largest so far."""
        function = self.function
        key = function.on_indices("arith.addi", block, start)
        keys = [self.plus(key, j) for j in range(count)]
        readable = list(map(self._readable, keys))
        zero = function.splat("0.0")
        loop = function.loop((0, self.shape.width, 1), [zero] * count)
        query = self.near_load("transposed", loop.runs, 0)
        sums = [
            function.on_vectors(
                "vector.fma", query, self.element("k", [one, loop.runs]), total
            )
            for one, total in zip(readable, loop.carried, strict=True)
        ]
        for j, score in enumerate(loop.close(sums)):
            score = self._masked(score, keys[j])
            self.near_store(score, "scores", self.plus(start, j), 0)
            # A NaN takes no part: it comes back in the exponentials.
            largest = self.choose("ogt", score, largest, score, largest)
        return largest

    def _readable(self, key: Value) -> Value:
        """Where there is memory to be read for a key."""
        return key

    def _masked(self, score: Value, key: Value) -> Value:
        function, mask = self.function, self.shape.mask
        if mask is not None:
            place = [key if mask[2] > 1 else 0, self._first if mask[3] > 1 else 0]
            if mask[3] > 1:
                number = self.load("m", place, self._count)
            else:
                number = self.element("m", place)
            if self.rule.fills:
                zero = function.splat("0.0")
                score = self.choose("une", number, zero, number, score)
            else:
                score = function.on_vectors("arith.addf", score, number)
        if not self.rule.is_causal:
            return score
        queries, places = self._query_numbers(), self._in_lanes(key)
        ahead = function.op("arith.cmpi", (places, queries), BITS, predicate=_GREATER)
        return function.select(ahead, function.splat(LOWEST), score)

    def _query_numbers(self) -> Value:
        """Which query each lane is at."""
        order = ", ".join(map(str, range(LANES)))
        lanes = self.function.constant(f"dense<[{order}]> : {INTEGERS}")
        firsts = self._in_lanes(self._first)
        return self.function.op("arith.addi", (firsts, lanes), INTEGERS)

    def _in_lanes(self, index: Value) -> Value:
        """An index, in each lane."""
        number = self.function.op("arith.index_cast", [index], "i32")
        return self.function.op("vector.broadcast", [number], INTEGERS)

    def _exponentials(self, keys: int, largest: Value) -> Value:
        """Scores become exponentials of what they differ by; the sum of them."""
        function = self.function
        sums = [function.splat("0.0")] * min(4, keys)
        whole = keys // len(sums) * len(sums)
        run = function.loop((0, whole, len(sums)), sums)
        sums = run.close(self._exponentials_at(run.runs, run.carried, largest))
        rest = keys - whole
        sums[:rest] = self._exponentials_at(function.index(whole), sums[:rest], largest)
        return self.total(sums)

    def _exponentials_at(
        self, start: Value, carried: Sequence[Value], largest: Value
    ) -> list[Value]:
        """One score for each of the sums becomes an exponential, and is added to it."""
        result: list[Value] = []
        for j, total in enumerate(carried):
            place = self.plus(start, j)
            value = self.exp(self.near_load("scores", place, 0), largest)
            self.near_store(value, "scores", place, 0)
            result.append(self.function.on_vectors("arith.addf", total, value))
        return result

    def _values(self, block: Value, keys: int) -> None:
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
        self, block: Value, keys: int, rows: Sequence[int], columns: Sequence[int]
    ) -> None:
        function = self.function
        places = [(row, at) for row in rows for at in columns]
        shrinks = {row: self.near_element("factor", row) for row in rows}
        sums = [
            function.on_vectors(
                "arith.mulf", self.near_load("sums", row, at), shrinks[row]
            )
            for row, at in places
        ]
        run = self._each_key(keys, sums)
        key = function.on_indices("arith.addi", block, run.runs)
        values = {
            at: self.load("v", [key, at], min(LANES, self.shape.values - at))
            for at in columns
        }
        weights = {row: self.near_element("scores", run.runs, row) for row in rows}
        sums = run.close(
            [
                function.on_vectors("vector.fma", weights[row], values[at], one)
                for (row, at), one in zip(places, run.carried, strict=True)
            ]
        )
        for (row, at), one in zip(places, sums, strict=True):
            self.near_store(one, "sums", row, at)

    def _each_key(self, keys: int, sums: Sequence[Value]) -> Loop:
        """Open a loop over the keys of a block."""
        return self.function.loop((0, keys, 1), sums)

    def _divide(self, total: Value) -> None:
        """The results: sums of values over sums of exponentials."""
        function, s = self.function, self.shape
        factor = function.on_vectors("arith.divf", function.splat("1.0"), total)
        if self.rule.empty_is_zero:
            zero = function.splat("0.0")
            factor = self.choose("oeq", total, zero, zero, factor)
        self.near_store(factor, "factor", 0)
        for row in range(self._count):
            by = self.near_element("factor", row)
            query = self._query(row)
            for at in range(0, s.values, LANES):
                value = self.near_load("sums", row, at)
                value = function.on_vectors("arith.mulf", value, by)
                self.store(value, "o", [query, at], min(LANES, s.values - at))
