"""Images that launches hand to one another, which may stand in blocks of channels.

Blocks are a form of our own kernels: an image stands in blocks if nobody but these has
it. Otherwise each of them that works on blocks packs what it gets, or unpacks. As
`dycl-assign-layouts` has it, which is asked once kernels are divided.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.analysis.memory.layouts import LANES, Wish, is_image, wishes
from dycl.ir import LaunchOp, SelectOp, UnreachableOp
from dycl.ir.functions import BACKEND, OURS
from dycl.ir.interfaces import RegionBranchOp, edges
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk
from dycl.support.disjoint import DisjointSets


@dataclass
class Handover:
    """An image under all its names: what joins forward is one image, and so is what a
    kernel is given, or gives, at several places."""

    nbytes: int
    launches: dict[LaunchOp, int] = field(default_factory=dict[LaunchOp, int])
    """Those that take or give it, each with the number of conversions that rows cost
    it."""


def handovers(module: ModuleOp, kernels: Mapping[str, FuncOp]) -> list[Handover]:
    """The images that would stand in blocks if each kernel that may be were ours, in
    the order of the program.

    What the host is given, reads, views or returns is none of them, nor is what as many
    launches want in rows.
    """
    uses = _Uses(
        {name: wishes(kernel, LANES) for name, kernel in kernels.items()},
        {name for name, kernel in kernels.items() if _is_for_another(kernel)},
    )
    for function in module.body.ops:
        if "dycl.kernel" not in function.attributes:
            uses.in_rows += [a for r in function.regions for a in r.block.args]
            for op in walk(function):
                uses.look(op)
    return uses.handovers()


_Slot = tuple[str, bool, int]
"""A kernel, whether it is a result of it, and which."""


class _Uses:
    """Who uses which image: values that are one, under several names, are one set."""

    def __init__(
        self,
        wants: Mapping[str, tuple[list[Wish], list[Wish]]],
        others: AbstractSet[str],
    ) -> None:
        self._wants, self._others = wants, others
        self._names = DisjointSets[SSAValue | _Slot]()
        self._uses: list[tuple[SSAValue, LaunchOp, Wish]] = []
        self.in_rows: list[SSAValue] = []

    def look(self, op: Operation) -> None:
        """Note what an op of the host does with images."""
        if isinstance(op, LaunchOp) and self._fits(op):
            if op.kernel_name in self._others:
                self.in_rows += [*op.operands, *op.results]
            for is_result, values in ((False, op.operands), (True, op.results)):
                wished = self._wants[op.kernel_name][is_result]
                for index, (value, wish) in enumerate(zip(values, wished, strict=True)):
                    if is_image(value, LANES):
                        self._names.join(value, (op.kernel_name, is_result, index))
                        self._uses.append((value, op, wish))
            return
        pairs = list(_flows(op))
        for one, other in pairs:
            self._names.join(one, other)
        if isinstance(op, RegionBranchOp):
            known = {id(a) for block in op.entered for a in op.arguments(block)}
            arguments = [a for r in op.regions for b in r.blocks for a in b.args]
            self.in_rows += [a for a in arguments if id(a) not in known]
            forwarded = {id(value) for value in op.forwarded}
            self.in_rows += [v for v in op.operands if id(v) not in forwarded]
        elif not pairs and not isinstance(op, UnreachableOp):
            self.in_rows += [*op.operands, *op.results]

    def _fits(self, op: LaunchOp) -> bool:
        counts = len(op.operands), len(op.results)
        wants = self._wants.get(op.kernel_name)
        return wants is not None and counts == (len(wants[0]), len(wants[1]))

    def handovers(self) -> list[Handover]:
        rows = {self._names.find(value) for value in self.in_rows}
        found: dict[SSAValue | _Slot, Handover] = {}
        votes: dict[SSAValue | _Slot, int] = {}
        for value, launch, wish in self._uses:
            root = self._names.find(value)
            if root in rows:
                continue
            known = found.setdefault(root, Handover(_nbytes(value)))
            count = known.launches.get(launch, 0) + (wish is Wish.BLOCKS)
            known.launches[launch] = count
            votes[root] = votes.get(root, 0) + wish.value
        return [image for root, image in found.items() if votes[root] > 0]


def _is_for_another(kernel: FuncOp) -> bool:
    backend = kernel.attributes.get(BACKEND)
    return backend is not None and backend != StringAttr(OURS)


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values that an op forwards as they are, each with what it becomes."""
    if isinstance(op, SelectOp):
        yield from ((value, op.results[0]) for value in op.operands[1:])
    else:
        yield from edges(op)


def _nbytes(value: SSAValue) -> int:
    assert isinstance(value.type, VTensorType)
    sizes = value.type.sizes()
    return 4 * prod(sizes or ())  # Images are of f32.
