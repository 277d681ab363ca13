"""The ops on numbers that one thread computes: a `graph.scalars` that grows.

Before                                 After
------                                 -----
host.func @f(%x, %p, %q) {             graph.func @f(%x, %p, %q) {
  %both = dycl.binary and %p, %q         %slot = host.alloc
  %y = host.alloc                        %y = host.alloc
                                         graph.scalars {
                                           %a = host.read %p
                                           %b = host.read %q
                                           %both = dycl.binary and %a, %b
                                           graph.write %both to %slot
                                         }
  host.launch @k ins(%both) outs(%y)     graph.launch @k ins(%slot) outs(%y)
  dycl.return %y                         graph.scalars { graph.exit 0 }
}                                        graph.return %y as [#dycl.leaf<0>]
                                       }
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

import dycl.ir as d
from dycl.ir import graph, host
from dycl.ir.cloning import clone
from dycl.ir.rewriting import append, relocate
from dycl.ir.values import to_attr
from dycl.passes.graph.places import Places
from dycl.passes.graph.reasons import is_number_constant


class Numbers:
    """What has been computed since the last node; `flush` makes it a node itself."""

    def __init__(self, places: Places):
        self._places = places
        self._block = Block()
        self._values: dict[SSAValue, SSAValue] = {}
        self._computed: dict[SSAValue, Operation] = {}
        self._done: set[tuple[Operation, int]] = set()
        """Operands that are read inside of the node."""
        self._source: Operation | None = None
        self.when: SSAValue | None = None
        """Under which condition the ops at hand stand; None: they are always run."""

    # ---- values

    def value(self, number: SSAValue, source: Operation) -> SSAValue:
        """A number inside the node."""
        number = self._places.root(number)
        if number not in self._values:
            owner = number.owner
            if is_number_constant(number):
                assert isinstance(owner, Operation)
                self._values[number] = self._add(clone(owner), owner)
            else:
                read = host.ReadOp(self._places.slot(number), number.type)
                read.result.name_hint = number.name_hint
                self._values[number] = self._add(read, source)
        return self._values[number]

    def constant(self, value: object, kind: Attribute, source: Operation) -> SSAValue:
        """A number that is known."""
        return self._add(d.ConstantOp(to_attr(value), kind), source)

    def compute(self, op: Operation) -> None:
        """Add an op on numbers."""
        values: dict[SSAValue, SSAValue] = {}
        for operand in op.operands:
            if isinstance(op, host.ReadOp):
                values[operand] = self._places.buffer(operand)
            else:
                values[operand] = self.value(operand, op)
        copy = clone(op, values)
        self._put(copy, op)
        [result] = op.results
        self._values[result] = copy.results[0]
        self._computed[result] = op
        for place in range(len(op.operands)):
            self.uses(op, place)

    def let(self, number: SSAValue, value: SSAValue, op: Operation) -> None:
        """Say what a number is that a select, made here, gives."""
        self._values[number] = value
        self._computed[number] = op

    def emit(self, op: Operation, source: Operation) -> None:
        """Add an op that fills a slot, sets a condition, or notes something."""
        self._put(op, source)

    def uses(self, op: Operation, place: int) -> None:
        """Say that an op's operand is read inside of the node."""
        self._done.add((op, place))

    def _add(self, op: Operation, source: Operation) -> SSAValue:
        self._put(op, source)
        return op.results[0]

    def _put(self, op: Operation, source: Operation) -> None:
        append(self._block, op, source=source)
        self._source = self._source or source

    # ---- effects

    def record(self, index: int, taken: SSAValue, source: Operation) -> None:
        """Note which side of a decision is taken."""
        when = [] if self.when is None else [self.when]
        self.emit(graph.RecordOp(index, taken, when), source)

    def stop(self, value: SSAValue, source: Operation) -> None:
        """End the run, if a bool is true."""
        self.emit(graph.StopOp(self.both(self.when, value, source)), source)

    def both(
        self, one: SSAValue | None, other: SSAValue, source: Operation
    ) -> SSAValue:
        """Whether two bools are true."""
        if one is None:
            return other
        return self._add(d.BinaryOp("and", one, other, i1), source)

    def negated(self, value: SSAValue, source: Operation) -> SSAValue:
        """Whether a bool is false."""
        return self._add(d.UnaryOp("not", value, i1), source)

    def write(self, pairs: Sequence[tuple[SSAValue, SSAValue]], op: Operation) -> None:
        """Give numbers of joins their values, all at once."""
        values = [self.value(value, op) for value, _ in pairs]
        for value, (_, join) in zip(values, pairs, strict=True):
            self.emit(graph.WriteOp(value, self._places.slot(join)), op)
            self._values[self._places.root(join)] = value
        if not isinstance(op, d.ConditionOp):  # It gives one value to two joins.
            written = [value for value, _ in pairs]
            for place, operand in enumerate(op.operands):
                if operand in written:
                    self.uses(op, place)

    # ---- the node

    def is_pending(self, number: SSAValue) -> bool:
        """Whether a number is computed by the node that is not made yet."""
        return self._places.root(number) in self._computed

    def flush(self) -> graph.ScalarsOp | None:
        """The node; None: there is nothing to do."""
        for result, op in self._computed.items():
            uses = [(use.operation, use.index) for use in result.uses]
            if any(use not in self._done for use in uses):
                value = self._values[result]
                slot = self._places.slot(result)
                append(self._block, graph.WriteOp(value, slot), source=op)
        block, source = self._block, self._source
        self._block, self._values, self._computed = Block(), {}, {}
        self._done, self._source = set(), None
        if source is None or all(_is_idle(op) for op in block.ops):
            return None
        append(block, graph.EndOp(), source=source)
        node = graph.ScalarsOp(Region(block))
        relocate(node, source)
        return node


def _is_idle(op: Operation) -> bool:
    return isinstance(op, d.ConstantOp | host.ReadOp)
