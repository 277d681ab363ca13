"""Functions for scans and scatters, which give the same in every run.

Sorts are in `sorts.py`. A scan adds rows up in f64, as eager does, whatever order the
device takes. A scatter asks each element of the result which updates are meant for it,
in order.
"""

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cuda.tile.apart import Apart, Scan, Scatter, Selection, Sort
from dycl.kernels.cuda.tile.folds import Fold, fold_of
from dycl.kernels.cuda.tile.index import Atom, Index, of
from dycl.kernels.cuda.tile.nodes import Node
from dycl.kernels.cuda.tile.payload import FLOATS, TYPES
from dycl.kernels.cuda.tile.sizes import at_most, count, held, parts_of, usual
from dycl.kernels.cuda.tile.sorts import columns, write_selection, write_sort
from dycl.kernels.cuda.tile.stores import Spare, Stored, Written, store
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import LONGEST_ROW, flat_block, launch_of, row_blocks

_TILE = frozenset("rc")


def write_apart(
    nest: Apart, memory: dict[Node, str], stored: Stored, spare: Spare
) -> list[Written]:
    """The functions that compute it, in order. Raises Refused."""
    if isinstance(nest, Selection):
        return write_selection(nest, memory, stored, spare)
    writer = Writer(memory=memory)
    if isinstance(nest, Sort):
        return [write_sort(nest, writer, stored)]
    if isinstance(nest, Scan):
        return [_scanned(nest, writer, stored)]
    assert isinstance(nest, Scatter)
    return [_scattered(nest, writer, stored)]


def _scanned(nest: Scan, writer: Writer, stored: Stored) -> Written:
    shape, dim = nest.inputs[0].shape, nest.dim
    others, long = (*shape[:dim], *shape[dim + 1 :]), shape[dim]
    fold = _fold_of_scan(nest)
    writer.helpers[fold.helper] = None
    size = count(others)
    block, width = row_blocks(usual(size), held(long, LONGEST_ROW))
    rows = writer.axis("r", f"tl.program_id(0) * {block}", block, others).atoms
    writer.tile = ("r", "c")
    kind = nest.inputs[0].dtype
    wide = "f64" if kind in FLOATS and fold.helper in ("add", "multiply") else kind
    identity = fold.identity[0].text
    so_far = "" if at_most(long, width) else writer.name()
    if so_far:
        writer.line(f"{so_far} = tl.full(({block}, 1), {identity}, {TYPES[wide]})")
    with columns(writer, long, width) as column:
        at = (*rows[:dim], column, *rows[dim:])
        text = writer.spread(writer.at(nest.inputs[0], at), _TILE)
        text = text if wide == kind else f"{text}.to({TYPES[wide]})"
        for bound in writer.bounds(frozenset("c")):
            text = f"tl.where({bound}, {text}, {identity})"
        given = writer.let(text, wide, _TILE)
        scan = f"tl.associative_scan({given.text}, 1, {fold.helper})"
        done = writer.let(scan, wide, _TILE)
        if so_far:
            total = f"tl.reduce({given.text}, 1, {fold.helper})[:, None]"
            joined = f"{fold.helper}({so_far}, {done.text})"
            done = writer.let(joined, wide, _TILE)
            writer.line(f"{so_far} = {fold.helper}({so_far}, {total})")
        if wide != kind:
            done = writer.let(f"{done.text}.to({TYPES[kind]})", kind, _TILE)
        for node, _ in stored:
            writer.know(node, at, done)
        store(writer, stored, at)
    return Written(writer, parts_of(size, block), launch_of(block * width), stored)


def _fold_of_scan(nest: Scan) -> Fold:
    element, so_far = nest.block_arguments
    fold = fold_of([so_far], nest.body, 0)
    if fold is None or fold.elements != (element,):
        raise Refused("scans in a way of its own: no template for CUDA", nest.place)
    return fold


def _scattered(nest: Scatter, writer: Writer, stored: Stored) -> Written:
    whole, updates, indices = nest.inputs
    shape, every = whole.shape, frozenset("i")
    size, many = count(shape), updates.shape[0]
    block = flat_block(usual(size))
    at = writer.axis("i", f"tl.program_id(0) * {block}", block, shape).atoms
    writer.tile = ("i",)
    first = writer.spread(writer.at(whole, at), every)
    total = writer.let(first, whole.dtype, every)
    inner = [Index() if d in nest.into else index for d, index in enumerate(at)]
    inner = inner[len(shape) + 1 - len(updates.shape) :]
    with writer.loop(f"for u in range({many}):"):
        update = of(Atom("u", many))
        hits: list[str] = []
        for number, dim in enumerate(nest.into):
            asked = writer.at(indices, (update, Index((), number))).text
            hits.append(f"(({writer.index(at[dim])}) == {asked})")
        hit = writer.let(" & ".join(hits), "i1", every)
        value = writer.at(updates, (update, *inner), (hit,))
        joined = writer.joined(nest, [value, total]).text
        writer.line(f"{total.text} = tl.where({hit.text}, {joined}, {total.text})")
    for node, _ in stored:
        writer.know(node, at, total)
    store(writer, stored, at)
    return Written(writer, parts_of(size, block), launch_of(block), stored)
