"""Attention in one function: scores of some queries and keys, which nobody stores.

For each block of keys: products with the queries, what a mask says, the largest score
so far, and the exponentials of what scores differ by from it. What has been summed up
of values shrinks when a larger score is found, and is divided in the end.
"""

from collections.abc import Sequence

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cuda.tile.apart import Attention
from dycl.kernels.cuda.tile.contraction import operand
from dycl.kernels.cuda.tile.index import Index
from dycl.kernels.cuda.tile.nodes import Piece
from dycl.kernels.cuda.tile.payload import maximum
from dycl.kernels.cuda.tile.sizes import count, parts_of, usual
from dycl.kernels.cuda.tile.stores import Stored, Written, store
from dycl.kernels.cuda.tile.writer import Writer
from dycl.schedules.cuda import attention_plan, attention_work
from dycl.schedules.cuda_products import DOT_PRECISION

_LOWEST = 'float("-inf")'
_HOW = f'input_precision="{DOT_PRECISION}"'
_OUT = frozenset("me")


def write_attention(nest: Attention, writer: Writer, stored: Stored) -> Written:
    """The function that computes it. Raises Refused."""
    query, key, value = nest.inputs[:3]
    batch, heads, queries, width = query.shape
    keys, values = value.shape[2:]
    if not isinstance(width, int) or not isinstance(values, int):
        raise Refused("attends to vectors of no known length", nest.place)
    usually = usual(queries), usual(keys)
    plan = attention_plan(*usually, width, values)
    tall = parts_of(queries, plan.queries)
    writer.line("p = tl.program_id(0)")
    outer = "p" if tall == 1 else f"p // {tall}"
    outer_at = writer.axis("b", outer, 0, [batch, heads]).atoms
    first = "0" if tall == 1 else f"p % {tall} * {plan.queries}"
    row = writer.axis("m", first, plan.queries, [queries]).atoms[0]
    inner = writer.axis("d", "0", plan.width, [width]).atoms[0]
    column = writer.axis("e", "0", plan.values, [values]).atoms[0]
    at = (*outer_at, row)
    given = operand(writer, Piece(query, (*at, inner)), ("m", "d"), "d")
    asked = writer.let(f"{given.text} * {nest.scale!r}", "f32", frozenset("md"))
    writer.line(f"top = tl.full(({plan.queries}, 1), {_LOWEST}, tl.float32)")
    writer.line(f"total = tl.zeros(({plan.queries}, 1), tl.float32)")
    writer.line(f"acc = tl.zeros(({plan.queries}, {plan.values}), tl.float32)")
    for name in ("add", "maximum"):
        writer.helpers[name] = None
    end = str(keys)
    if nest.is_causal and tall != 1:
        end = f"tl.minimum({first} + {plan.queries}, {keys})"
    with writer.loop(f"for k_start in range(0, {end}, {plan.keys}):"):
        place = writer.axis("k", "k_start", plan.keys, [keys]).atoms[0]
        near = operand(writer, Piece(key, (*outer_at, place, inner)), ("d", "k"), "d")
        writer.line(f"score = tl.dot({asked.text}, {near.text}, {_HOW})")
        _masked(nest, writer, at, place)
        _weighed(writer)
        far = operand(writer, Piece(value, (*outer_at, place, column)), ("k", "e"), "k")
        writer.line(f"acc = tl.dot(weight, {far.text}, acc * shrink, {_HOW})")
    writer.tile = ("m", "e")
    if nest.empty_is_zero:
        writer.line("total = tl.where(total == 0.0, 1.0, total)")
    result = writer.let("tl.div_rn(acc, total + tl.zeros_like(acc))", "f32", _OUT)
    for node, _ in stored:
        writer.know(node, (*at, column), result)
    store(writer, stored, (*at, column))
    groups = count((batch, heads))
    work = attention_work(usual(groups), *usually, plan)
    return Written(writer, groups * tall, plan.launch, stored, work)


def _masked(nest: Attention, writer: Writer, at: Sequence[Index], place: Index) -> None:
    """What is done with scores before they are compared."""
    writer.tile = ("m", "k")
    if len(nest.inputs) > 3:
        mask = nest.inputs[3]
        wanted = zip((*at[:2], place, at[2]), mask.shape, strict=True)
        where = tuple(index if size != 1 else Index() for index, size in wanted)
        number = writer.at(mask, where).text
        masked = f"score + {number}"
        if nest.fills:
            masked = f"tl.where({number} != 0.0, {number}, score)"
        writer.line(f"score = {masked}")
    seen = writer.bounds(frozenset("k"))
    if nest.is_causal:
        seen.append(f"({writer.index(place)} <= {writer.index(at[2])})")
    if seen:
        writer.line(f"score = tl.where({' & '.join(seen)}, score, {_LOWEST})")


def _weighed(writer: Writer) -> None:
    """Exponentials of scores; all of them 0 as long as there are no scores but -inf."""
    for line in (
        f"new = {maximum('top', 'tl.reduce(score, 1, maximum)[:, None]')}",
        f"base = tl.where(new == {_LOWEST}, 0.0, new)",
        "weight = libdevice.exp(score - base)",
        "shrink = libdevice.exp(top - base)",
        "total = total * shrink + tl.reduce(weight, 1, add)[:, None]",
        "top = new",
    ):
        writer.line(line)
