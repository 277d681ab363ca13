"""The shapes of a function: elementwise, rows, windows, contraction, and six more.

elementwise     i = tl.program_id(0) * 256 + tl.arange(0, 256)
rows            r by c: a block has some rows, and folds their columns, or parts of them
windows         i: each element folds its own few, one after the other
sort            r by c: an element counts those of its row that come before it
selection       a sort, and a warp for each row with equal elements
scan            r by c: a block has some rows, and adds them up
scatter         i: each element goes through all updates, in order
attention       m by e: queries, which go through keys and values k
contraction     m by n: `tl.dot` over pieces of k, then the epilogue
"""

from dycl.kernels.cuda.tile.apart import Apart, Attention
from dycl.kernels.cuda.tile.attention import write_attention
from dycl.kernels.cuda.tile.contraction import write_contraction
from dycl.kernels.cuda.tile.groups import Group, is_window, kind_of
from dycl.kernels.cuda.tile.nodes import Node
from dycl.kernels.cuda.tile.program import Buffer
from dycl.kernels.cuda.tile.sequences import write_apart
from dycl.kernels.cuda.tile.sizes import at_most, count, held, parts_of, usual
from dycl.kernels.cuda.tile.split_folds import plan_of, write_split_fold
from dycl.kernels.cuda.tile.stores import (
    Spare,
    Stored,
    Written,
    by_anchor,
    store,
    write_flat,
)
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import (
    LARGEST_WINDOW,
    LONGEST_ROW,
    FoldPlan,
    flat_block,
    launch_of,
    row_blocks,
)
from dycl.schedules.cuda_tuning import Planner


def write_group(
    group: Group,
    memory: dict[Node, str],
    stored: Stored,
    spare: Spare,
    planner: Planner,
) -> list[Written]:
    """The functions that compute a group, in order; `spare`: makes memory between
    them; `planner`: cuts products. Raises Refused."""
    anchor = group.anchor
    if anchor is not None and kind_of(anchor.nest) == "contraction":
        return write_contraction(group, anchor, memory, stored, spare, planner)
    writer = Writer(memory=memory)
    if isinstance(group.root, Attention):
        return [write_attention(group.root, writer, stored)]
    if isinstance(group.root, Apart):
        return write_apart(group.root, memory, stored, spare)
    if anchor is None and group.rows is None:
        shape = [index.top for index in group.indices]
        return [write_flat(writer, shape, stored)]
    if anchor is not None and is_window(anchor.nest):
        each = count(anchor.nest.reduced_sizes)
        if isinstance(each, int) and each <= LARGEST_WINDOW:
            return [_windows(group, writer, stored)]
    plan = plan_of(group)
    if plan is not None and plan.splits > 1:
        return write_split_fold(group, plan, memory, stored, spare)
    return [_rows(group, writer, stored, plan)]


def write_copy(node: Node, memory: dict[Node, str], buffer: Buffer) -> Written:
    """The function that stores a tensor that is computed nowhere else."""
    return write_flat(Writer(memory=memory), node.shape, [(node, buffer)])


def _windows(group: Group, writer: Writer, stored: Stored) -> Written:
    """A reduction whose neighbours read the same elements: a thread has its own."""
    assert group.anchor is not None
    sizes = group.anchor.shape
    size = count(sizes)
    block = flat_block(usual(size))
    axis = writer.axis("i", f"tl.program_id(0) * {block}", block, sizes)
    writer.tile = ("i",)
    by = by_anchor(group, axis.atoms)
    store(writer, stored, [i.replaced(by) for i in group.indices])
    return Written(writer, parts_of(size, block), launch_of(block), stored)


def _rows(
    group: Group, writer: Writer, stored: Stored, plan: FoldPlan | None
) -> Written:
    if group.anchor is None:
        assert group.rows is not None
        atoms = [a for i in group.indices for a in i.atoms]
        rows = [a for a in atoms if a in group.rows]
        columns = [a for a in atoms if a not in group.rows]
        wide = count(a.size for a in columns)
        high = [a.size for a in rows]
    else:
        high = list(group.anchor.shape)
        wide = count(group.anchor.nest.reduced_sizes)
        rows, columns = [], []
    inner = [a.size for a in columns]
    if group.anchor is not None:
        inner = list(group.anchor.nest.reduced_sizes)
    size = count(high)
    block, width = row_blocks(usual(size), held(wide, LONGEST_ROW))
    if plan is not None:
        block, width = plan.rows, plan.width
    axis = writer.axis("r", f"tl.program_id(0) * {block}", block, high)
    writer.tile, writer.columns, writer.most_columns = ("r", "c"), "c", width
    by = dict(zip(rows, axis.atoms, strict=False))
    if at_most(wide, width):
        across = writer.axis("c", "0", width, inner)
        by |= dict(zip(columns, across.atoms, strict=False))
    if group.anchor is not None:
        by = by_anchor(group, axis.atoms)
    store(writer, stored, [i.replaced(by) for i in group.indices])
    return Written(writer, parts_of(size, block), launch_of(block * width), stored)
