"""Functions that move elements of a row: an exchange, a sort by insertion, a cut."""

from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.selection.order import Order, Row, compared, minus, over, plus


def exchange(order: Order) -> None:
    """`swap`: exchange two elements."""

    def body(row: Row, p: Any, q: Any) -> list[Any]:
        one, other = row.load(p), row.load(q)
        row.store(one, q)
        row.store(other, p)
        return []

    order.function("swap", 2, body)


def insertion_sort(order: Order) -> None:
    """`insert`: sort what lies in `[first, last)`; equal elements stay in order."""

    def body(row: Row, first: Any, last: Any) -> list[Any]:
        def insert(k: Any, _: list[Any]) -> list[Any]:
            new = row.load(k)
            (end,) = build.while_loop(
                [k],
                lambda at: (_comes_later(row, first, at, new.value), [at]),
                lambda at: _moved_up(row, at),
            )
            row.store(new, end)
            return []

        build.loop(plus(first, row.c1), last, row.c1, [], insert)
        return []

    order.function("insert", 2, body)


def _comes_later(row: Row, first: Any, at: Any, new: Any) -> Any:
    """Whether there is an element before `at` that comes after a new one."""

    def compare() -> list[Any]:
        return [row.before(new, row.value(minus(at, row.c1)))]

    inside = compared("ugt", at, first)
    return build.choice(inside, compare, lambda: [row.no], [row.no.type])[0]


def _moved_up(row: Row, at: Any) -> list[Any]:
    """Move the element before `at` there; where it was."""
    left = minus(at, row.c1)
    row.store(row.load(left), at)
    return [left]


def partition(order: Order) -> None:
    """`partition`: part `[first, last)` by the median of three; where the second part
    begins. The pivot lies at `first` then."""

    def body(row: Row, first: Any, last: Any) -> list[Any]:
        half = over(minus(last, first), row.c2)
        second = plus(first, row.c1)
        middle = _median(row, second, plus(first, half), minus(last, row.c1))
        row.call("swap", first, middle)
        pivot = row.value(first)

        def test(begin: Any, end: Any) -> tuple[Any, list[Any]]:
            low = first_not(row, begin, lambda x: row.before(x, pivot))
            start = minus(end, row.c1)
            high = last_not(row, start, lambda x: row.before(pivot, x))
            return compared("ult", low, high), [low, high]

        def step(low: Any, high: Any) -> list[Any]:
            row.call("swap", low, high)
            return [plus(low, row.c1), high]

        return build.while_loop([second, last], test, step)[:1]

    order.function("partition", 2, body, gives=[ir.IndexType.get()])


def _median(row: Row, pa: Any, pb: Any, pc: Any) -> Any:
    """Which of three places has the median."""
    a, b, c = map(row.value, (pa, pb, pc))
    ab, bc, ac = row.before(a, b), row.before(b, c), row.before(a, c)
    rising = build.select(bc, pb, build.select(ac, pc, pa))
    falling = build.select(ac, pa, build.select(bc, pc, pb))
    return build.select(ab, rising, falling)


def first_not(row: Row, start: Any, holds: Callable[[Any], Any]) -> Any:
    """The first place from `start` on whose value does not hold."""
    return _passed(row, start, holds, plus)


def last_not(row: Row, start: Any, holds: Callable[[Any], Any]) -> Any:
    """The last place up to `start` whose value does not hold."""
    return _passed(row, start, holds, minus)


def _passed(
    row: Row,
    start: Any,
    holds: Callable[[Any], Any],
    following: Callable[[Any, Any], Any],
) -> Any:
    (end,) = build.while_loop(
        [start],
        lambda at: (holds(row.value(at)), [at]),
        lambda at: [following(at, row.c1)],
    )
    return end
