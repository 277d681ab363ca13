"""Contractions: `tl.dot` over pieces of the depth, then the epilogue.

A product with few tiles and much depth leaves most of the device idle. Its depth is
split: blocks compute sums of parts of it, which a second function adds, in order,
before the epilogue.
"""

from collections.abc import Sequence
from dataclasses import replace

from dycl.kernels.cuda.tile.groups import Group, sides
from dycl.kernels.cuda.tile.index import Atom, Index
from dycl.kernels.cuda.tile.nodes import Loop, Nest, Node, Parts, Piece
from dycl.kernels.cuda.tile.payload import TYPES, Value
from dycl.kernels.cuda.tile.sizes import Size, Sum, count, parts_of, usual
from dycl.kernels.cuda.tile.stores import (
    Spare,
    Stored,
    Written,
    by_anchor,
    store,
    write_flat,
)
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda_products import DotPlan, Sizes, product_work
from dycl.schedules.cuda_tuning import Planner


def write_contraction(
    group: Group,
    anchor: Loop,
    memory: dict[Node, str],
    stored: Stored,
    spare: Spare,
    planner: Planner,
) -> list[Written]:
    """The functions that compute a product and its epilogue. Raises Refused."""
    nest = anchor.nest
    batch, left, right = (count(a.size for a in part) for part in sides(nest))
    depth = count(nest.reduced_sizes)
    is_half = all(n.dtype != "f32" for n in nest.inputs)
    sizes = Sizes(
        *(usual(batch), usual(left), usual(right), usual(depth)),
        is_half,
        has_windows(nest),
    )
    plan = planner(sizes)
    if isinstance(depth, Sum):  # No part would be empty for some depth only.
        plan = replace(plan, splits=1)
    work = product_work(sizes, plan)
    writer = Writer(memory=memory)
    blocks = batch * parts_of(left, plan.rows) * parts_of(right, plan.columns)
    at = _tile(writer, anchor, plan, blocks)
    writer.line(f"acc = tl.zeros(({plan.rows}, {plan.columns}), tl.float32)")
    with writer.loop(f"for k_start in range({_pieces(plan, depth)}, {plan.depth}):"):
        _dot(writer, anchor, at, plan)
    writer.tile = ("m", "n")
    total = Value("acc", "f32", frozenset(writer.tile))
    if plan.splits == 1:
        writer.know(anchor, at, _finished(writer, anchor, at, total))
        where = [i.replaced(by_anchor(group, at)) for i in group.indices]
        store(writer, stored, where)
        return [Written(writer, blocks, plan.launch, stored, work, sizes)]
    parts = Parts((plan.splits, *anchor.shape), "f32", anchor.place)
    buffer = spare(parts.shape, "f32")
    part_at = (*writer.axes["s"].atoms, *at)
    writer.know(parts, part_at, total)
    held = [(parts, buffer)]
    store(writer, held, part_at)
    last = Writer(memory={**memory, parts: buffer.name})
    last.finish[anchor] = lambda at: _finished(last, anchor, at, _sum(last, parts, at))
    shape = [index.top for index in group.indices]
    return [
        Written(writer, blocks * plan.splits, plan.launch, held, work, sizes),
        replace(write_flat(last, shape, stored), product=sizes),
    ]


def has_windows(nest: Nest) -> bool:
    """Whether what is summed up has several dimensions."""
    return sum(n != 1 for n in nest.reduced_sizes) > 1


def _tile(
    writer: Writer, anchor: Loop, plan: DotPlan, blocks: Size
) -> tuple[Index, ...]:
    """Write which tile a block computes; the element of the result at its rows and
    columns."""
    nest = anchor.nest
    batch, left, right = sides(nest)
    tall = parts_of(count(a.size for a in left), plan.rows)
    broad = parts_of(count(a.size for a in right), plan.columns)
    program = "tl.program_id(0)"
    if plan.splits > 1:
        writer.axis("s", _quotient(program, blocks), 0, [plan.splits])
        program = f"{program} % {blocks}"
    writer.line(f"p = {program}")
    by: dict[Atom, Index] = {}
    if batch:
        sizes = [a.size for a in batch]
        axis = writer.axis("b", _quotient("p", tall * broad), 0, sizes)
        by |= dict(zip(batch, axis.atoms, strict=True))
    row = _start("p", broad, tall, plan.rows)
    column = _start("p", 1, broad, plan.columns)
    for letter, start, block, part in (
        ("m", row, plan.rows, left),
        ("n", column, plan.columns, right),
    ):
        axis = writer.axis(letter, start, block, [a.size for a in part])
        by |= dict(zip(part, axis.atoms, strict=True))
    return tuple(i.replaced(by) for i in nest.maps[2])


def _start(program: str, stride: Size, tiles: Size, block: int) -> str:
    """Where tile `program / stride` of `tiles` begins."""
    if tiles == 1:
        return "0"
    return f"{_quotient(program, stride)} % {tiles} * {block}"


def _quotient(number: str, by: Size) -> str:
    return number if by == 1 else f"{number} // {by}"


def _pieces(plan: DotPlan, depth: Size) -> str:
    """From where to where a block goes through the depth."""
    if plan.splits == 1:
        return f"0, {depth}"
    each = plan.each(usual(depth))
    end = f"s * {each} + {each}"
    if each * plan.splits != depth:
        end = f"tl.minimum({end}, {depth})"
    return f"s * {each}, {end}"


def _dot(writer: Writer, anchor: Loop, at: Sequence[Index], plan: DotPlan) -> None:
    """One piece of the depth."""
    nest = anchor.nest
    axis = writer.axis("k", "k_start", plan.depth, nest.reduced_sizes)
    pieces = anchor.reads(at, axis.atoms)
    left = operand(writer, pieces[0], ("m", "k"), "k")
    right = operand(writer, pieces[1], ("k", "n"), "k")
    precise = left.dtype == "f32"
    how = f', input_precision="{plan.precision}"' if precise else ""
    writer.line(f"acc = tl.dot({left.text}, {right.text}, acc{how})")


def operand(writer: Writer, piece: Piece, tile: tuple[str, str], depth: str) -> Value:
    """A matrix of `tl.dot`, with zeros behind the end of the depth."""
    writer.tile = tile
    value = writer.at(piece.source, piece.indices)
    text = value.text
    whole = frozenset(tile)
    if value.axes != whole:
        text = writer.spread(value, whole)
    held = writer.placed(f"{depth}_in", depth)
    if not writer.axes[depth].is_exact and held not in value.zero_outside:
        text = f"tl.where({held}, {text}, 0.0)"
    if text != value.text:
        value = writer.let(text, value.dtype, whole)
    return value


def _sum(writer: Writer, parts: Parts, at: Sequence[Index]) -> Value:
    """The sum of all parts of an element, in order."""
    splits = parts.shape[0]
    total = writer.load(parts, (Index(), *at))
    with writer.loop(f"for s in tl.static_range(1, {splits}):"):
        step = Index(((Atom("s", splits), 1),))
        value = writer.load(parts, (step, *at))
        writer.line(f"{total.text} += {value.text}")
    return Value(total.text, "f32", total.axes)


def _finished(writer: Writer, anchor: Loop, at: Sequence[Index], total: Value) -> Value:
    """With what the sum starts from, in the type of the result."""
    start = writer.at(anchor.nest.starts[0], tuple(at))
    if start.number != 0:
        text = (
            start.text if start.number is not None else f"{start.text}.to(tl.float32)"
        )
        total = writer.let(f"{total.text} + {text}", "f32", total.axes | start.axes)
    if anchor.dtype != "f32":
        kind = TYPES[anchor.dtype]
        total = writer.let(f"{total.text}.to({kind})", anchor.dtype, total.axes)
    return total
