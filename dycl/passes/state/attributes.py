"""Reads and writes of attributes become values: SSA form over structured control flow.

Before                              After
------                              -----
dycl.if %p {                        %count_1 = dycl.if %p -> (T) {
  dycl.setattr %self "count", %one    dycl.yield %one
}                                   } else {
%n = dycl.getattr %self "count"       dycl.yield %count
dycl.return %n                      }
                                    %0 = dycl.tuple(%count_1)
                                    %1 = dycl.tuple(%count_1, %0)
                                    dycl.return %1

The walk keeps the value of each variable. What a branch, scope or loop writes becomes a
further result of it; what a loop writes is carried. Code that leaves early forwards
what the variables are at that place.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import (
    GetattrOp,
    ReturnOp,
    SetattrOp,
)
from dycl.ir.changes import object_of
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.rewriting import append_results, erase, replace
from dycl.ir.value_names import value_name
from dycl.ir.walking import walk

Key = tuple[str, str]
"""An attribute: the object's path, and the name."""
Values = dict[Key, SSAValue]


def key_of(op: Operation) -> Key | None:
    """The attribute that an op reads or sets, if the object is known."""
    if not isinstance(op, (GetattrOp, SetattrOp)):
        return None
    path = object_of(op.operand)
    return None if path is None else (path, op.attribute.data)


@dataclass
class Promotion:
    """Turns all accesses to `keys` in a function's body into values."""

    keys: list[Key]
    at_return: Callable[[ReturnOp, Values], None]
    """Called at each return with the values there."""
    written: dict[Operation | None, list[Key]] = field(
        default_factory=dict[Operation | None, list[Key]]
    )
    """The variables that each op around the walk forwards."""

    def block(self, block: Block, now: Values) -> None:
        """Walk a block; `now` is what the variables are, and is kept up to date."""
        for op in list(block.ops):
            key = key_of(op)
            if key in self.keys:
                self.access(op, key, now)
                continue
            if isinstance(op, RegionBranchOp):
                self.control(op, now)
            elif isinstance(op, ReturnOp):
                self.at_return(op, now)
            elif isinstance(op, RegionTerminator):
                self.forward(op, now)

    def access(self, op: Operation, key: Key, now: Values) -> None:
        if isinstance(op, SetattrOp):
            now[key] = op.value
            erase(op)
        else:
            replace(op, [now[key]])

    def forward(self, end: RegionTerminator, now: Values) -> None:
        """A terminator gives where it leads the values that the variables have here."""
        written = self.written.get(end.target)
        if written:
            end.forward([*end.forwarded, *(now[k] for k in written)])

    def written_in(self, op: Operation) -> list[Key]:
        """The variables that ops inside set, in the order of the keys."""
        keys = {key_of(o) for o in walk(op) if isinstance(o, SetattrOp)}
        return [k for k in self.keys if k in keys]

    def control(self, op: RegionBranchOp, now: Values) -> None:
        """Each region forwards what is written in any; a loop begins with it, too."""
        written = self.written[op] = self.written_in(op)
        types, names = [VALUE] * len(written), [value_name(name) for _, name in written]
        entered = op.append_arguments(types, names)
        here = dict(now)
        for region in op.regions:
            inside = dict(here)
            if region.block in op.entered:
                arguments = entered[list(op.entered).index(region.block)]
                inside |= zip(written, arguments, strict=True)
            self.block(region.block, inside)
        if written:
            count = len(op.results)
            initial = [] if op.FORWARDED_FROM is None else [now[k] for k in written]
            new = append_results(op, types, names, initial)
            now |= zip(written, new.results[count:], strict=True)
