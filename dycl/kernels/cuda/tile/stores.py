"""What a function stores, and where."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dycl.kernels.cuda.tile.groups import Group, solved
from dycl.kernels.cuda.tile.index import Atom, Index, unflat
from dycl.kernels.cuda.tile.nodes import Loop, Node
from dycl.kernels.cuda.tile.payload import FLOATS, TYPES
from dycl.kernels.cuda.tile.program import Buffer
from dycl.kernels.cuda.tile.sizes import Size, count, parts_of, usual
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import flat_block, launch_of
from dycl.schedules.cuda_model import Launch, Work
from dycl.schedules.cuda_products import Sizes

Stored = Sequence[tuple[Node, Buffer]]
"""The results to be stored, and their memory."""
Spare = Callable[[tuple[Size, ...], str], Buffer]
"""Makes memory between two functions."""


@dataclass(frozen=True)
class Written:
    """A function's body."""

    writer: Writer
    blocks: Size
    launch: Launch
    stored: Stored
    work: Work | None = None
    """What its blocks do, if the model is to know more than what they are given."""
    product: Sizes | None = None
    """The contraction that it is of, or of whose parts it makes the sum."""


def write_flat(writer: Writer, shape: Sequence[Size], stored: Stored) -> Written:
    """The function that stores tensors of one shape element by element."""
    size = count(shape)
    block = flat_block(usual(size))
    axis = writer.axis("i", f"tl.program_id(0) * {block}", block, shape)
    writer.tile = ("i",)
    store(writer, stored, axis.atoms)
    return Written(writer, parts_of(size, block), launch_of(block), stored)


def store(writer: Writer, stored: Stored, at: Sequence[Index]) -> None:
    """Write every result where it belongs; `at`: of the first one."""
    first = stored[0][0]
    for node, buffer in stored:
        if isinstance(node, Loop) and isinstance(first, Loop) and node is not first:
            at = _beside(first, node, at)
            first = node
        value = writer.at(node, at)
        text, axes = writer.address(at, node)
        if not value.axes <= axes or value.number is not None or not axes:
            axes = axes | value.axes
            shape = writer.block(axes)
            zeros = f"tl.zeros({shape}, tl.int32)"
            text = zeros if text == "0" else f"{text} + {zeros}"
        given = value.text
        if value.number is not None:
            given = f"tl.full({writer.block(axes)}, {given}, {TYPES[node.dtype]})"
        elif node.dtype in FLOATS and node.dtype != value.dtype:
            given = f"{given}.to({TYPES[node.dtype]})"
        mask = " & ".join(writer.bounds(axes))
        held = f", mask={mask}" if mask else ""
        writer.line(f"tl.store({buffer.name} + {text}, {given}{held})")


def _beside(first: Loop, other: Loop, at: Sequence[Index]) -> tuple[Index, ...]:
    """Where in another result of a nest stands what is made at the same time."""
    nest = first.nest
    places = nest.maps[len(nest.inputs) + other.result]
    if places == nest.maps[len(nest.inputs) + first.result]:
        return tuple(at)
    by = nest.point(first.result, at, ())
    return tuple(index.replaced(by) for index in places)


def by_anchor(group: Group, at: Sequence[Index]) -> dict[Atom, Index]:
    """The atoms of the group's result by an element of its anchor."""
    assert group.anchor is not None
    ways = solved(group.indices, group.anchor_at, group.anchor.shape)
    assert ways is not None
    return {
        atom: unflat(at[dim], sizes)[which]
        for atom, (dim, sizes, which) in ways.items()
    }
