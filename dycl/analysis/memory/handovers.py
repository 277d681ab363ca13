"""Images that launches hand to one another, which may stand in blocks of channels.

Blocks are a form of our own kernels: an image stands in blocks if nobody but these has
it. Otherwise each of them that works on blocks packs what it gets, or unpacks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dycl.analysis.memory.layouts import Wish, is_image, wishes
from dycl.ir import LaunchOp
from dycl.ir.interfaces import edges
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk

LANES = 16
"""Channels in a block."""


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
    names = _Names()
    wants = {name: wishes(kernel, LANES) for name, kernel in kernels.items()}
    for op in walk(module):
        if isinstance(op, LaunchOp) and _fits(op, wants.get(op.kernel_name)):
            before, after = wants[op.kernel_name]
            for value, wish in (
                *zip(op.operands, before, strict=True),
                *zip(op.results, after, strict=True),
            ):
                names.use(value, op, wish)
            continue
        pairs = list(edges(op))
        for one, other in pairs:
            names.join(one, other)
        forwarded = {id(one) for one, _ in pairs} | {id(other) for _, other in pairs}
        for value in (*op.operands, *op.results):
            if id(value) not in forwarded:
                names.in_rows.append(value)
    return names.handovers()


def _fits(op: LaunchOp, wants: tuple[list[Wish], list[Wish]] | None) -> bool:
    counts = len(op.operands), len(op.results)
    return wants is not None and counts == (len(wants[0]), len(wants[1]))


class _Names:
    """Values that are one image (union-find), and who uses them."""

    def __init__(self) -> None:
        self.parents: dict[SSAValue, SSAValue] = {}
        self.uses: list[tuple[SSAValue, LaunchOp, Wish]] = []
        self.in_rows: list[SSAValue] = []

    def find(self, value: SSAValue) -> SSAValue:
        while (parent := self.parents.setdefault(value, value)) is not value:
            value = parent
        return value

    def join(self, one: SSAValue, other: SSAValue) -> None:
        first, second = self.find(one), self.find(other)
        if first is not second:
            self.parents[second] = first

    def use(self, value: SSAValue, launch: LaunchOp, wish: Wish) -> None:
        if is_image(value, LANES):
            self.uses.append((value, launch, wish))

    def handovers(self) -> list[Handover]:
        rows = {self.find(value) for value in self.in_rows}
        found: dict[SSAValue, Handover] = {}
        for value, launch, wish in self.uses:
            root = self.find(value)
            if root in rows:
                continue
            known = found.setdefault(root, Handover(_nbytes(value)))
            count = known.launches.get(launch, 0) + (wish is Wish.BLOCKS)
            known.launches[launch] = count
        return [h for h in found.values() if any(h.launches.values())]


def _nbytes(value: SSAValue) -> int:
    assert isinstance(value.type, VTensorType)
    sizes = value.type.sizes()
    count = 4  # Images are of f32.
    for size in sizes or ():
        count *= size
    return count
