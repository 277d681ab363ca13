"""Reading and writing in the loops of an attention: arguments, and memory nearby."""

from collections.abc import Sequence
from dataclasses import dataclass

from dycl.kernels.cpu.nests.function import LANES, Function, Loop, Value, memref
from dycl.schedules.attention import Schedule


@dataclass(frozen=True)
class Shape:
    """Sizes: `n h l d`, `n h s d`, `n h s e`; those of the mask, or none. A run decides
    queries or keys that are -1."""

    batch: int
    heads: int
    queries: int
    keys: int
    width: int
    values: int
    mask: tuple[int, int, int, int] | None
    """`n h s l`: transposed; a size of 1 is for all."""


class Places:
    """A function `(q, k, v, [m], o)` on dense memrefs, and its memory.

    Near is memory of the function's own: `transposed` queries, the `scores` of a block,
    `sums` of values, and a `factor` for each query.
    """

    def __init__(self, shape: Shape, schedule: Schedule):
        """Nothing is emitted yet."""
        self.shape, self.schedule = shape, schedule
        self.function = Function()
        self.outer: list[Value] = []
        """Where the loops over batch and heads are."""
        s = shape
        kinds = {
            "q": (s.batch, s.heads, s.queries, s.width),
            "k": (s.batch, s.heads, s.keys, s.width),
            "v": (s.batch, s.heads, s.keys, s.values),
            **({} if s.mask is None else {"m": s.mask}),
            "o": (s.batch, s.heads, s.queries, s.values),
        }
        self.arguments = {name: memref(kind) for name, kind in kinds.items()}
        self.memory = {name: Function.argument(i) for i, name in enumerate(kinds)}
        self.near = {
            "transposed": memref((s.width, LANES)),
            "scores": memref((min(schedule.keys, s.keys), LANES)),
            "sums": memref((LANES, -(-s.values // LANES) * LANES)),
            "factor": memref((LANES,)),
        }

    def plus(self, value: Value, number: int) -> Value:
        """An index further along."""
        by = self.function.index(number)
        return self.function.on_indices("arith.addi", value, by) if number else value

    def load(self, name: str, inner: Sequence[Value | int], lanes: int) -> Value:
        """A vector of an argument, of which the first `lanes` are there."""
        return self.function.loaded(self.memory[name], self._place(name, inner), lanes)

    def element(self, name: str, inner: Sequence[Value | int]) -> Value:
        """An element of an argument, in every lane."""
        return self.function.spread(self.memory[name], self._place(name, inner))

    def store(
        self, value: Value, name: str, inner: Sequence[Value | int], lanes: int
    ) -> None:
        """Store the first `lanes` of a vector in an argument."""
        place = self._place(name, inner)
        self.function.store(value, self.memory[name], place, lanes)

    def near_load(self, name: str, *place: Value | int) -> Value:
        """A vector of memory nearby."""
        return self.function.loaded(self.memory[name], self._inside(place), LANES)

    def near_element(self, name: str, *place: Value | int) -> Value:
        """An element of memory nearby, in every lane."""
        return self.function.spread(self.memory[name], self._inside(place))

    def near_store(self, value: Value, name: str, *place: Value | int) -> None:
        """Store a vector in memory nearby."""
        self.function.store(value, self.memory[name], self._inside(place), LANES)

    def exp(self, score: Value, largest: Value) -> Value:
        """The exponential of what a score differs by."""
        less = self.function.on_vectors("arith.subf", score, largest)
        return self.function.on_vectors("math.exp", less)

    def total(self, sums: Sequence[Value]) -> Value:
        """Lane by lane, all of them added."""
        result = sums[0]
        for one in sums[1:]:
            result = self.function.on_vectors("arith.addf", result, one)
        return result

    def choose(
        self, predicate: str, left: Value, right: Value, yes: Value, no: Value
    ) -> Value:
        """`yes` where a comparison of floats holds, lane by lane."""
        return self.function.select(
            self.function.compared(predicate, left, right), yes, no
        )

    def loop(self, low: int, high: Value, step: int, carried: Sequence[Value]) -> Loop:
        """Open a loop up to a value, that carries vectors."""
        bounds = (self._index(low), high, self.function.index(step))
        return Loop(self.function, bounds, carried, {})

    def begin(self) -> None:
        """Take the memory nearby."""
        for name, kind in self.near.items():
            sizes = {"operandSegmentSizes": "array<i32: 0, 0>"}
            self.memory[name] = self.function.op(
                "memref.alloca", [], kind, alignment="64 : i64", **sizes
            )

    def _place(self, name: str, inner: Sequence[Value | int]) -> list[Value]:
        sizes = self.shape.mask if name == "m" else None
        outer = [
            # A size of 1 is for all.
            self.function.index(0) if sizes is not None and sizes[i] == 1 else place
            for i, place in enumerate(self.outer)
        ]
        return [*outer, *self._inside(inner)]

    def _inside(self, place: Sequence[Value | int]) -> list[Value]:
        return list(map(self._index, place))

    def _index(self, place: int) -> Value:
        return place if isinstance(place, Value) else self.function.index(place)
