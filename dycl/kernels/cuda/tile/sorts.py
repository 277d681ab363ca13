"""Functions for sorts, and for `topk` and `kthvalue`, which select.

A sort counts for each element how many of its row come before it, which says where it
goes. A selection is a sort, as long as no two elements of which it takes one are equal;
a row with such elements is done again by a warp, step by step as eager does it
(`selection.py`). One that is not asked for in order is done so always.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cuda.tile.apart import Selection, Sort
from dycl.kernels.cuda.tile.elements import known_number
from dycl.kernels.cuda.tile.index import Atom, Index, flat, of
from dycl.kernels.cuda.tile.nodes import Loop, Node
from dycl.kernels.cuda.tile.payload import Value
from dycl.kernels.cuda.tile.selection import called, selecting
from dycl.kernels.cuda.tile.sizes import Size, at_most, count, parts_of, usual
from dycl.kernels.cuda.tile.stores import Spare, Stored, Written, store
from dycl.kernels.cuda.tile.text import Axis
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import launch_of, pair_block, sort_blocks, sort_work
from dycl.schedules.cuda_model import Launch

_TILE = frozenset("rc")
_MOST = 1 << 24
"""Up to where f32 counts."""


@contextmanager
def columns(writer: Writer, long: Size, width: int) -> Generator[Index]:
    """What is written meanwhile is of a row, or of its pieces, one by one."""
    if at_most(long, width):
        yield writer.axis("c", "0", width, [long]).atoms[0]
        return
    with writer.loop(f"for c_start in range(0, {long}, {width}):"):
        yield writer.axis("c", "c_start", width, [long]).atoms[0]


def write_sort(nest: Sort, writer: Writer, stored: Stored) -> Written:
    """The function that sorts: of a selection, whatever the order of equal elements."""
    shape, dim = nest.inputs[0].shape, nest.dim
    size, long = count(shape), shape[dim]
    block, width = sort_blocks(usual(size), usual(long))
    at = writer.axis("r", f"tl.program_id(0) * {block}", block, shape).atoms
    writer.tile = ("r", "c")
    writer.axes["c"] = Axis("c", long, width)
    own = _elements(nest, writer, at)
    if isinstance(long, int) and long > _MOST:
        raise Refused("sorts rows too long: no template for CUDA", nest.place)
    # Counted in f32: of sums of bits, LLVM makes a detour through the stack.
    rank = writer.let(f"tl.zeros({writer.block(_TILE)}, tl.float32)", "f32", _TILE)
    with columns(writer, long, width) as column:
        others = _elements(nest, writer, (*at[:dim], column, *at[dim + 1 :]))
        pair = (others, own)
        if isinstance(nest, Selection) and nest.is_sorted is None:
            pair = (own, others)  # from the least on
        stays = writer.joined(nest, _beside(*pair))
        goes = writer.joined(nest, _beside(*reversed(pair)))
        places = writer.index(column), f"({writer.index(at[dim])})"
        before = writer.let("{} < {}".format(*places), "i1", _TILE)
        behind = writer.let("{} > {}".format(*places), "i1", _TILE)
        comes = f"({before.text} & {stays.text}) | ({behind.text} & ~{goes.text})"
        held = "".join(f" & {bound}" for bound in writer.bounds(frozenset("c")))
        comes = f"({comes}){held}"
        writer.line(f"{rank.text} += ({comes}).to(tl.float32)")
    writer.helpers["add"] = None
    name = writer.name()
    total = f"tl.reduce({rank.text}, 1, add)[:, None]"
    writer.line(f"{name} = {total}.to(tl.int32)")
    place = of(Atom(name, long, placed=("r",)))
    where = (*at[:dim], place, *at[dim + 1 :])
    for node, _ in stored:
        writer.know(node, where, own[_number(node)])
    store(writer, stored, where)
    work = sort_work(usual(size), usual(long))
    return Written(
        writer, parts_of(size, block), launch_of(block * width), stored, work
    )


def _elements(nest: Sort, writer: Writer, at: Sequence[Index]) -> list[Value]:
    """What is sorted at a place, and what is moved along."""
    if not isinstance(nest, Selection):
        return [writer.at(node, at) for node in nest.inputs]
    index = at[nest.dim]
    place = known_number(index.constant, "i64")
    if index.terms:
        text = f"({writer.index(index)}).to(tl.int64)"
        place = writer.let(text, "i64", index.axes)
    return [writer.at(nest.inputs[0], at), place]


def _beside(ones: list[Value], others: list[Value]) -> list[Value]:
    """What a comparison is given of two elements."""
    return [value for pair in zip(ones, others, strict=True) for value in pair]


def _number(node: Node) -> int:
    """Which result of its nest a loop is."""
    assert isinstance(node, Loop)
    return node.result


def write_selection(
    nest: Selection, memory: dict[Node, str], stored: Stored, spare: Spare
) -> list[Written]:
    """The functions of `topk` and `kthvalue`: a sort, and one for what is tied."""
    shape = nest.inputs[0].shape
    loops = [
        Loop(shape, dtype, nest.place, nest=nest, result=number)
        for number, dtype in enumerate((nest.inputs[0].dtype, "i64"))
    ]
    known = {_number(node): (node, buffer) for node, buffer in stored}
    both = [
        known[n] if n in known else (loop, spare(loop.shape, loop.dtype))
        for n, loop in enumerate(loops)
    ]
    chosen = _chosen(nest, Writer(memory=memory), both)
    if nest.is_sorted is False:
        return [chosen]
    sort = write_sort(nest, Writer(memory=memory), both)
    return [sort, chosen] if shape[nest.dim] != 1 else [sort]


def _chosen(nest: Selection, writer: Writer, both: Stored) -> Written:
    """A warp for each row, which does as eager does where elements are equal."""
    shape, dim = nest.inputs[0].shape, nest.dim
    others, size = (*shape[:dim], *shape[dim + 1 :]), shape[dim]
    rows = writer.axis("r", "tl.program_id(0)", 0, others).atoms
    writer.tile = ("c",)
    base = writer.index(flat((*rows[:dim], Index(), *rows[dim:]), shape))
    stride = count(shape[dim + 1 :])
    (_, values), (_, places) = both
    writer.line(f"v = {values.name} + {base}")
    writer.line(f"p = {places.name} + {base}")
    if nest.is_sorted is False:
        _run(nest, writer, both, rows, stride)
    else:
        _tied(nest, writer, size, stride)
        with writer.loop("if tl.max(tied, 0) > 0:"):
            _run(nest, writer, both, rows, stride)
    return Written(writer, count(others), Launch(warps=1, stages=1), both)


def _tied(nest: Selection, writer: Writer, size: Size, stride: Size) -> None:
    """Whether an element that is taken is equal to the one before or behind it."""
    first = 0 if nest.is_sorted else max(0, nest.k - 2)
    is_known = isinstance(size, int)
    last = min(nest.k, size - 1) if is_known else nest.k
    here = f"j < {last}" if is_known else f"(j < {last}) & (j + 1 < {size})"
    width = pair_block(last - first)
    _need(writer, "before")
    writer.line(f"tied = tl.zeros(({width},), tl.int32)")
    with writer.loop(f"for j_start in range({first}, {last}, {width}):"):
        writer.line(f"j = j_start + tl.arange(0, {width})")
        writer.line(f"here = {here}")
        writer.line(f"one = tl.load(v + j * {stride}, mask=here, other=0)")
        writer.line(f"two = tl.load(v + (j + 1) * {stride}, mask=here, other=0)")
        ways = f"before(one, two, {nest.greatest}) | before(two, one, {nest.greatest})"
        writer.line(f"tied += (here & ~({ways})).to(tl.int32)")


def _run(
    nest: Selection, writer: Writer, both: Stored, rows: Sequence[Index], stride: Size
) -> None:
    """The row as it was, and eager's steps on it."""
    dim, size = nest.dim, nest.inputs[0].shape[nest.dim]
    writer.line("tl.debug_barrier()")
    with columns(writer, size, pair_block(usual(size))) as column:
        at = (*rows[:dim], column, *rows[dim:])
        for (node, _), value in zip(both, _elements(nest, writer, at), strict=True):
            writer.know(node, at, value)
        store(writer, both, at)
    writer.line("tl.debug_barrier()")
    for condition, calls in selecting(size, nest.k, nest.is_sorted):
        with writer.loop(condition) if condition else nullcontext():
            for name, arguments in calls:
                _need(writer, name)
                order = "" if name == "select" else f", {nest.greatest}"
                writer.line(f"{name}(v, p, {arguments}{order}, {stride})")
                if "deep(" in arguments:
                    _need(writer, "deep")


def _need(writer: Writer, name: str) -> None:
    """Have a function at the head of the module, and all that it calls."""
    writer.helpers |= dict.fromkeys(called(name))
