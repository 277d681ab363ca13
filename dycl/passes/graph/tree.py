"""The nodes of a tree, op by op; ifs and loops are in `control`.

Before                               After
------                               -----
host.func @f(%x) {                   graph.func @f(%x) {
  %y = host.alloc                      %y = host.alloc
  %z = host.alloc                      %z = host.alloc
  host.launch @k ins(%x) outs(%y)      graph.launch @k ins(%x) outs(%y)
  host.launch @k ins(%y) outs(%z)      graph.launch @k ins(%y) outs(%z)
  dycl.return %z                       graph.scalars { graph.exit 0 }
}                                      graph.return %z as [#dycl.leaf<0>]
                                     }
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, MemRefType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

import dycl.ir as d
from dycl.ir import graph, host
from dycl.ir.graph.rules import computes
from dycl.ir.rewriting import append, relocate
from dycl.ir.values import LeafRef, from_attr, to_attr
from dycl.passes.graph.numbers import Numbers
from dycl.passes.graph.places import Places, is_filled
from dycl.passes.graph.reasons import is_check, is_number_constant

Then = Callable[[], None]
"""What follows an op, to be put where control gets there."""


class Nodes:
    """Puts nodes at the end of the body at hand."""

    def __init__(self, func: host.FuncOp):
        self.places = Places(func)
        self.numbers = Numbers(self.places)
        self.block = Block()
        self.returned: list[SSAValue] = []
        """What runs return: memory and slots."""
        self.structures: list[Attribute] = []
        self._is_number: list[bool] = []
        self._exits: dict[Operation, int] = {}

    def put(self, op: Operation, source: Operation) -> None:
        """Add a node, behind the numbers that are computed before it."""
        self.flush()
        self.add(op, source)

    def add(self, op: Operation, source: Operation) -> None:
        """Add a node at once."""
        append(self.block, op, source=source)

    def flush(self) -> None:
        """Make a node of the numbers that are pending."""
        if (node := self.numbers.flush()) is not None:
            self.block.add_op(node)

    def body(self, fill: Then, source: Operation) -> Region:
        """A body that holds the nodes which `fill` adds."""
        self.flush()
        before, self.block = self.block, Block()
        fill()
        self.flush()
        block, self.block = self.block, before
        append(block, graph.EndOp(), source=source)
        return Region(block)

    # ---- ops that hold no others

    def plain(self, op: Operation) -> None:
        """An op without regions, which does not end its block."""
        match op:
            case host.LaunchOp():
                self._launch(op)
            case d.SelectOp() if isinstance(op.result.type, MemRefType):
                self._select(op)
            case d.CheckedOp():
                self._checked(op)
            case d.EffectOp():
                self._effect(op)
            case _ if computes(op):
                if not self.places.is_known(op.results[0]):
                    self.numbers.compute(op)
            case _:
                pass  # Memory and constants are made where they are used.

    def _launch(self, op: host.LaunchOp) -> None:
        inputs: list[SSAValue] = []
        for value in op.inputs:
            if isinstance(value.type, MemRefType):
                inputs.append(self.places.buffer(value))
            elif is_number_constant(self.places.root(value)):
                inputs.append(self.places.number(value))
            elif self.places.is_known(value):
                inputs.append(self.places.known(value))
            else:
                if self.numbers.is_pending(value):
                    self.flush()
                inputs.append(self.places.slot(value))
        outputs = [self.places.buffer(value) for value in op.outputs]
        self.add(graph.LaunchOp(op.kernel_name, inputs, outputs), op)

    def _select(self, op: d.SelectOp) -> None:
        target = self.places.buffer(op.result)
        condition = self.condition(op.condition, op)
        sides = [
            self.body(lambda s=side: self.copy([(s, target)], op), op)
            for side in (op.if_true, op.if_false)
        ]
        self.add(graph.IfOp(condition, *sides), op)

    def _checked(self, op: d.CheckedOp) -> None:
        holds = self.numbers.value(op.condition, op)
        self.numbers.stop(self.numbers.negated(holds, op), op)
        self.places.let(op.result, op.value)

    def _effect(self, op: d.EffectOp) -> None:
        """A check stops the run if it fails, any other effect always."""
        if is_check(op):
            holds = self.numbers.value(op.operands[0], op)
            self.numbers.uses(op, 0)
            self.numbers.stop(self.numbers.negated(holds, op), op)
        else:
            self.stop(op)

    def stop(self, op: Operation) -> None:
        """End the run."""
        self.numbers.stop(self.numbers.constant(True, i1, op), op)

    def condition(self, value: SSAValue, op: Operation) -> SSAValue:
        """A new condition, set to a bool by the numbers before the next node."""
        made = graph.ConditionOp()
        self.add(made, op)
        self.numbers.emit(graph.SetOp(made.result, self.numbers.value(value, op)), op)
        self.flush()
        return made.result

    # ---- copies

    def copy(
        self,
        pairs: Sequence[tuple[SSAValue, SSAValue]],
        op: Operation,
        unless: SSAValue | None = None,
    ) -> None:
        """Fill memory from buffers, all at once: none is read after it is filled."""
        moves = [(self.places.buffer(v), to) for v, to in pairs if not _is_unset(v)]
        moves = [(source, to) for source, to in moves if source is not to]
        if not moves:
            return
        self.flush()
        while moves:
            sources = [source for source, _ in moves]
            free = next((m for m in moves if m[1] not in sources), None)
            if free is None:  # They go in a circle.
                source, to = moves[0]
                spare = self.places.fresh(source)
                self._copy(source, spare, op, unless)
                moves[0] = spare, to
            else:
                moves.remove(free)
                self._copy(*free, op, unless)

    def _copy(
        self, source: SSAValue, to: SSAValue, op: Operation, unless: SSAValue | None
    ) -> None:
        node = graph.CopyOp(source, to, [] if unless is None else [unless])
        if unless is not None:
            node.negate()
        self.add(node, op)

    def fill(
        self, values: Sequence[SSAValue], joins: Sequence[SSAValue], op: Operation
    ) -> None:
        """Give what joins values, from one of its sides."""
        pairs = list(zip(values, joins, strict=True))
        numbers = [p for p in pairs if not isinstance(p[1].type, MemRefType)]
        buffers = [p for p in pairs if isinstance(p[1].type, MemRefType)]
        if numbers:
            self.numbers.write(numbers, op)
        self.copy([(v, self.places.buffer(join)) for v, join in buffers], op)

    # ---- returns

    def ends(self, op: d.ReturnOp) -> int:
        """The number of a return; what it returns is noted."""
        if op not in self._exits:
            self._exits[op] = len(self.structures)
            self.structures.append(self._structure(op))
        return self._exits[op]

    def _structure(self, op: d.ReturnOp) -> Attribute:
        """What is returned, with the numbers of operands of `graph.return`."""
        leaves: list[object] = []
        for value in op.values:
            known = self.places.root(value).owner
            if isinstance(known, d.ConstantOp) and not isinstance(
                value.type, MemRefType
            ):
                leaves.append(from_attr(known.value))
                continue
            is_number = not isinstance(value.type, MemRefType)
            of = self.places.slot if is_number else self.places.buffer
            leaves.append(LeafRef(self._place(of(value), is_number)))
        if op.structure is not None:
            return to_attr(_with_leaves(from_attr(op.structure), leaves))
        return to_attr(leaves[0] if len(leaves) == 1 else tuple(leaves))

    def _place(self, memory: SSAValue, is_number: bool) -> int:
        for place, known in enumerate(self.returned):
            if known is memory and self._is_number[place] == is_number:
                return place
        self.returned.append(memory)
        self._is_number.append(is_number)
        return len(self.returned) - 1

    def finish(self, func: host.FuncOp) -> graph.FuncOp:
        """The function, once all ops are in it."""
        self.flush()
        end = graph.ReturnOp(self.returned, self.structures)
        places = [IntAttr(i) for i, holds in enumerate(self._is_number) if holds]
        if places:
            end.attributes["numbers"] = ArrayAttr(places)
        append(self.block, end, source=func)
        whole = self.places.block
        for node in list(self.block.ops):
            node.detach()
            whole.add_op(node)
        made = graph.FuncOp(func.sym_name.data, func.params, Region(whole))
        relocate(made, func)
        return made


def _is_unset(value: SSAValue) -> bool:
    """Whether a buffer is that of a name without a value."""
    owner = value.owner
    return isinstance(owner, host.AllocOp) and not is_filled(owner)


def _with_leaves(structure: object, leaves: Sequence[object]) -> object:
    """A structure with other leaves."""
    match structure:
        case LeafRef(index):
            return leaves[index]
        case tuple() | list():
            items = [_with_leaves(item, leaves) for item in structure]
            return tuple(items) if isinstance(structure, tuple) else items
        case dict():
            return {k: _with_leaves(v, leaves) for k, v in structure.items()}
        case _:
            return _record_with(structure, leaves)


def _record_with(structure: object, leaves: Sequence[object]) -> object:
    from dataclasses import replace

    from dycl.ir.records import Record

    if not isinstance(structure, Record):
        return structure
    return replace(
        structure, items=tuple(_with_leaves(item, leaves) for item in structure.items)
    )
