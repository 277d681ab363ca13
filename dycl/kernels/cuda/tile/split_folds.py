"""Long reductions to few numbers: blocks fold parts of rows, which are then joined.

One block for each row would leave most of the device idle. Parts are put together in
order, so that all runs give the same, and of equal elements the first one is found.
"""

from collections.abc import Sequence

from dycl.kernels.cuda.tile.folds import Fold
from dycl.kernels.cuda.tile.groups import Group, is_window, kind_of
from dycl.kernels.cuda.tile.index import Index
from dycl.kernels.cuda.tile.nodes import Loop, Nest, Node, Parts
from dycl.kernels.cuda.tile.payload import Value
from dycl.kernels.cuda.tile.program import Buffer
from dycl.kernels.cuda.tile.sizes import Sum, count, parts_of, usual
from dycl.kernels.cuda.tile.stores import Spare, Stored, Written, by_anchor, store
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import FoldPlan, fold_plan, launch_of, row_blocks


def plan_of(group: Group) -> FoldPlan | None:
    """How a reduction is cut; None: its group folds rows more than once."""
    anchor = group.anchor
    if anchor is None or is_window(anchor.nest):
        return None
    if any(n is not anchor.nest and kind_of(n) != "map" for n in group.members):
        return None
    nest = anchor.nest
    rows, columns = count(anchor.shape), count(nest.reduced_sizes)
    if isinstance(rows, Sum) or isinstance(columns, Sum):
        return None
    return fold_plan(rows, columns, _lie_side_by_side(nest))


def _lie_side_by_side(nest: Nest) -> bool:
    """Whether neighbours in a row are neighbours in what is read."""
    reduced = {d for d, r in zip(nest.dims, nest.is_reduced, strict=True) if r}
    last = [m[-1].atoms for m in nest.maps[: len(nest.inputs)] if m]
    return not last or any(atoms & reduced for atoms in last)


def write_split_fold(
    group: Group, plan: FoldPlan, memory: dict[Node, str], stored: Stored, spare: Spare
) -> list[Written]:
    """The two functions of a reduction in parts. Raises Refused."""
    anchor = group.anchor
    assert anchor is not None
    shape = anchor.shape
    size = count(anchor.nest.reduced_sizes)
    blocks = parts_of(count(shape), plan.rows)
    writer = Writer(memory=memory, columns="c", most_columns=plan.width)
    program = "tl.program_id(0)"
    number = program if blocks == 1 else f"{program} // {blocks}"
    part = writer.axis("s", number, 0, [plan.splits]).atoms[0]
    start = "0" if blocks == 1 else f"{program} % {blocks} * {plan.rows}"
    rows = writer.axis("r", start, plan.rows, shape).atoms
    writer.tile = ("r", "c")
    each = plan.each(usual(size))
    span = f"s * {each}, tl.minimum(s * {each} + {each}, {size})"
    needed = max(_needed(anchor, stored), key=lambda loop: loop.result)
    fold, values = writer.folded_part(needed, rows, span)
    kept: list[tuple[Node, Buffer]] = []
    at = (part, *rows)
    for value in values:
        node = Parts((plan.splits, *shape), value.dtype, anchor.place)
        buffer = spare(node.shape, node.dtype)
        writer.know(node, at, value)
        kept.append((node, buffer))
    store(writer, kept, at)
    launch = launch_of(plan.rows * plan.width)
    first = Written(writer, blocks * plan.splits, launch, kept)
    last = Writer(memory={**memory, **{node: buffer.name for node, buffer in kept}})
    parts = [node for node, _ in kept]
    return [first, _whole(group, anchor, fold, last, parts, stored)]


def _needed(anchor: Loop, stored: Stored) -> list[Loop]:
    """The results of the reduction that are asked for: values, places, or both."""
    loops = (node for node, _ in stored if isinstance(node, Loop))
    return [anchor, *(n for n in loops if n.nest is anchor.nest and n is not anchor)]


def _whole(
    group: Group,
    anchor: Loop,
    fold: Fold,
    writer: Writer,
    parts: Sequence[Node],
    stored: Stored,
) -> Written:
    """The function that puts parts together, and does what is left."""
    size, splits = count(anchor.shape), parts[0].shape[0]
    block, width = row_blocks(usual(size), usual(splits))
    axis = writer.axis("r", f"tl.program_id(0) * {block}", block, anchor.shape)
    writer.axis("c", "0", width, [splits])
    writer.tile = ("r", "c")
    known: dict[tuple[Index, ...], list[Value]] = {}

    def finish(loop: Loop, at: tuple[Index, ...]) -> Value:
        if at not in known:
            known[at] = writer.reduced(fold, _loaded(writer, fold, parts, at))
        values = known[at]
        value = values[-1] if fold.has_index and loop.result else values[0]
        return writer.with_start(loop, at, fold, value)

    for loop in _needed(anchor, stored):
        writer.finish[loop] = lambda at, loop=loop: finish(loop, at)
    by = by_anchor(group, axis.atoms)
    store(writer, stored, [i.replaced(by) for i in group.indices])
    return Written(writer, parts_of(size, block), launch_of(block * width), stored)


def _loaded(
    writer: Writer, fold: Fold, parts: Sequence[Node], at: tuple[Index, ...]
) -> list[Value]:
    axis = writer.axes["c"]
    column = axis.atoms[0]
    result: list[Value] = []
    for node, identity in zip(parts, fold.identity, strict=True):
        value = writer.load(node, (column, *at))
        for bound in writer.bounds(frozenset("c")):
            text = f"tl.where({bound}, {value.text}, {identity.text})"
            value = writer.let(text, value.dtype, frozenset(writer.tile))
        result.append(value)
    return result
