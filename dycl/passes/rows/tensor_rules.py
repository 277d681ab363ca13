"""What torch's operations of one row are for a batch, operation by operation.

one row                       many rows
-------                       ---------
%p = torch.aten.relu %x       %p = torch.aten.relu %xb
%m = torch.aten.max %x        %f = torch.aten.flatten.using_ints %xb, %one, %minus1
                              %m = torch.aten.amax %f, %dims, %false

Each rule is sound by itself: row k of what it emits is a function of row k of its
operands, and that function is the operation. An operation without a rule is not
computed for many rows.
"""

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from dycl.ir.torch import VTensorType
from dycl.passes.rows.batches import batch_of, dtype_in, tail_in, tail_of
from dycl.passes.rows.elementwise import ELEMENTWISE, PROMOTING
from dycl.passes.rows.number_rules import (
    WIDE_DTYPES,
    full,
    has_number_of_rows,
    with_number,
)
from dycl.passes.rows.operands import Operands
from dycl.passes.rows.product_rules import PRODUCTS

Rule = Callable[[Operands], Sequence[SSAValue]]

RULES: dict[str, Rule] = dict(PRODUCTS)


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers what `torch.aten.<name>` is for a batch."""

    def register(function: Rule) -> Rule:
        RULES.update({f"torch.aten.{name}": function for name in names})
        return function

    return register


def rule_of(op: Operation) -> Rule | None:
    """The rule of an op, if it has one."""
    return RULES.get(op.name)


_CONDITIONS = {
    "torch.aten.masked_fill.Scalar": 1,
    **{
        f"torch.aten.where.{name}": 0
        for name in ("self", "Scalar", "ScalarOther", "ScalarSelf")
    },
}
"""Operations that choose for each element -> which operand says how."""


@rule(*ELEMENTWISE)
def elementwise(given: Operands) -> list[SSAValue]:
    """Each element of the result depends on one of each operand."""
    if has_number_of_rows(given):
        return with_number(given)
    kind = given.result_type()
    rank = len(kind.sizes() or ())
    condition = _CONDITIONS.get(given.op.name)
    dtypes = {
        value.type.element_type()
        for index, value in enumerate(given.op.operands)
        if isinstance(value.type, VTensorType) and index != condition
    }
    operands = [
        given.aligned(value, rank)
        if isinstance(value.type, VTensorType)
        else given.same(value)
        for value in given.op.operands
    ]
    if len(dtypes) > 1:
        # A tensor without dimensions counts less where torch looks for the dtype of
        # all, and has one for the rows here.
        dtype = given.result_dtype()
        if given.op.name not in PROMOTING or dtype not in WIDE_DTYPES:
            raise given.cannot("its operands have several dtypes")
        for index, value in enumerate(operands):
            is_tensor = isinstance(value.type, VTensorType) and index != condition
            if is_tensor and dtype_in(value.type) != dtype:
                operands[index] = given.emit.as_dtype(value, dtype)
    return [given.emit.op(given.op.name, operands, [kind]).results[0]]


rule("full")(full)


@rule("fill.Tensor", "masked_fill.Tensor")
def fills(given: Operands) -> list[SSAValue]:
    """The one element of a tensor in the place of all of another, or of some.

    Another dtype is left alone: eager asks whether the element fits into it.
    """
    rows, *masks, element = given.op.operands
    kind, emit = given.result_type(), given.emit
    if dtype_in(element.type) != given.result_dtype():
        raise given.cannot("its operands have several dtypes")
    if given.one_row(element):
        raise given.cannot("its element is in a tensor with dimensions")
    rank = len(kind.sizes() or ())
    element = given.aligned(element, rank)
    if masks:
        operands = [given.aligned(masks[0], rank), element, given.aligned(rows, rank)]
        return [emit.aten("where.self", operands, kind)]
    now = [emit.rows(given.any_batch()), *tail_in(kind)]
    return [emit.aten("expand", [element, now, False], kind)]


_IMAGES = {
    **{f"conv{n}d": n for n in (1, 2, 3)},
    "batch_norm": 0,
    "group_norm": 0,
    "prelu": 0,
    "max_pool1d": 1,
    "max_pool2d": 2,
    "avg_pool1d": 1,
    "avg_pool2d": 2,
    "adaptive_avg_pool1d": 1,
    "adaptive_avg_pool2d": 2,
    "adaptive_max_pool2d": 2,
    "pixel_shuffle": 2,
}
"""Operations on a batch -> how many dimensions an image has; 0: any number."""


@rule(*_IMAGES)
def images(given: Operands) -> list[SSAValue]:
    """The first dimension of the first operand is a batch, by torch's own words."""
    op = given.op
    sizes, spatial = given.one_row(op.operands[0]), _IMAGES[op.name[11:]]
    if len(sizes) < 2 or sizes[0] != 1 or (spatial and len(sizes) != spatial + 2):
        raise given.cannot("its input is not a batch of one row")
    if op.name == "torch.aten.batch_norm" and given.constant(5) is not False:
        raise given.cannot("a batch norm in training mode mixes rows")
    operands = [given.in_place(op.operands[0]), *map(given.same, op.operands[1:])]
    types = [given.result_type(n) for n in range(len(op.results))]
    return list(given.emit.op(op.name, operands, types).results)


_SPATIAL = ("upsample_nearest2d.vec", "upsample_bilinear2d.vec")


@rule(*_SPATIAL)
def resized(given: Operands) -> list[SSAValue]:
    """Images of another size; the first two dimensions stay as they are."""
    rows, *others = given.op.operands
    if len(given.one_row(rows)) != 4 or given.one_row(rows)[0] != 1:
        raise given.cannot("its input is not a batch of one row")
    operands = [given.in_place(rows), *map(given.same, others)]
    return [given.emit.op(given.op.name, operands, [given.result_type()]).results[0]]


@rule("dropout")
def dropout(given: Operands) -> list[SSAValue]:
    """Nothing, outside of training."""
    if given.constant(2) is not False:
        raise given.cannot("it is random")
    return [given.batch(given.op.operands[0])]


@rule("linear")
def linear(given: Operands) -> list[SSAValue]:
    """It works on the last dimension; weights are the same for all rows."""
    operands = given.op.operands
    rows = given.batch(operands[0]) if given.varies(operands[0]) else None
    if rows is None:
        raise given.cannot("its weights differ from row to row")
    *outer, inner = given.one_row(operands[0])
    count = prod(outer)
    tail = (inner,) if count == 1 else (count, inner)
    rows = given.emit.seen_as(rows, tail)
    features = given.result_sizes()[-1]
    kind = batch_of((*tail[:-1], features), given.result_dtype())
    made = given.emit.aten("linear", [rows, *map(given.same, operands[1:])], kind)
    return [given.settled(made)]


@rule("layer_norm", "rms_norm")
def last_norm(given: Operands) -> list[SSAValue]:
    """It works on the last dimensions; weights are the same for all rows."""
    rows, shape, *others = given.op.operands
    if not given.varies(rows):
        raise given.cannot("its weights differ from row to row")
    sizes, normalised = given.one_row(rows), given.constants(1) or []
    is_behind = sizes[:1] == (1,) and len(normalised) < len(sizes)
    batch = given.in_place(rows) if is_behind else given.in_front(rows)
    operands = [batch, given.same(shape), *map(given.same, others)]
    return [
        given.settled(given.emit.op(given.op.name, operands, [batch.type]).results[0])
    ]


@rule("embedding")
def embedding(given: Operands) -> list[SSAValue]:
    """One row of the table for each index."""
    table, index, *others = given.op.operands
    batch = given.batch(index) if given.varies(index) else None
    if batch is None:
        raise given.cannot("its table differs from row to row")
    operands = [given.same(table), batch, *map(given.same, others)]
    return [given.emit.aten("embedding", operands, given.result_type())]


@rule("constant_pad_nd", "pad")
def pad(given: Operands) -> list[SSAValue]:
    """It pads the last dimensions, with a number."""
    rows, widths, *mode, value = given.op.operands
    if mode and given.constant(2) != "constant":
        raise given.cannot("it pads with other elements")
    if not given.varies(rows):
        raise given.cannot("its number differs from row to row")
    sizes, padded = given.one_row(rows), len(given.constants(1) or []) // 2
    is_behind = sizes[:1] == (1,) and padded < len(sizes)
    batch = given.in_place(rows) if is_behind else given.in_front(rows)
    wanted = given.result_sizes()
    kind = batch_of(wanted[1:] if is_behind else wanted, given.result_dtype())
    operands = [batch, *map(given.same, (widths, *mode, value))]
    return [given.settled(given.emit.op(given.op.name, operands, [kind]).results[0])]


@rule("scaled_dot_product_attention")
def attention(given: Operands) -> list[SSAValue]:
    """Batches of heads; the mask is one for all rows, or has one of each."""
    query, key, value, mask, *others = given.op.operands
    for tensor in (query, key, value):
        sizes = given.one_row(tensor)
        if len(sizes) != 4 or sizes[0] != 1:
            raise given.cannot("its input is not a batch of one row")
    batches = [given.in_place(tensor) for tensor in (query, key, value)]
    if given.varies(mask):
        if len(given.one_row(mask)) != 4 or given.one_row(mask)[0] != 1:
            raise given.cannot("its mask has no dimension of the batch")
        batches.append(given.in_place(mask))
    else:
        batches.append(given.same(mask))
    operands = [*batches, *map(given.same, others)]
    name = "scaled_dot_product_attention"
    return [given.emit.aten(name, operands, given.result_type())]


@rule("matmul", "mm", "bmm")
def products(given: Operands) -> list[SSAValue]:
    """Matrices that are the same for all rows, or one of each row."""
    left, right = given.op.operands
    sizes, others = given.one_row(left), given.one_row(right)
    emit = given.emit
    if not given.varies(right) and len(others) == 2 and sizes:
        rows = given.batch(left)
        kind = given.result_type()
        if not tail_of(sizes):
            rows = given.in_front(left)
            kind = batch_of(given.result_sizes(), given.result_dtype())
        return [given.settled(emit.aten("matmul", [rows, given.same(right)], kind))]
    if len(sizes) != len(others) or len(sizes) < 2:
        raise given.cannot("its operands are of different ranks")
    if len(sizes) > 2 and sizes[0] == others[0] == 1:
        pair = [given.in_place(left), given.in_place(right)]
        return [emit.aten("matmul", pair, given.result_type())]
    pair = [given.in_front(left), given.in_front(right)]
    kind = batch_of(given.result_sizes(), given.result_dtype())
    return [given.settled(emit.aten("matmul", pair, kind))]


@rule("addmm")
def addmm(given: Operands) -> list[SSAValue]:
    """A product with a bias."""
    bias, left, right, beta, alpha = given.op.operands
    if given.varies(bias) or given.varies(right) or given.one_row(left)[0] != 1:
        raise given.cannot("its weights differ from row to row")
    if len(given.one_row(bias)) > 1 and given.one_row(bias)[0] != 1:
        raise given.cannot("its bias has rows of its own")
    batch = [given.same(bias), given.batch(left), given.same(right)]
    operands = [*batch, given.same(beta), given.same(alpha)]
    return [given.emit.aten("addmm", operands, given.result_type())]


@rule(
    *("view", "reshape", "_unsafe_view", "flatten.using_ints", "unflatten.int"),
    *("squeeze", "squeeze.dim", "unsqueeze", "alias"),
)
def reshapes(given: Operands) -> list[SSAValue]:
    """The same elements in the same order."""
    return [given.settled(given.batch(given.op.operands[0]))]


@rule("expand", "broadcast_to", "expand_as")
def expand(given: Operands) -> list[SSAValue]:
    """A tensor again and again along some dimensions."""
    rows = given.op.operands[0]
    sizes, wanted = given.one_row(rows), given.result_sizes()
    missing = len(wanted) - len(sizes)
    emit, dtype = given.emit, given.result_dtype()
    batch = emit.seen_as(given.in_front(rows), (*[1] * missing, *sizes))
    now = [emit.rows(batch), *wanted]
    made = emit.aten("expand", [batch, now, False], batch_of(wanted, dtype))
    return [given.settled(made)]
