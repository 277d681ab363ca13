"""What shares memory, found without regard to order: families of leaves.

A view and its base are of one family, the result of an `if` and what its branches
yield, what a loop carries, a list of the run and its items.
"""

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.memory.items_left import is_left_alone
from dycl.analysis.memory.leaves import operand_leaves, result_leaves
from dycl.analysis.memory.views_in_lists import is_of_one_iteration
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Known, Leaf, Structures
from dycl.ir import SelectOp, SubscriptOp
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.values import ParamRef
from dycl.ir.walking import walk


class Families:
    """Union-find over leaves."""

    def __init__(self, inference: Inference, structures: Structures):
        self.inference = inference
        self.structures = structures
        self.parent: dict[Leaf, Leaf] = {}
        self.known: dict[Known, None] = {}
        """Parameters and buffers that share memory with something."""
        self._apart: list[tuple[Leaf, Leaf]] = []
        """Views in lists, and what they are views of, that may be taken for copies."""

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
        self._collect(block)
        if not self._apart:
            return
        written = [
            leaf
            for op in walk(block)
            if (outcome := self.inference.outcomes.get(op)) is not None
            for number in outcome.written - {-1}
            for leaf in [operand_leaves(op, self.structures)[number]]
        ]
        while True:
            roots = set(map(self.find, written))
            wrong = [pair for pair in self._apart if self.find(pair[0]) in roots]
            if not wrong:
                return
            for view, base in wrong:
                self.unite(view, base)
                self._apart.remove((view, base))

    def _collect(self, block: Block) -> None:
        for op in block.ops:
            for region in op.regions:
                self._collect(region.block)
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
                if outcome.aliases and is_of_one_iteration(
                    op, self.inference, self.structures
                ):
                    self._apart += [
                        (results[i], operands[j]) for i, j in outcome.aliases
                    ]
                    continue
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
