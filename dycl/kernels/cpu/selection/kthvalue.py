"""The function that puts the element that `kthvalue` gives in its place in a row."""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.selection.moves import exchange, first_not, last_not
from dycl.kernels.cpu.selection.order import Order, Row, compared, minus, over, plus


def add_kthvalue(order: Order, k: int) -> None:
    """Functions at the insertion point; the last of them is called `select`.

    As eager does it: a row is parted by the median of three until one element is left.
    `order` has the largest elements first; a NaN is the largest.
    """
    order.comparison()
    exchange(order)
    _exchange_larger(order)
    _select(order, k)


def _exchange_larger(order: Order) -> None:
    """`larger`: exchange two elements if the first is the larger one."""

    def body(row: Row, p: Any, q: Any) -> list[Any]:
        def swap() -> list[Any]:
            row.call("swap", p, q)
            return []

        build.choice(row.before(row.value(p), row.value(q)), swap)
        return []

    order.function("larger", 2, body)


def _select(order: Order, k: int) -> None:
    def body(row: Row, size: Any) -> list[Any]:
        kth, end = build.index(k - 1), minus(size, row.c1)

        def step(low: Any, high: Any) -> list[Any]:
            following = plus(low, row.c1)

            def pair() -> list[Any]:
                row.call("larger", low, high)
                return [low, low]

            is_pair = compared("eq", high, following)
            kinds = [low.type] * 2
            parted = _Part(row, low, high, following)
            return build.choice(is_pair, pair, lambda: parted.narrowed(kth), kinds)

        build.while_loop(
            [row.c0, end],
            lambda low, high: (compared("sgt", high, low), [low, high]),
            step,
        )
        return []

    order.entry("select", body)


class _Part:
    """The elements from `low` up to `high`, of which three or more are left."""

    def __init__(self, row: Row, low: Any, high: Any, following: Any):
        """`following` is behind `low`."""
        self._row = row
        self._low, self._high, self._following = low, high, following

    def narrowed(self, kth: Any) -> list[Any]:
        """Part them by the median of three; which part has the place `kth`."""
        row, low, high = self._row, self._low, self._high
        half = over(minus(high, low), row.c2)
        row.call("swap", plus(low, half), self._following)
        row.call("larger", self._following, high)
        row.call("larger", low, high)
        row.call("larger", self._following, low)
        begin, cut = self._parted(row.value(low))
        row.call("swap", low, cut)
        right, left = compared("sle", cut, kth), compared("sge", cut, kth)
        before = minus(cut, row.c1)
        return [build.select(right, begin, low), build.select(left, before, high)]

    def _parted(self, pivot: Any) -> list[Any]:
        """Exchange what is on the wrong side of the pivot; where the parts meet."""
        row = self._row

        def test(p: Any, q: Any) -> tuple[Any, list[Any]]:
            low = first_not(row, plus(p, row.c1), lambda x: row.before(pivot, x))
            high = last_not(row, minus(q, row.c1), lambda x: row.before(x, pivot))
            return compared("sge", high, low), [low, high]

        def step(low: Any, high: Any) -> list[Any]:
            row.call("swap", low, high)
            return [low, high]

        return build.while_loop([self._following, self._high], test, step)
