"""A view of a loop's tensor, put in a list when the tensor is written to no more.

while boxes.size(0):
    boxes[0] = merged(boxes)       # the last write to this tensor
    found.append(boxes[0])         # so this is what it will always be
    boxes = boxes[others(boxes)]   # other memory, which nobody else has

Each iteration has a tensor of its own, though one name means them all: what the next
iteration writes to is not what is in the list. So the view may be taken for a copy, as
long as the items of the list are not written to either, which is for the caller to see.
"""

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.folding.iterators import are_exclusive, is_behind, is_repeated
from dycl.analysis.memory.leaves import operand_leaves, result_leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Structures
from dycl.ir import (
    AppendOp,
    ReturnOp,
    StoreSubscriptOp,
    UpdateSubscriptOp,
    WhileOp,
)
from dycl.ir.interfaces import LoopOp, forwarded_from, forwarded_to, nearest


def is_of_one_iteration(op: Operation, inference: Inference, known: Structures) -> bool:
    """Whether an op gives a view that only one list has, and that nothing changes as
    long as an iteration of the loop around it takes."""
    if len(op.results) != 1 or not op.results[0].has_one_use():
        return False
    use = op.results[0].get_user_of_unique_use()
    if not isinstance(use, AppendOp) or use.value is not op.results[0]:
        return False
    memory = _Memory(use, inference, known)
    start = memory.start(op)
    return start is not None and memory.is_written_before(start)


class _Memory:
    """The tensors that share memory with an item, in one iteration of the loop around
    the op that puts it in a list, if there is one."""

    def __init__(self, append: AppendOp, inference: Inference, known: Structures):
        self.append = append
        self.loop = nearest(append, LoopOp)
        self.inference = inference
        self.known = known

    def start(self, op: Operation) -> SSAValue | None:
        """The name that the memory has first in an iteration; None: nobody knows, or
        others have it."""
        (value,) = op.results
        while isinstance(owner := value.owner, Operation):
            outcome = self.inference.outcomes.get(owner)
            if outcome is None or forwarded_from(value):
                return None
            if not outcome.aliases:
                return None if is_repeated(self.append, owner.parent) else value
            before = self._shared(owner)
            if before is None:
                return None
            value = before
        return value if self._is_handed_over(value) else None

    def _shared(self, op: Operation) -> SSAValue | None:
        """The one operand whose memory the one result of an op shares, or None."""
        if len(op.results) != 1:
            return None
        given = operand_leaves(op, self.known)
        aliases = self.inference.outcomes[op].aliases
        places = {j for _, j in aliases}
        if len(places) != 1 or len(result_leaves(op, self.known)) != 1:
            return None
        leaf = given[places.pop()]
        return leaf if leaf in op.operands and isinstance(leaf, SSAValue) else None

    def _is_handed_over(self, value: SSAValue) -> bool:
        """Whether the loop is given other memory by each jump, for this name alone."""
        loop = self.loop
        if not isinstance(loop, WhileOp) or value.owner is not loop.body.block:
            return False
        sources = forwarded_from(value)
        if len(sources) != 1 or sources[0].owner is not loop.before.block:
            return False
        return all(map(self._is_new, forwarded_from(sources[0])))

    def _is_new(self, value: SSAValue) -> bool:
        """Whether a value is memory that has no other name."""
        owner = value.owner
        if not isinstance(owner, Operation) or not value.has_one_use():
            return False
        outcome = self.inference.outcomes.get(owner)
        if outcome is None or forwarded_from(value):
            return False
        if not outcome.aliases:
            return True
        before = self._shared(owner)
        return before is not None and before.has_one_use() and self._is_new(before)

    def is_written_before(self, start: SSAValue) -> bool:
        """Whether what writes to the memory, in an iteration, stands before the item is
        put in its list, and no name of it is handed to the next one."""
        waiting = list(self._first_names(start))
        seen = set(waiting)
        while waiting:
            value = waiting.pop()
            for use in value.uses:
                op = use.operation
                if isinstance(op, ReturnOp):
                    continue
                if self._writes(op, value) and not (
                    is_behind(self.append, op) or are_exclusive(self.append, op)
                ):
                    return False
                names = self._names(op, use.index, value)
                if names is None:
                    return False
                fresh = [name for name in names if name not in seen]
                seen.update(fresh)
                waiting += fresh
        return True

    def _first_names(self, start: SSAValue) -> Iterator[SSAValue]:
        """`start`, and what it is in the test of the loop."""
        yield start
        if isinstance(start.owner, Block):
            yield from forwarded_from(start)

    def _writes(self, op: Operation, value: SSAValue) -> bool:
        if isinstance(op, (StoreSubscriptOp, UpdateSubscriptOp)):
            return op.operands[0] is value
        outcome = self.inference.outcomes.get(op)
        if outcome is None:
            return False
        given = operand_leaves(op, self.known)
        return any(given[j] is value for j in outcome.written if j >= 0)

    def _names(
        self, op: Operation, index: int, value: SSAValue
    ) -> list[SSAValue] | None:
        """What an op gives that shares memory with a value; None: it leaves the
        iteration, or nobody knows."""
        if becomes := forwarded_to(op, index):
            return self._inside(op, becomes)
        if isinstance(op, AppendOp):
            return [] if op.value is value else None
        outcome = self.inference.outcomes.get(op)
        given = operand_leaves(op, self.known)
        if outcome is None or value not in given:
            return [] if isinstance(op, StoreSubscriptOp) else None
        results = result_leaves(op, self.known)
        names: list[SSAValue] = []
        for i, j in outcome.aliases:
            if j >= len(given) or given[j] is not value:
                continue
            if i >= len(results) or results[i] not in op.results:
                return None
            names += [one for one in op.results if one is results[i]]
        return names

    def _inside(self, op: Operation, becomes: list[SSAValue]) -> list[SSAValue] | None:
        """What is handed on, if the next iteration has none of it, nor what is behind
        the loop."""
        names: list[SSAValue] = []
        for value in becomes:
            owner = value.owner
            target = owner if isinstance(owner, Operation) else owner.parent_op()
            if not isinstance(target, LoopOp) or not target.is_ancestor(self.append):
                names.append(value)
            elif isinstance(target, WhileOp) and op is target.condition:
                if isinstance(owner, Block):
                    names.append(value)
                elif list(value.uses):
                    return None
            elif isinstance(owner, Block) or list(value.uses):
                return None
        return names
