"""Region control flow: where control goes, and which values go along.

Every op of the `dycl` dialect with regions is a `RegionBranchOp`, every op that may end
a region a `RegionTerminator`; passes, analyses and the interpreter ask them, and need
not know which op it is. The model is that of MLIR's interfaces of these names and of
its `LoopLikeOpInterface`, with one more rule: an op with n results forwards n values on
every edge, in the same order.

    edge                            value number i becomes
    op -> region                    block argument i of the region
    op -> behind the op             result i (a loop without an iteration)
    terminator -> region            block argument i (the next iteration)
    terminator -> behind the op     result i

So an op gains or loses a value in the same way whatever op it is: at its terminators
(`forward`), in its regions (`append_arguments`, `erase_arguments`), and as a whole
(`rebuilt`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple, Self, TypeVar

from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    Region,
    SSAValue,
)
from xdsl.irdl import IRDLOperation

from dycl.ir.classes import ByType


class RegionSuccessor(NamedTuple):
    """Where an edge leads, and what the forwarded values become there."""

    region: Region | None
    """The region that is entered; None: control goes on behind the op."""
    inputs: Sequence[SSAValue]
    """Block arguments of the region, or the results of the op."""


class RegionTerminator(IRDLOperation, metaclass=ByType):
    """An op that ends a region, and hands control and values to an op around it."""

    FORWARDED_FROM: ClassVar[int] = 0
    """The index of the first operand that is forwarded."""

    @property
    def target(self) -> "RegionBranchOp | None":
        """The op around this one that takes control.

        None: control leaves the function, or never gets here.
        """
        return None

    @property
    def forwarded(self) -> Sequence[SSAValue]:
        """The values that the target is given."""
        return self.operands[self.FORWARDED_FROM :]

    def forward(self, values: Iterable[SSAValue]) -> None:
        """Give the target these values instead."""
        self.operands = [*self.operands[: self.FORWARDED_FROM], *values]


class RegionBranchOp(IRDLOperation, metaclass=ByType):
    """An op that decides which of its regions are run, and what they are given."""

    FORWARDED_FROM: ClassVar[int | None] = None
    """The index of the first operand that enters a region; None: no operand does."""

    ARGUMENTS_FROM: ClassVar[int] = 0
    """The index of the first block argument that is forwarded, in each region."""

    @property
    def forwarded(self) -> Sequence[SSAValue]:
        """The operands that the first region is given."""
        first = self.FORWARDED_FROM
        return () if first is None else self.operands[first:]

    @property
    def entered(self) -> Sequence[Block]:
        """The blocks of the regions that are given values, in order."""
        return ()

    def arguments(self, block: Block) -> Sequence[BlockArgument]:
        """What the values become in a block of `entered`."""
        return block.args[self.ARGUMENTS_FROM :]

    def region_successors(
        self, source: "RegionBranchOp | RegionTerminator"
    ) -> tuple[RegionSuccessor, ...]:
        """Where control may go from the op itself, or from one of its terminators.

        Unless an op says otherwise, from itself into any of its regions, which are
        given nothing, and from there behind the op.
        """
        if source is self:
            return tuple(RegionSuccessor(region, ()) for region in self.regions)
        return (RegionSuccessor(None, self.results),)

    @property
    def terminators(self) -> list[RegionTerminator]:
        """The terminators inside, at any depth, whose target is this op, in order."""
        ends = [self.end_of(region.block) for region in self.regions]
        return [end for end in ends if end is not None]

    def end_of(self, block: Block) -> RegionTerminator | None:
        """What hands over to this op where a block of it ends.

        None: the block ends by a jump, or leads to no end at all, so that whatever
        follows is not reached from there.
        """
        last_op = block.last_op
        if not isinstance(last_op, RegionTerminator) or isinstance(
            last_op, LoopTerminator
        ):
            return None
        return last_op if last_op.target is self else None

    @property
    def exits(self) -> list[RegionTerminator]:
        """The terminators that may lead behind the op, in order."""
        return [
            terminator
            for terminator in self.terminators
            if any(to.region is None for to in self.region_successors(terminator))
        ]

    def incoming(self, value: SSAValue) -> list[SSAValue]:
        """The values that become a result of this op, or a block argument inside.

        None for an argument that is not forwarded, such as the item of a `for`.
        """
        result: list[SSAValue] = []
        for source in (self, *self.terminators):
            for successor in self.region_successors(source):
                inputs = successor.inputs
                if inputs and inputs[0].owner is value.owner and value in inputs:
                    result.append(source.forwarded[inputs.index(value)])
        return result

    def append_arguments(
        self, types: Sequence[Attribute], names: Sequence[str | None]
    ) -> list[list[BlockArgument]]:
        """Further block arguments for further values, for each block of `entered`."""
        result: list[list[BlockArgument]] = []
        for block in self.entered:
            first = len(block.args)
            for type_, name in zip(types, names, strict=True):
                block.insert_arg(type_, len(block.args)).name_hint = name
            result.append(list(block.args[first:]))
        return result

    def erase_arguments(self, numbers: Iterable[int]) -> None:
        """Erase the block arguments of values, which have no uses any more."""
        doomed = sorted(numbers, reverse=True)
        for block in self.entered:
            for number in doomed:
                block.erase_arg(block.args[self.ARGUMENTS_FROM + number])

    def rebuilt(
        self,
        result_types: Sequence[Attribute],
        forwarded: Sequence[SSAValue] | None = None,
    ) -> Self:
        """The op with other results, and other `forwarded` operands if given.

        It takes over the regions; the caller puts it in the place of this one.
        """
        operands = list(self.operands)
        if forwarded is not None and self.FORWARDED_FROM is not None:
            operands[self.FORWARDED_FROM :] = forwarded
        return type(self).create(
            operands=operands,
            result_types=result_types,
            properties=self.properties,
            attributes=self.attributes,
            location=self.location,
            regions=[self.detach_region(region) for region in list(self.regions)],
        )


class LoopOp(RegionBranchOp):
    """A loop: its last region, the body, leads to the next iteration or out."""

    @property
    def jumps(self) -> list[RegionTerminator]:
        """The terminators inside the body that mean this loop, in order."""
        block = self.regions[-1].block
        jumps: list[RegionTerminator] = list(loop_terminators(block.ops))
        last = block.last_op
        if isinstance(last, RegionTerminator) and last not in jumps:
            jumps += [last] if last.target is self else []
        return jumps

    @property
    def back_edges(self) -> list[RegionTerminator]:
        """The terminators inside the body that lead to the next iteration."""
        return [jump for jump in self.jumps if self.continues(jump)]

    @property
    def breaks(self) -> list[RegionTerminator]:
        """The terminators inside the body that lead behind the loop only."""
        return [jump for jump in self.jumps if not self.continues(jump)]

    @property
    def terminators(self) -> list[RegionTerminator]:
        """The terminators inside, at any depth, whose target is this op, in order."""
        return self.jumps

    def continues(self, end: RegionTerminator) -> bool:
        """Whether a terminator of the body leads to the next iteration."""
        return any(to.region is not None for to in self.region_successors(end))


class LoopTerminator(RegionTerminator):
    """A terminator that means the nearest loop, from any depth."""

    @property
    def target(self) -> LoopOp | None:
        """The nearest loop."""
        return nearest(self, LoopOp)


def loop_terminators(ops: Iterable[Operation]) -> list[LoopTerminator]:
    """The breaks and continues among the ops of a loop's body that mean this loop."""
    result: list[LoopTerminator] = []
    stack = list(reversed(list(ops)))
    while stack:
        op = stack.pop()
        if isinstance(op, LoopTerminator):
            result.append(op)
        elif op.regions and not isinstance(op, LoopOp):
            inner = [o for r in op.regions for b in r.blocks for o in b.ops]
            stack += reversed(inner)
    return result


BranchOpT = TypeVar("BranchOpT", bound=RegionBranchOp)


def nearest(op: Operation, kind: type[BranchOpT]) -> BranchOpT | None:
    """The innermost op of a kind around an op."""
    around = op.parent_op()
    while around is not None and not isinstance(around, kind):
        around = around.parent_op()
    return around


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is made in one of an op's regions, at any depth."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    return block is not None and any(region.is_ancestor(block) for region in op.regions)


def forwarded_to(op: Operation, index: int) -> list[SSAValue]:
    """The values that an operand of an op becomes by control flow; none if it does not.

    As the number of an operand, `index` counts from the first operand of the op.
    """
    if isinstance(op, RegionTerminator):
        target, number = op.target, index - op.FORWARDED_FROM
        if target is None:
            return []
    elif isinstance(op, RegionBranchOp) and op.FORWARDED_FROM is not None:
        target, number = op, index - op.FORWARDED_FROM
    else:
        return []
    if number < 0:
        return []
    return [to.inputs[number] for to in target.region_successors(op)]


def forwarded_from(value: SSAValue) -> list[SSAValue]:
    """The values that become this one by control flow; none if it is made otherwise."""
    owner = value.owner
    op = owner.parent_op() if isinstance(owner, Block) else owner
    return op.incoming(value) if isinstance(op, RegionBranchOp) else []


def edges(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Each value that an op forwards, with what it becomes, for all its edges."""
    source = target = None
    if isinstance(op, RegionTerminator):
        source, target = op, op.target
    elif isinstance(op, RegionBranchOp):
        source = target = op
    if source is None or target is None:
        return
    for successor in target.region_successors(source):
        yield from zip(source.forwarded, successor.inputs, strict=True)
