"""The parts of a function that compute each sample alone, and are worth a loop.

Ops that hand batches to one another go together, unless something that sees all samples
stands between: a *level* is how often that has been so on the way to an op. What is the
same for every sample, as a bias in the place of each pixel, belongs to all that use it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_matmuls import are_rows_of_weight
from dycl.kernels.cpu.samples.each_sample import is_each_sample
from dycl.kernels.cpu.samples.marked import SAMPLE_OF
from dycl.kernels.cpu.samples.sizes import Sizes, counts_samples
from dycl.kernels.cpu.weights.origins import WeightValues, outside_values

_PRODUCTS = ("linalg.matmul", "linalg.batch_matmul")
_WORTH_IT = (
    "linalg.batch_matmul",
    "linalg.conv_",
    "linalg.depthwise_conv_",
    "linalg.pooling_",
)


@dataclass
class Region:
    """Ops of one block, in order, that a loop over samples may do."""

    ops: list[Any] = field(default_factory=list[Any])
    shared: list[Any] = field(default_factory=list[Any])
    """Ops before them that give the same for each sample."""

    def results(self) -> list[Any]:
        """What others see of it."""
        return [
            result
            for op in self.ops
            for result in op.results
            if any(_outer(use.owner, op.block) not in self.ops for use in result.uses)
        ]


class Batches:
    """What is known of the batches in a function."""

    def __init__(self, func: Any, places: Mapping[Any, int] | None = None):
        """Look at every op of the function's body, in order. `places`: see `Sizes`."""
        self.ops = [op.operation for op in func.regions[0].blocks[0].operations]
        self.sizes = Sizes(places)
        weights = WeightValues(func)
        self._alone: dict[Any, bool] = {}
        """Ops that compute each sample alone -> whether samples differ in it."""
        for op in self.ops:
            if counts_samples(op):
                self.sizes.same([op.operands[0], op.results[0]])
            elif are_rows_of_weight(op, weights):
                continue
            elif is_each_sample(op, self.sizes):
                both = (*op.operands, *op.results)
                batches = [value for value in both if self.sizes.is_batch(value)]
                self.sizes.same([*batches, *_counts(op)])
                self._alone[op] = self._differs(op)

    def regions(self) -> list[Region]:
        """The parts that are worth it, in the order of their last ops."""
        levels = self._levels()
        together: dict[Any, Region] = {}
        for op, differs in self._alone.items():
            if not differs:
                continue
            near = [
                together[producer]
                for value in outside_values(op)
                if (producer := build.owner(value)) in together
                and levels[producer] == levels[op]
            ]
            region = near[0] if near else Region()
            for other in near[1:]:
                if other is not region:
                    region.ops += other.ops
                    together |= dict.fromkeys(other.ops, region)
            region.ops.append(op)
            together[op] = region
        found = list({id(region): region for region in together.values()}.values())
        place = {op: number for number, op in enumerate(self.ops)}
        for region in found:
            region.ops.sort(key=lambda op: place[op])
            region.ops = self._without_epilogues(region.ops)
            region.shared = self._shared(region.ops, place)
        worth = [region for region in found if any(map(_is_worth_it, region.ops))]
        return sorted(worth, key=lambda region: place[region.ops[-1]])

    def _differs(self, op: Any) -> bool:
        """Whether an op takes a batch whose samples differ."""
        return any(
            self.sizes.is_batch(value) and self._alone.get(build.owner(value), True)
            for value in op.operands
        )

    def _levels(self) -> dict[Any, int]:
        levels: dict[Any, int] = {}
        for op in self.ops:
            level = 0
            for value in outside_values(op):
                producer = build.owner(value)
                if producer is None:
                    continue
                leaves = self._alone.get(producer, False) and not self._alone.get(
                    op, False
                )
                level = max(level, levels[producer] + leaves)
            levels[op] = level
        return levels

    def _without_epilogues(self, inside: list[Any]) -> list[Any]:
        """Ops without those that a product's sums go through before they are stored."""
        left = dict.fromkeys(inside)
        products = {op for op in self.ops if op.name in _PRODUCTS and op not in left}
        for op in inside:
            if not build.is_parallel(op) or SAMPLE_OF in op.attributes:
                continue
            batches = filter(self.sizes.is_batch, op.operands)
            producers = {build.owner(value) for value in batches}
            if producers.isdisjoint(left) and not producers.isdisjoint(products):
                products.add(op)
                del left[op]
        return list(left)

    def _shared(self, inside: list[Any], place: dict[Any, int]) -> list[Any]:
        result: set[Any] = set()
        todo = list(inside)
        while todo:
            for value in outside_values(todo.pop()):
                producer = build.owner(value)
                if self._alone.get(producer) is False and producer not in result:
                    result.add(producer)
                    todo.append(producer)
        return sorted(result, key=lambda op: place[op])


def _counts(op: Any) -> list[Any]:
    """The indices that say how many samples an op gives."""
    return [v for v in op.operands if str(v.type) == "index"]


def _is_worth_it(op: Any) -> bool:
    kinds = map(str, op.attributes.get("iterator_types", ()))
    return op.name.startswith(_WORTH_IT) or any("reduction" in kind for kind in kinds)


def _outer(op: Any, block: Any) -> Any:
    """The op of `block` that `op` is, or is inside of."""
    op = op.operation
    while op.block != block:
        op = op.parent.operation
    return op
