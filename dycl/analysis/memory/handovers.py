"""Images that launches hand to one another, which may stand in blocks of channels.

Blocks are a form of our own kernels: an image stands in blocks if nobody but these has
it. Otherwise each of them that works on blocks packs what it gets, or unpacks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dycl.analysis.memory.layouts import LANES, Wish, is_image, wishes
from dycl.ir import LaunchOp
from dycl.ir.interfaces import edges
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk
from dycl.support.disjoint import DisjointSets


@dataclass
class Handover:
    """An image under all its names: what joins forward is one image."""

    nbytes: int
    launches: dict[LaunchOp, int] = field(default_factory=dict[LaunchOp, int])
    """Those that take or give it, each with the number of conversions that rows cost
    it."""


def handovers(module: ModuleOp, kernels: Mapping[str, FuncOp]) -> list[Handover]:
    """The images that only launches of these kernels have, in the order of the program.

    What the host reads, views or returns is none of them, nor is what no kernel wants
    in blocks.
    """
    uses = _Uses()
    wants = {name: wishes(kernel, LANES) for name, kernel in kernels.items()}
    for op in walk(module):
        if isinstance(op, LaunchOp) and _fits(op, wants.get(op.kernel_name)):
            before, after = wants[op.kernel_name]
            for value, wish in (
                *zip(op.operands, before, strict=True),
                *zip(op.results, after, strict=True),
            ):
                uses.add(value, op, wish)
            continue
        pairs = list(edges(op))
        for one, other in pairs:
            uses.names.join(one, other)
        forwarded = {id(one) for one, _ in pairs} | {id(other) for _, other in pairs}
        for value in (*op.operands, *op.results):
            if id(value) not in forwarded:
                uses.in_rows.append(value)
    return uses.handovers()


def _fits(op: LaunchOp, wants: tuple[list[Wish], list[Wish]] | None) -> bool:
    counts = len(op.operands), len(op.results)
    return wants is not None and counts == (len(wants[0]), len(wants[1]))


class _Uses:
    """Who uses which image: values that are one, under several names, are one set."""

    def __init__(self) -> None:
        self.names = DisjointSets[SSAValue]()
        self.uses: list[tuple[SSAValue, LaunchOp, Wish]] = []
        self.in_rows: list[SSAValue] = []

    def add(self, value: SSAValue, launch: LaunchOp, wish: Wish) -> None:
        if is_image(value, LANES):
            self.uses.append((value, launch, wish))

    def handovers(self) -> list[Handover]:
        rows = {self.names.find(value) for value in self.in_rows}
        found: dict[SSAValue, Handover] = {}
        for value, launch, wish in self.uses:
            root = self.names.find(value)
            if root in rows:
                continue
            known = found.setdefault(root, Handover(_nbytes(value)))
            count = known.launches.get(launch, 0) + (wish is Wish.BLOCKS)
            known.launches[launch] = count
        return [h for h in found.values() if any(h.launches.values())]


def _nbytes(value: SSAValue) -> int:
    assert isinstance(value.type, VTensorType)
    sizes = value.type.sizes()
    return 4 * prod(sizes or ())  # Images are of f32.
