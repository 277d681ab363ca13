"""Functions for sorts, scans and scatters: all of them give the same in every run.

A sort counts for each element how many of its row come before it, which says where it
goes. A scan adds rows up in f64, as eager does, whatever order the device takes. A
scatter asks each element of the result which updates are meant for it, in order.
"""

import math
from collections.abc import Generator
from contextlib import contextmanager

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cuda.tile.apart import Apart, Scan, Scatter, Sort
from dycl.kernels.cuda.tile.folds import Fold, fold_of
from dycl.kernels.cuda.tile.index import Atom, Index, of
from dycl.kernels.cuda.tile.payload import FLOATS, TYPES, Value
from dycl.kernels.cuda.tile.stores import Stored, Written, store
from dycl.kernels.cuda.tile.text import Axis
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import flat_block, launch_of, row_blocks, sort_blocks

_TILE = frozenset("rc")


def write_apart(nest: Apart, writer: Writer, stored: Stored) -> Written:
    """The function that computes it. Raises Refused."""
    if isinstance(nest, Sort):
        return _sorted(nest, writer, stored)
    if isinstance(nest, Scan):
        return _scanned(nest, writer, stored)
    assert isinstance(nest, Scatter)
    return _scattered(nest, writer, stored)


@contextmanager
def _columns(writer: Writer, long: int, width: int) -> Generator[Index]:
    """What is written meanwhile is of a row, or of its pieces, one by one."""
    if long <= width:
        yield writer.axis("c", "0", width, [long]).atoms[0]
        return
    with writer.loop(f"for c_start in range(0, {long}, {width}):"):
        yield writer.axis("c", "c_start", width, [long]).atoms[0]


def _sorted(nest: Sort, writer: Writer, stored: Stored) -> Written:
    shape, dim = nest.inputs[0].shape, nest.dim
    count, long = math.prod(shape), shape[dim]
    block, width = sort_blocks(count, long)
    at = writer.axis("r", f"tl.program_id(0) * {block}", block, shape).atoms
    writer.tile = ("r", "c")
    writer.axes["c"] = Axis("c", long, width)
    own = [writer.at(node, at) for node in nest.inputs]
    rank = writer.let(f"tl.zeros({writer.block(_TILE)}, tl.int32)", "i32", _TILE)
    with _columns(writer, long, width) as column:
        there = (*at[:dim], column, *at[dim + 1 :])
        others = [writer.at(node, there) for node in nest.inputs]
        stays = writer.joined(nest, _beside(others, own))
        goes = writer.joined(nest, _beside(own, others))
        places = writer.index(column), f"({writer.index(at[dim])})"
        before = writer.let("{} < {}".format(*places), "i1", _TILE)
        behind = writer.let("{} > {}".format(*places), "i1", _TILE)
        comes = f"({before.text} & {stays.text}) | ({behind.text} & ~{goes.text})"
        held = "".join(f" & {bound}" for bound in writer.bounds(frozenset("c")))
        comes = f"({comes}){held}"
        writer.line(f"{rank.text} += ({comes}).to(tl.int32)")
    writer.helpers["add"] = None
    name = writer.name()
    writer.line(f"{name} = tl.reduce({rank.text}, 1, add)[:, None]")
    place = of(Atom(name, long, placed=("r",)))
    where = (*at[:dim], place, *at[dim + 1 :])
    for node, _ in stored:
        writer.know(node, where, own[_number(node)])
    store(writer, stored, where)
    return Written(writer, -(-count // block), launch_of(block * width), stored)


def _beside(ones: list[Value], others: list[Value]) -> list[Value]:
    """What a comparison is given of two elements."""
    return [value for pair in zip(ones, others, strict=True) for value in pair]


def _scanned(nest: Scan, writer: Writer, stored: Stored) -> Written:
    shape, dim = nest.inputs[0].shape, nest.dim
    others, long = (*shape[:dim], *shape[dim + 1 :]), shape[dim]
    fold = _fold_of_scan(nest)
    writer.helpers[fold.helper] = None
    count = math.prod(others)
    block, width = row_blocks(count, long)
    rows = writer.axis("r", f"tl.program_id(0) * {block}", block, others).atoms
    writer.tile = ("r", "c")
    kind = nest.inputs[0].dtype
    wide = "f64" if kind in FLOATS and fold.helper in ("add", "multiply") else kind
    identity = fold.identity[0].text
    so_far = writer.name() if long > width else ""
    if so_far:
        writer.line(f"{so_far} = tl.full(({block}, 1), {identity}, {TYPES[wide]})")
    with _columns(writer, long, width) as column:
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
    return Written(writer, -(-count // block), launch_of(block * width), stored)


def _fold_of_scan(nest: Scan) -> Fold:
    element, so_far = nest.block_arguments
    fold = fold_of([so_far], nest.body, 0)
    if fold is None or fold.elements != (element,):
        raise Refused("scans in a way of its own: no template for CUDA", nest.place)
    return fold


def _scattered(nest: Scatter, writer: Writer, stored: Stored) -> Written:
    whole, updates, indices = nest.inputs
    shape, every = whole.shape, frozenset("i")
    size, count = math.prod(shape), updates.shape[0]
    block = flat_block(size)
    at = writer.axis("i", f"tl.program_id(0) * {block}", block, shape).atoms
    writer.tile = ("i",)
    first = writer.spread(writer.at(whole, at), every)
    total = writer.let(first, whole.dtype, every)
    inner = [Index() if d in nest.into else index for d, index in enumerate(at)]
    inner = inner[len(shape) + 1 - len(updates.shape) :]
    with writer.loop(f"for u in range({count}):"):
        update = of(Atom("u", count))
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
    return Written(writer, -(-size // block), launch_of(block), stored)


def _number(node: object) -> int:
    """Which result of its nest a loop is."""
    return getattr(node, "result", 0)
