"""The loops of an attention of which a run decides how many queries or keys there are.

Sixteen queries and blocks of keys as ever. Of the last queries, lanes that are left
over do what the last one does, and write the same; of the last block of keys, those
that are not there are read as the last one, and have a score of minus infinity.
"""

from collections.abc import Sequence

from dycl.kernels.cpu.attention.attention_loops import (
    INTEGERS,
    LOWEST,
    Attention,
    Rule,
)
from dycl.kernels.cpu.attention.attention_places import Shape
from dycl.kernels.cpu.nests.function import BITS, LANES, Function, Loop, Value, memref
from dycl.schedules.attention import Schedule

_FEWER = (0, 4, 8, LANES)
"""As how many the queries are summed up that are left over."""
_BELOW = "6 : i64"
"""The predicate `ult` of `arith.cmpi`."""


class DynamicAttention(Attention):
    """Makes a function `(queries?, keys?, q, k, v, [m], o)`: sizes that a run decides
    come first, and what depends on them is a pointer."""

    def __init__(self, shape: Shape, rule: Rule, schedule: Schedule):
        """`shape` has -1 for a size that a run decides. Nothing is emitted yet."""
        super().__init__(shape, rule, schedule)
        self.near["scores"] = memref((schedule.keys, LANES))
        self._rest: Value | None = None
        """How many keys the last block has, while the loops are at that."""
        self._last_query: Value | None = None
        """The last query, while the loops are at those that are left over."""
        self._lanes: list[Value] = []
        """Where the queries are that the loops are at."""
        counts = [name for name in ("queries", "keys") if getattr(shape, name) < 0]
        places = {name: Function.argument(i) for i, name in enumerate(counts)}
        self._queries_there = places.get("queries", shape.queries)
        self._keys_there = places.get("keys", shape.keys)
        kinds = dict(self.arguments)
        self.arguments = dict.fromkeys(counts, "index")
        for name, kind in kinds.items():
            self.memory[name] = Function.argument(len(self.arguments))
            is_dynamic = "-1" in kind
            self.arguments[name] = memref((1,)) if is_dynamic else kind

    def begin(self) -> None:
        """Take the memory nearby, and see what pointers point to."""
        super().begin()
        s, function = self.shape, self.function
        self._last_key = self._less_one(self._keys_there)
        rows = {
            "q": (s.queries, self._queries_there, s.width),
            "k": (s.keys, self._keys_there, s.width),
            "v": (s.keys, self._keys_there, s.values),
            "o": (s.queries, self._queries_there, s.values),
        }
        for name, (size, count, width) in rows.items():
            if size < 0:
                shape = (s.batch, s.heads, count, width)
                self.memory[name] = function.memref_at(self.memory[name], shape, "f32")

    def _less_one(self, count: int) -> Value:
        return self.function.on_indices(
            "arith.subi", self._index(count), self.function.index(1)
        )

    def _all_queries(self) -> None:
        """All queries of a head."""
        if self.shape.queries >= 0:
            super()._all_queries()
            return
        function, count = self.function, self._index(self._queries_there)
        rest = function.on_indices("arith.remui", count, function.index(LANES))
        whole = function.on_indices("arith.subi", count, rest)
        tiles = function.loop_to(whole, LANES)
        self._some_queries(tiles.runs, LANES)
        tiles.close()
        self._last_query = self._less_one(self._queries_there)
        self._left_over(whole, rest, _FEWER)
        self._last_query = None

    def _left_over(self, first: Value, rest: Value, counts: Sequence[int]) -> None:
        """The last queries, if there are more than the first of `counts`."""
        function = self.function
        least, count, *others = counts
        bound = function.index(least)
        is_more = function.op("arith.cmpi", (bound, rest), "i1", predicate=_BELOW)
        function.choice(is_more, 0)
        if others:
            self._left_over(first, rest, counts[1:])
        else:
            self._some_queries(first, count)
        function.other(())
        if least:
            self._some_queries(first, least)
        function.close(())

    def _some_queries(self, first: Value, count: int) -> None:
        self._lanes = [self.plus(first, lane) for lane in range(LANES)]
        if (last := self._last_query) is not None:
            self._lanes = [
                self.function.on_indices("arith.minui", place, last)
                for place in self._lanes
            ]
        super()._some_queries(first, count)

    def _query(self, lane: int) -> Value:
        return self._lanes[min(lane, self._count - 1)]

    def _query_numbers(self) -> Value:
        """Lanes that are left over may look at the keys that the last query may."""
        numbers = super()._query_numbers()
        if (last := self._last_query) is None:
            return numbers
        given = (numbers, self._in_lanes(last))
        return self.function.op("arith.minui", given, INTEGERS)

    def _all_keys(self, known: Sequence[Value]) -> Sequence[Value]:
        """All keys: whole blocks, and what is left over."""
        if self.shape.keys >= 0:
            return super()._all_keys(known)
        function, step = self.function, self.schedule.keys
        count = self._index(self._keys_there)
        rest = function.on_indices("arith.remui", count, function.index(step))
        whole = function.on_indices("arith.subi", count, rest)
        loop = self.loop(0, self._end(whole), step, known)
        known = loop.close(self._block(loop.runs, step, loop.carried))
        # It runs once, or not at all.
        loop = self.loop(whole, self._end(count), step, known)
        self._rest = rest
        known = loop.close(self._block(loop.runs, rest, loop.carried))
        self._rest = None
        return known

    def _all_scores(self, first: Value, keys: int, largest: Value) -> Value:
        if self._rest is None:
            return super()._all_scores(first, keys, largest)
        step = self.schedule.scores
        loop = self.loop(0, self._rest, step, [largest])
        (so_far,) = loop.carried
        scores = self._scores(first, loop.runs, step, so_far)
        (largest,) = loop.close([scores])
        return largest

    def _readable(self, key: Value) -> Value:
        if self._rest is None:
            return key
        return self.function.on_indices("arith.minui", key, self._last_key)

    def _masked(self, score: Value, key: Value) -> Value:
        score = super()._masked(score, key)
        if self._rest is None:
            return score
        function = self.function
        count = self._index(self._keys_there)
        is_there = function.op("arith.cmpi", (key, count), "i1", predicate=_BELOW)
        bits = function.op("vector.broadcast", [is_there], BITS)
        return function.select(bits, score, function.splat(LOWEST))

    def _exponentials(self, keys: int, largest: Value) -> Value:
        if self._rest is None:
            return super()._exponentials(keys, largest)
        # As many at once as divide the scores that are there.
        count = next(n for n in (4, 2, 1) if self.schedule.scores % n == 0)
        sums = [self.function.splat("0.0")] * count
        loop = self.loop(0, self._rest, count, sums)
        sums = loop.close(self._exponentials_at(loop.runs, loop.carried, largest))
        return self.total(sums)

    def _each_key(self, keys: int, sums: Sequence[Value]) -> Loop:
        if self._rest is None:
            return super()._each_key(keys, sums)
        return self.loop(0, self._rest, 1, sums)
