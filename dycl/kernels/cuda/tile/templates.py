"""The shapes of a function: elementwise, rows, contraction.

elementwise     i = tl.program_id(0) * 256 + tl.arange(0, 256)
rows            r by c: a block has some rows, and folds their columns
contraction     m by n: `tl.dot` over pieces of k, then the epilogue
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dycl.kernels.cuda.tile.groups import Group, kind_of, sides, solved
from dycl.kernels.cuda.tile.index import Atom, Index, unflat
from dycl.kernels.cuda.tile.nodes import Loop, Node
from dycl.kernels.cuda.tile.payload import FLOATS, TYPES, Value
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import (
    DOT_PRECISION,
    Launch,
    dot_blocks,
    flat_block,
    launch_of,
    row_blocks,
)

Stored = Sequence[tuple[Node, str]]
"""The results to be stored, and what their memory is called."""


@dataclass(frozen=True)
class Written:
    """A function's body."""

    writer: Writer
    blocks: int
    launch: Launch


def write_group(group: Group, memory: dict[Node, str], stored: Stored) -> Written:
    """The function that computes a group. Raises Refused."""
    writer = Writer(memory=memory)
    if group.anchor is None and group.rows is None:
        return _elementwise(group, writer, stored)
    if group.anchor is not None and kind_of(group.anchor.nest) == "contraction":
        return _contraction(group, group.anchor, writer, stored)
    return _rows(group, writer, stored)


def _elementwise(group: Group, writer: Writer, stored: Stored) -> Written:
    shape = [index.top for index in group.indices]
    return _flat(writer, shape, stored)


def _flat(writer: Writer, shape: Sequence[int], stored: Stored) -> Written:
    size = math.prod(shape)
    block = flat_block(size)
    axis = writer.axis("i", f"tl.program_id(0) * {block}", block, shape)
    writer.tile = ("i",)
    _store(writer, stored, axis.atoms)
    return Written(writer, -(-size // block), launch_of(block))


def write_copy(node: Node, memory: dict[Node, str], name: str) -> Written:
    """The function that stores a tensor that is computed nowhere else."""
    return _flat(Writer(memory=memory), node.shape, [(node, name)])


def _rows(group: Group, writer: Writer, stored: Stored) -> Written:
    if group.anchor is None:
        assert group.rows is not None
        atoms = [a for i in group.indices for a in i.atoms]
        rows = [a for a in atoms if a in group.rows]
        columns = [a for a in atoms if a not in group.rows]
        wide = math.prod(a.size for a in columns)
        high = [a.size for a in rows]
    else:
        high = list(group.anchor.shape)
        wide = math.prod(group.anchor.nest.reduced_sizes)
        rows, columns = [], []
    inner = [a.size for a in columns]
    if group.anchor is not None:
        inner = list(group.anchor.nest.reduced_sizes)
    count = math.prod(high)
    block, width = row_blocks(count, wide)
    axis = writer.axis("r", f"tl.program_id(0) * {block}", block, high)
    writer.tile, writer.columns, writer.most_columns = ("r", "c"), "c", width
    by = dict(zip(rows, axis.atoms, strict=False))
    if wide <= width:
        across = writer.axis("c", "0", width, inner)
        by |= dict(zip(columns, across.atoms, strict=False))
    if group.anchor is not None:
        by = _by_anchor(group, axis.atoms)
    _store(writer, stored, [i.replaced(by) for i in group.indices])
    return Written(writer, -(-count // block), launch_of(block * width))


def _contraction(group: Group, anchor: Loop, writer: Writer, stored: Stored) -> Written:
    nest = anchor.nest
    parts = sides(nest)
    counts = [math.prod(a.size for a in part) for part in parts]
    depth = math.prod(nest.reduced_sizes)
    high, wide, deep = dot_blocks(counts[1], counts[2], depth)
    tall, broad = -(-counts[1] // high), -(-counts[2] // wide)
    writer.line("p = tl.program_id(0)")
    by: dict[Atom, Index] = {}
    if parts[0]:
        batch = writer.axis(
            "b", _quotient("p", tall * broad), 0, [a.size for a in parts[0]]
        )
        by |= dict(zip(parts[0], batch.atoms, strict=True))
    row = _tile_start("p", broad, tall, high)
    column = _tile_start("p", 1, broad, wide)
    for letter, start, block, part in (
        ("m", row, high, parts[1]),
        ("n", column, wide, parts[2]),
    ):
        axis = writer.axis(letter, start, block, [a.size for a in part])
        by |= dict(zip(part, axis.atoms, strict=True))
    at = tuple(i.replaced(by) for i in nest.maps[2])
    writer.line(f"acc = tl.zeros(({high}, {wide}), tl.float32)")
    with writer.loop(f"for k_start in range(0, {depth}, {deep}):"):
        _dot(writer, anchor, at, deep)
    writer.tile = ("m", "n")
    whole = frozenset(writer.tile)
    total = Value("acc", "f32", whole)
    start = writer.at(nest.starts[0], at)
    if start.number != 0:
        text = (
            start.text if start.number is not None else f"{start.text}.to(tl.float32)"
        )
        total = writer.let(f"acc + {text}", "f32", whole)
    if anchor.dtype != "f32":
        total = writer.let(
            f"{total.text}.to({TYPES[anchor.dtype]})", anchor.dtype, whole
        )
    writer.know(anchor, at, total)
    _store(
        writer,
        stored,
        [i.replaced(_by_anchor(group, at)) for i in group.indices],
    )
    return Written(writer, max(1, counts[0]) * tall * broad, Launch())


def _tile_start(program: str, stride: int, count: int, block: int) -> str:
    """Where tile `program / stride` of `count` begins."""
    if count == 1:
        return "0"
    return f"{_quotient(program, stride)} % {count} * {block}"


def _quotient(number: str, by: int) -> str:
    return number if by == 1 else f"{number} // {by}"


def _dot(writer: Writer, anchor: Loop, at: Sequence[Index], deep: int) -> None:
    """One piece of the depth."""
    nest = anchor.nest
    axis = writer.axis("k", "k_start", deep, nest.reduced_sizes)
    operands: list[Value] = []
    pieces = anchor.reads(at, axis.atoms)
    for piece, tile in zip(pieces, (("m", "k"), ("k", "n")), strict=True):
        writer.tile = tile
        value = writer.at(piece.source, piece.indices)
        text = value.text
        whole = frozenset(tile)
        if value.axes != whole:
            text = writer.spread(value, whole)
        held = writer.placed("k_in", "k")
        if not axis.is_exact and held not in value.zero_outside:
            text = f"tl.where({held}, {text}, 0.0)"
        if text != value.text:
            value = writer.let(text, value.dtype, whole)
        operands.append(value)
    left, right = operands
    precise = left.dtype == "f32"
    how = f', input_precision="{DOT_PRECISION}"' if precise else ""
    writer.line(f"acc = tl.dot({left.text}, {right.text}, acc{how})")


def _by_anchor(group: Group, at: Sequence[Index]) -> dict[Atom, Index]:
    """The atoms of the group's result by an element of its anchor."""
    assert group.anchor is not None
    ways = solved(group.indices, group.anchor_at, group.anchor.shape)
    assert ways is not None
    return {
        atom: unflat(at[dim], sizes)[which]
        for atom, (dim, sizes, which) in ways.items()
    }


def _store(writer: Writer, stored: Stored, at: Sequence[Index]) -> None:
    """Write every result where it belongs."""
    for loop, name in stored:
        value = writer.at(loop, at)
        text, axes = writer.address(at, loop)
        if not value.axes <= axes or value.number is not None or not axes:
            axes = axes | value.axes
            shape = writer.block(axes)
            zeros = f"tl.zeros({shape}, tl.int32)"
            text = zeros if text == "0" else f"{text} + {zeros}"
        given = value.text
        if value.number is not None:
            given = f"tl.full({writer.block(axes)}, {given}, {TYPES[loop.dtype]})"
        elif loop.dtype in FLOATS and loop.dtype != value.dtype:
            given = f"{given}.to({TYPES[loop.dtype]})"
        mask = " & ".join(writer.bounds(axes))
        writer.line(
            f"tl.store({name} + {text}, {given}{f', mask={mask}' if mask else ''})"
        )
