"""What paths give where they meet: the results of a fork, or choices by one condition.

Before                             After
------                             -----
%g = dycl.select %p, %one, %none   dycl.if %p {
%h = dycl.select %p, %zero, %none    %y = dycl.tuple(%one, %zero)
%y = dycl.tuple(%g, %h)              dycl.return %y
dycl.return %y                     } else {
                                     %y_1 = dycl.tuple(%none, %none)
                                     dycl.return %y_1
                                   }
                                   dycl.unreachable

Two choices by one condition have two paths between them. As forks of their own each
would be copied for what the other gives as well.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import IfOp, SelectOp, YieldOp
from dycl.ir.rewriting import insert_before, replace
from dycl.passes.joins.continuations import Fork


@dataclass(frozen=True)
class Joined:
    """What a fork gives, or choices by one condition, one behind the other."""

    op: Operation
    """The fork, or the first of the choices."""
    last: Operation
    results: list[SSAValue]
    rows: list[list[SSAValue]]
    """What each path gives for the results."""

    @classmethod
    def at(cls, op: Fork | SelectOp, is_mixed: Callable[[SSAValue], bool]) -> Self:
        """What is joined by a fork, or by a choice and the mixed ones behind it."""
        if not isinstance(op, SelectOp):
            rows = [list(end.forwarded) for end in op.exits]
            return cls(op, op, list(op.results), rows)
        selects = [op]
        while (
            isinstance(after := selects[-1].next_op, SelectOp)
            and after.condition is op.condition
            and is_mixed(after.result)
            and not {after.if_true, after.if_false} & {s.result for s in selects}
        ):
            selects.append(after)
        rows = [[s.if_true for s in selects], [s.if_false for s in selects]]
        return cls(op, selects[-1], [s.result for s in selects], rows)

    def as_if(self) -> IfOp:
        """The choices as two branches that compute nothing."""
        selects = [v.owner for v in self.results if isinstance(v.owner, SelectOp)]
        first = selects[0]
        then, otherwise = (Region(Block([YieldOp(row)])) for row in self.rows)
        types = [v.type for v in self.results]
        new = IfOp(first.condition, types, then, otherwise, dict(first.attributes))
        insert_before(first, new)
        for select, result in zip(selects, new.results, strict=True):
            replace(select, [result])
        return new
