"""What two branches make of one list: joined item by item.

Before                                After
------                                -----
%l = dycl.list(%a, %b)                %0 = dycl.if %p -> (T) {
dycl.if %p {                            dycl.yield %c
  dycl.store_subscript %l[%zero], %c  } else {
}                                       dycl.yield %a
dycl.return %l                        }
                                      %l = dycl.list(%0, %b)
                                      dycl.return %l

Joining adds results to an `if`, which makes a new op of it; `current` finds that.
"""

from xdsl.ir import Block, Operation, OpResult, SSAValue

from dycl.ir import IfOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import is_inside
from dycl.ir.rewriting import append_results
from dycl.passes.aggregates.items import Items


class Joins:
    """Adds results to branches; remembers which op stands for which by now."""

    def __init__(self) -> None:
        self._now: dict[Operation, IfOp] = {}

    def current(self, op: IfOp) -> IfOp:
        """The op that now stands for this one."""
        while op in self._now:
            op = self._now[op]
        return op

    def now(self, items: Items) -> Items:
        """Items that may be results of ops that have been replaced, as they are now."""
        return tuple(map(self._now_of, items))

    def _now_of(self, item: SSAValue) -> SSAValue:
        while isinstance(item, OpResult) and item.op in self._now:
            item = self._now[item.op].results[item.index]
        return item

    def join(self, op: IfOp, rows: tuple[Items, Items]) -> Items | None:
        """The items of a list after the `if`, from those at the end of each side.

        None when the sides leave it with different numbers of items.
        """
        if len(rows[0]) != len(rows[1]):
            return None
        pairs = list(zip(*rows, strict=True))
        new = self._with_results(op, [p for p in pairs if p[0] is not p[1]])
        changed = iter(new.results[len(new.results) - _differing(pairs) :])
        return tuple(a if a is b else next(changed) for a, b in pairs)

    def forward_items(self, op: IfOp, items: Items) -> Items:
        """The items of a list after an `if` of which one side only goes on."""
        op = self.current(op)
        inside = [item for item in dict.fromkeys(items) if is_inside(item, op)]
        new = self._with_results(op, [(item,) for item in inside])
        first = len(new.results) - len(inside)
        results = dict(zip(inside, new.results[first:], strict=True))
        return tuple(results.get(item, item) for item in items)

    def _with_results(self, op: IfOp, pairs: list[tuple[SSAValue, ...]]) -> IfOp:
        current = self.current(op)
        if not pairs:
            return current
        for side, end in enumerate(current.exits):
            end.forward([*end.forwarded, *(pair[side] for pair in pairs)])
        count = len(pairs)
        new = append_results(current, [VALUE] * count, [None] * count)
        self._now[current] = new
        return new


def _differing(pairs: list[tuple[SSAValue, ...]]) -> int:
    return sum(a is not b for a, b in pairs)


def continuing_blocks(op: IfOp) -> list[Block]:
    """The sides that go on after the `if`."""
    blocks = [op.then_region.block, op.else_region.block]
    return [block for block in blocks if op.end_of(block) is not None]
