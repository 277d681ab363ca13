"""Reading and writing in the loops of an attention: arguments, and memory nearby."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dycl.kernels.cpu.nests.function_text import LANES, VECTOR, FunctionText
from dycl.schedules.attention import Schedule

_BITS = f"vector<{LANES}xi1>"


@dataclass(frozen=True)
class Shape:
    """Sizes: `n h l d`, `n h s d`, `n h s e`; those of the mask, or none."""

    batch: int
    heads: int
    queries: int
    keys: int
    width: int
    values: int
    mask: tuple[int, int, int, int] | None
    """`n h s l`: turned; a size of 1 is for all."""


class Places:
    """The text of a function `(q, k, v, [m], o)` on dense memrefs, and its memory.

    Near is memory of the function's own: `turned` queries, the `scores` of a block,
    `sums` of values, and a `factor` for each query.
    """

    def __init__(self, shape: Shape, schedule: Schedule):
        """Nothing is printed yet."""
        self.shape, self.schedule = shape, schedule
        self.text = FunctionText()
        self.outer: list[str] = []
        """Where the loops over batch and heads are."""
        s = shape
        kinds = {
            "q": (s.batch, s.heads, s.queries, s.width),
            "k": (s.batch, s.heads, s.keys, s.width),
            "v": (s.batch, s.heads, s.keys, s.values),
            **({} if s.mask is None else {"m": s.mask}),
            "o": (s.batch, s.heads, s.queries, s.values),
        }
        self.arguments = {name: _memref(kind) for name, kind in kinds.items()}
        self.near = {
            "turned": _memref((s.width, LANES)),
            "scores": _memref((min(schedule.keys, s.keys), LANES)),
            "sums": _memref((LANES, -(-s.values // LANES) * LANES)),
            "factor": _memref((LANES,)),
        }

    def plus(self, value: str, number: int) -> str:
        """An index further along."""
        by = self.text.index(number)
        return self.text.emit(f"arith.addi {value}, {by} : index") if number else value

    def load(self, name: str, inner: Sequence[str | int], lanes: int) -> str:
        """A vector of an argument, of which the first `lanes` are there."""
        text = self.text
        at, kind = self._place(name, inner), self.arguments[name]
        if lanes == LANES:
            return text.emit(f"vector.load {at} : {kind}, {VECTOR}")
        mask, zero = text.mask(lanes), text.splat("0.0")
        kinds = f"{kind}, {_BITS}, {VECTOR} into {VECTOR}"
        return text.emit(f"vector.maskedload {at}, {mask}, {zero} : {kinds}")

    def element(self, name: str, inner: Sequence[str | int]) -> str:
        """An element of an argument, in every lane."""
        return self._spread(f"{self._place(name, inner)} : {self.arguments[name]}")

    def store(
        self, value: str, name: str, inner: Sequence[str | int], lanes: int
    ) -> None:
        """Store the first `lanes` of a vector in an argument."""
        text = self.text
        at, kind = self._place(name, inner), self.arguments[name]
        if lanes == LANES:
            text.lines.append(f"vector.store {value}, {at} : {kind}, {VECTOR}")
            return
        kinds = f"{kind}, {_BITS}, {VECTOR}"
        mask = text.mask(lanes)
        text.lines.append(f"vector.maskedstore {at}, {mask}, {value} : {kinds}")

    def near_load(self, name: str, *place: str | int) -> str:
        """A vector of memory nearby."""
        at = self._inside(name, place)
        return self.text.emit(f"vector.load {at}, {VECTOR}")

    def near_element(self, name: str, *place: str | int) -> str:
        """An element of memory nearby, in every lane."""
        return self._spread(self._inside(name, place))

    def near_store(self, value: str, name: str, *place: str | int) -> None:
        """Store a vector in memory nearby."""
        self.text.lines.append(
            f"vector.store {value}, {self._inside(name, place)}, {VECTOR}"
        )

    def exp(self, score: str, largest: str) -> str:
        """The exponential of what a score differs by."""
        less = self.text.emit(f"arith.subf {score}, {largest} : {VECTOR}")
        return self.text.emit(f"math.exp {less} : {VECTOR}")

    def choose(self, predicate: str, left: str, right: str, yes: str, no: str) -> str:
        """`yes` where a comparison of floats holds, lane by lane."""
        bits = self.text.emit(f"arith.cmpf {predicate}, {left}, {right} : {VECTOR}")
        return self.select(bits, yes, no)

    def select(self, bits: str, yes: str, no: str) -> str:
        """`arith.select`, lane by lane."""
        return self.text.emit(f"arith.select {bits}, {yes}, {no} : {_BITS}, {VECTOR}")

    def loop(
        self, low: int, high: str, step: int, carried: Sequence[str]
    ) -> tuple[str, list[str], Callable[[Sequence[str]], list[str]]]:
        """A loop up to a value: where it is, what it carries, and how it ends."""
        text = self.text
        run, result = text.name(), text.name()
        inner = [text.name() for _ in carried]
        starts = ", ".join(f"{i} = {c}" for i, c in zip(inner, carried, strict=True))
        types = ", ".join([VECTOR] * len(carried))
        text.lines.append(
            f"{result}:{len(carried)} = scf.for {run} = {text.index(low)} "
            f"to {high} step {text.index(step)} iter_args({starts}) -> ({types}) {{"
        )

        def close(values: Sequence[str]) -> list[str]:
            text.lines.append(f"scf.yield {', '.join(values)} : {types}\n}}")
            return [f"{result}#{i}" for i in range(len(values))]

        return run, inner, close

    def _place(self, name: str, inner: Sequence[str | int]) -> str:
        sizes = self.shape.mask if name == "m" else None
        outer = [
            # A size of 1 is for all.
            self.text.index(0) if sizes is not None and sizes[i] == 1 else place
            for i, place in enumerate(self.outer)
        ]
        return f"%{name}[{', '.join([*outer, *map(self._index, inner)])}]"

    def _inside(self, name: str, place: Sequence[str | int]) -> str:
        return f"%{name}[{', '.join(map(self._index, place))}] : {self.near[name]}"

    def _index(self, place: str | int) -> str:
        return place if isinstance(place, str) else self.text.index(place)

    def _spread(self, at: str) -> str:
        one = self.text.emit(f"memref.load {at}")
        return self.text.emit(f"vector.broadcast {one} : f32 to {VECTOR}")


def _memref(sizes: Sequence[int]) -> str:
    return f"memref<{'x'.join(map(str, sizes))}xf32>"
