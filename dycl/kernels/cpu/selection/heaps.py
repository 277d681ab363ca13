"""Heaps of a selection: `adjust`, `heap` and `unheap`; see `order.py`."""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.selection.order import (
    Element,
    Order,
    Row,
    compared,
    minus,
    over,
    plus,
    times,
)


def adjust_heap(order: Order) -> None:
    """`adjust`: let an element sink from `hole` in the heap of `n` elements at `first`.

    The element is given; first the larger child moves up to the last level, then the
    element rises from there.
    """

    def body(
        row: Row, first: Any, hole: Any, n: Any, value: Any, index: Any
    ) -> list[Any]:
        new = Element(value, index)
        bottom = _bottom(row, first, hole, n)
        end = _risen(row, first, hole, bottom, new)
        row.store(new, plus(first, end))
        return []

    i64 = ir.IntegerType.get_signless(64)
    order.function("adjust", 3, body, takes=[order.element, i64])


def _bottom(row: Row, first: Any, hole: Any, n: Any) -> Any:
    """Move the larger child up, level by level; where the last one was."""
    last = minus(n, row.c1)
    half = over(last, row.c2)

    def test(at: Any) -> tuple[Any, list[Any]]:
        return compared("ult", at, half), [at]

    def step(at: Any) -> list[Any]:
        right = times(plus(at, row.c1), row.c2)
        left = minus(right, row.c1)
        one, other = plus(first, right), plus(first, left)
        less = row.before(row.value(one), row.value(other))
        child = build.select(less, left, right)
        source, to = plus(first, child), plus(first, at)
        row.store(row.load(source), to)
        return [child]

    (deep,) = build.while_loop([hole], test, step)
    even = compared("eq", build.binary("arith.remui", n, row.c2), row.c0)
    ends = compared("eq", plus(times(deep, row.c2), row.c2), n)

    def lone() -> list[Any]:
        source, to = plus(first, last), plus(first, deep)
        row.store(row.load(source), to)
        return [last]

    is_lone = build.binary("arith.andi", even, ends)
    return build.choice(is_lone, lone, lambda: [deep], [deep.type])[0]


def _risen(row: Row, first: Any, hole: Any, bottom: Any, new: Element) -> Any:
    """Move parents down that come before a new element; where the last one was."""

    def test(at: Any) -> tuple[Any, list[Any]]:
        def compare() -> list[Any]:
            return [row.before(row.value(parent(at)[1]), new.value)]

        inside = compared("ugt", at, hole)
        goes = build.choice(inside, compare, lambda: [row.no], [row.no.type])
        return goes[0], [at]

    def step(at: Any) -> list[Any]:
        above, source = parent(at)
        to = plus(first, at)
        row.store(row.load(source), to)
        return [above]

    def parent(at: Any) -> tuple[Any, Any]:
        above = over(minus(at, row.c1), row.c2)
        return above, plus(first, above)

    return build.while_loop([bottom], test, step)[0]


def heap_select(order: Order) -> None:
    """`heap`: make the first of `[first, last)` a heap in `[first, middle)`."""

    def body(row: Row, first: Any, middle: Any, last: Any) -> list[Any]:
        n = minus(middle, first)
        parents = over(n, row.c2)

        def sink(k: Any, _: list[Any]) -> list[Any]:
            parent = minus(minus(parents, k), row.c1)
            new = row.load(plus(first, parent))
            row.call("adjust", first, parent, n, *new)
            return []

        def admit(k: Any, _: list[Any]) -> list[Any]:
            new, top = row.load(k), row.load(first)

            def exchange() -> list[Any]:
                row.store(top, k)
                row.call("adjust", first, row.c0, n, *new)
                return []

            build.choice(row.before(new.value, top.value), exchange)
            return []

        build.loop(row.c0, parents, row.c1, [], sink)
        build.loop(middle, last, row.c1, [], admit)
        return []

    order.function("heap", 3, body)


def sort_heap(order: Order) -> None:
    """`unheap`: sort a heap in `[first, last)`."""

    def body(row: Row, first: Any, last: Any) -> list[Any]:
        n = minus(last, first)

        def take(k: Any, _: list[Any]) -> list[Any]:
            left = minus(n, k)
            at = plus(first, left)
            new, top = row.load(at), row.load(first)
            row.store(top, at)
            row.call("adjust", first, row.c0, left, *new)
            return []

        build.loop(row.c1, n, row.c1, [], take)
        return []

    order.function("unheap", 2, body)
