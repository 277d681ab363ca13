"""The function that puts the `k` elements that `topk` gives in front of a row."""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.selection.heaps import adjust_heap, heap_select, sort_heap
from dycl.kernels.cpu.selection.moves import exchange, insertion_sort, partition
from dycl.kernels.cpu.selection.order import (
    Order,
    Row,
    compared,
    minus,
    over,
    plus,
    times,
)

_SMALL = 16
"""As many elements `std::sort` does not part any more."""
_HEAP_SHARE = 64
"""Up to which share of a row eager uses a heap."""


def add_topk(order: Order, k: int | None, is_sorted: bool) -> None:
    """Functions at the insertion point; the last of them is called `topk`.

    As eager does it: by `std::partial_sort` for a small `k`, else by
    `std::nth_element` and, if they are asked for in order, `std::sort` of those before
    the last one. Without a `k`, the last function is given it, one or more.
    """
    is_open = order.is_open or k is None
    by_heap = is_open or _is_small(k, order.size)
    by_parts = is_open or not by_heap
    in_parts = by_parts and is_sorted and (k is None or k - 1 > _SMALL)
    order.comparison()
    exchange(order)
    adjust_heap(order)
    heap_select(order)
    if by_heap or in_parts:
        sort_heap(order)
    if by_parts:
        partition(order)
        insertion_sort(order)
        _nth_element(order)
    if in_parts:
        _sort_parts(order, None if k is None else k - 1)

    def body(row: Row, size: Any, *given: Any) -> list[Any]:
        first = given[0] if k is None else build.index(k)
        last = minus(first, row.c1) if k is None else build.index(k - 1)

        def heap() -> list[Any]:
            row.call("heap", row.c0, first, size)
            row.call("unheap", row.c0, first)
            return []

        def parts() -> list[Any]:
            row.call("nth", last, size)
            if in_parts:
                row.call("parts", last)
            if is_sorted:
                row.call("insert", row.c0, last)
            return []

        if not is_open:
            return heap() if by_heap else parts()
        share = build.index(_HEAP_SHARE)
        least = times(first, share) if k is None else build.index(k * _HEAP_SHARE)
        return build.choice(compared("uge", size, least), heap, parts)

    order.entry("topk", body, int(k is None))


def _is_small(k: int | None, size: int) -> bool:
    return k is not None and k * _HEAP_SHARE <= size


_DEEPEST = 126
"""The depth of rows of 2 ** 63 elements and more."""


def _depth(size: int) -> int:
    """How often a row is parted before a heap is used instead."""
    return 2 * (size.bit_length() - 1)


def _depth_of(row: Row, size: Any) -> Any:
    """The same of a whole row, whose size a run may decide."""
    if not row.order.is_open:
        return build.index(_depth(row.order.size))
    return _open_depth(row, size)


def _open_depth(row: Row, size: Any) -> Any:
    _, depth = build.while_loop(
        [size, row.c0],
        lambda n, depth: (compared("ugt", n, row.c1), [n, depth]),
        lambda n, depth: [over(n, row.c2), plus(depth, row.c2)],
    )
    return depth


def _nth_element(order: Order) -> None:
    """`nth`: put the element at `nth` that belongs there; none behind it comes before
    it."""

    def body(row: Row, nth: Any, n: Any) -> list[Any]:
        most = _depth_of(row, n)

        def test(first: Any, last: Any, depth: Any) -> tuple[Any, list[Any]]:
            more = compared("ugt", minus(last, first), row.c3)
            return more, [first, last, depth]

        def step(first: Any, last: Any, depth: Any) -> list[Any]:
            def by_heap() -> list[Any]:
                row.call("heap", first, plus(nth, row.c1), last)
                row.call("swap", first, nth)
                return [first, first, row.c0]

            def parted() -> list[Any]:
                cut = row.index_of("partition", first, last)
                right = compared("ule", cut, nth)
                low = build.select(right, cut, first)
                high = build.select(right, last, cut)
                return [low, high, minus(depth, row.c1)]

            is_deep = compared("eq", depth, row.c0)
            return build.choice(is_deep, by_heap, parted, [first.type] * 3)

        first, last, _ = build.while_loop([row.c0, n, most], test, step)
        row.call("insert", first, last)
        return []

    order.function("nth", 2, body)


def _sort_parts(order: Order, size: int | None) -> None:
    """`parts`: part `[0, last)`, `size` elements, until no part is large; a sort by
    insertion does the rest. Without a `size`, a run decides it.

    Parts that wait are on a stack: where each begins and ends, and how deep it may be
    parted.
    """

    def body(row: Row, last: Any) -> list[Any]:
        deepest = _DEEPEST if size is None else _depth(size)
        most = _open_depth(row, last) if size is None else build.index(deepest)
        slots = (row.c0, row.c1, row.c2)
        stack = _stack(deepest + 2, len(slots))

        def push(at: Any, *values: Any) -> None:
            for slot, value in zip(slots, values, strict=True):
                build.store(value, stack, [at, slot])

        def test(waiting: Any) -> tuple[Any, list[Any]]:
            return compared("ugt", waiting, row.c0), [waiting]

        def step(waiting: Any) -> list[Any]:
            top = minus(waiting, row.c1)
            first, end, depth = (build.load(stack, [top, slot]) for slot in slots)

            def by_heap() -> list[Any]:
                row.call("heap", first, end, end)
                row.call("unheap", first, end)
                return [top]

            def parted() -> list[Any]:
                cut = row.index_of("partition", first, end)
                left = minus(depth, row.c1)
                following = plus(top, row.c1)
                push(top, cut, end, left)
                push(following, first, cut, left)
                return [plus(following, row.c1)]

            def large() -> list[Any]:
                is_deep = compared("eq", depth, row.c0)
                return build.choice(is_deep, by_heap, parted, [top.type])

            is_large = compared("ugt", minus(end, first), row.c16)
            return build.choice(is_large, large, lambda: [top], [top.type])

        push(row.c0, row.c0, last, most)
        build.while_loop([row.c1], test, step)
        return []

    order.function("parts", 1, body)


def _stack(count: int, width: int) -> Any:
    """Memory for so many entries of indices."""
    kind = ir.MemRefType.get([count, width], ir.IndexType.get())
    sizes = ir.DenseI32ArrayAttr.get([0, 0])
    return build.op("memref.alloca", [], kind, {"operandSegmentSizes": sizes})
