"""Which tensors may share memory, found without regard to order.

A view and its base, the result of an `if` and what its branches yield, what a loop
carries.
"""

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.memory.items_left import is_left_alone
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Known, Leaf, Structures
from dycl.ir import SelectOp, SubscriptOp
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.values import ParamRef


class Families:
    """Union-find over leaves."""

    def __init__(self, inference: Inference, structures: Structures):
        self.inference = inference
        self.structures = structures
        self.parent: dict[Leaf, Leaf] = {}
        self.known: dict[Known, None] = {}
        """Parameters and buffers that share memory with something."""

    def find(self, leaf: Leaf) -> Leaf:
        root = leaf
        while (above := self.parent.get(root, root)) != root:
            root = above
        while leaf != root:
            self.parent[leaf], leaf = root, self.parent.get(leaf, leaf)
        return root

    def unite(self, one: Leaf, other: Leaf) -> None:
        for leaf in (one, other):
            if isinstance(leaf, Known) and isinstance(leaf.value, ParamRef):
                self.known[leaf] = None
        self.parent[self.find(one)] = self.find(other)

    def collect(self, block: Block) -> None:
        """Unite what shares memory, in a block and the regions inside."""
        for op in block.ops:
            for region in op.regions:
                self.collect(region.block)
            if isinstance(op, RegionBranchOp):
                for source in (op, *op.terminators):
                    for successor in op.region_successors(source):
                        self._join(source.forwarded, successor.inputs)
            elif isinstance(op, SelectOp):
                self._join([op.if_true], op.results)
                self._join([op.if_false], op.results)
            elif (outcome := self.inference.outcomes.get(op)) is not None:
                if outcome.aliases and self._is_left_alone(op):
                    continue
                results = result_leaves(op, self.structures)
                operands = operand_leaves(op, self.structures)
                for i, j in sorted(outcome.aliases):
                    # A list that is not taken apart, as here, is refused later on.
                    if i < len(results) and j < len(operands):
                        self.unite(results[i], operands[j])

    def _is_left_alone(self, op: Operation) -> bool:
        return (
            isinstance(op, SubscriptOp)
            and isinstance(self.inference.of(op.operand), ListOf)
            and is_left_alone(op, self.inference, self.structures)
        )

    def _join(self, given: Sequence[SSAValue], names: Sequence[SSAValue]) -> None:
        for value, result in zip(given, names, strict=True):
            ours = self.structures.leaves(result)
            theirs = self.structures.leaves(value)
            if len(ours) == len(theirs):
                for one, other in zip(ours, theirs, strict=True):
                    self.unite(one, other)


def operand_leaves(op: Operation, structures: Structures) -> list[Leaf]:
    """The leaves of all operands, in order."""
    return [leaf for v in op.operands for leaf in structures.leaves(v)]


def result_leaves(op: Operation, structures: Structures) -> list[Leaf]:
    """The leaves of all results, in order."""
    return [leaf for v in op.results for leaf in structures.leaves(v)]
