"""Which ops on tensors compute each sample from that sample alone.

It is proved op by op: the loop that the samples of every batch are counted by is
parallel, is the index of their dimension as it stands, and is part of no other index.
"""

import re
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_matmuls import is_plain
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.samples.marked import SAMPLE_OF
from dycl.kernels.cpu.samples.sizes import Sizes, batch_dim, is_batch
from dycl.kernels.cpu.weights.origins import outside_values

_WINDOWED = re.compile(r"linalg\.(depthwise_)?(conv|pooling)_(\dd_)?n[a-z]*(_[a-z]+)*")
"""Named ops whose image and result have the sample first, and whose window has none."""


def is_each_sample(op: Any, sizes: Sizes) -> bool:
    """Whether an op gives batches, each sample computed from that sample alone.

    `sizes` says which slices take all samples.
    """
    if SAMPLE_OF in op.attributes or not op.results:
        return False
    if not all(is_batch(result.type) for result in op.results):
        return False
    if not all(map(_is_known, outside_values(op))):
        return False
    if not any(is_batch(v.type) for v in op.operands) and op.name != "tensor.empty":
        return False
    rule = _RULES.get(op.name)
    if rule is not None:
        return bool(rule(op, sizes))
    image, window = (batch_dim(value.type) for value in list(op.operands)[:2])
    is_windowed = _WINDOWED.fullmatch(op.name) is not None
    return is_windowed and image == 0 and window is None


def batches(op: Any) -> list[Any]:
    """The values that an op takes and gives that are batches."""
    return [v for v in (*op.operands, *op.results) if is_batch(v.type)]


def _is_known(value: Any) -> bool:
    """Whether a sample can have a value: it is a batch, all known, or a number."""
    kind = value.type
    if isinstance(kind, ir.RankedTensorType):
        return is_batch(kind) or (kind.has_static_shape and 0 not in list(kind.shape))
    if isinstance(kind, ir.IndexType):
        return True  # A size, or a constant.
    producer = build.owner(value)
    return producer is not None and producer.name == "arith.constant"


def _generic(op: Any, _: Sizes) -> bool:
    maps = [attribute.value for attribute in op.attributes["indexing_maps"]]
    placed = [
        (list(map(str, mapping.results)), batch_dim(value.type))
        for value, mapping in zip(op.operands, maps, strict=True)
    ]
    along = {places[dim] for places, dim in placed if dim is not None}
    if len(along) != 1 or not (loop := re.fullmatch(r"d(\d+)", along.pop())):
        return False
    number = int(loop[1])
    if "parallel" not in str(op.attributes["iterator_types"][number]):
        return False
    others = [p for places, dim in placed for d, p in enumerate(places) if d != dim]
    if any(re.search(rf"\b{loop[0]}\b", place) for place in others):
        return False
    return _body_is_of_a_sample(op, number)


def _body_is_of_a_sample(op: Any, loop: int) -> bool:
    """Whether a payload asks neither which sample it is at nor for other samples."""
    for inner in ops(op):
        if inner.operation == op:
            continue
        if inner.name == "linalg.index" and int(inner.attributes["dim"].value) == loop:
            return False
        for value in inner.operands:
            # It may be an operand of the op, too.
            is_inside = not isinstance(value.owner, ir.Block) and _is_inside(value, op)
            if is_batch(value.type) and not is_inside:
                return False
            if isinstance(value.type, ir.IndexType) and not (
                is_inside or _is_number(value)
            ):
                return False
    return True


def _is_inside(value: Any, op: Any) -> bool:
    """Whether an op inside of `op` gives a value."""
    producer = value.owner.operation
    while producer is not None and producer.name != "builtin.module":
        if producer == op:
            return True
        producer = producer.parent
        producer = None if producer is None else producer.operation
    return False


def _is_number(value: Any) -> bool:
    producer = build.owner(value)
    return producer is not None and producer.name == "arith.constant"


def _fill(op: Any, _: Sizes) -> bool:
    return _is_number(op.operands[0])


def _empty(op: Any, _: Sizes) -> bool:
    return len(op.operands) == 1


def _broadcast(op: Any, _: Sizes) -> bool:
    added = list(op.attributes["dimensions"])
    kept = [d for d in range(op.results[0].type.rank) if d not in added]
    source, here = batch_dim(op.operands[0].type), batch_dim(op.results[0].type)
    return here in added if source is None else kept[source] == here


def _transpose(op: Any, _: Sizes) -> bool:
    source, here = batch_dim(op.operands[0].type), batch_dim(op.results[0].type)
    moved = list(op.attributes["permutation"])
    return here is not None and moved[here] == source


def _reshape(op: Any, _: Sizes) -> bool:
    """Whether no dimension but those of size 1 goes together with that of samples."""
    pair = [op.operands[0].type, op.results[0].type]
    fewer, more = sorted(pair, key=lambda kind: kind.rank)
    one, other = batch_dim(fewer), batch_dim(more)
    if one is None or other is None:
        return False
    group = [int(d.value) for d in op.attributes["reassociation"][one]]
    return other in group and all(more.shape[d] == 1 for d in group if d != other)


def _concat(op: Any, _: Sizes) -> bool:
    here = batch_dim(op.results[0].type)
    return int(op.attributes["dim"].value) != here and all(
        batch_dim(value.type) == here for value in op.operands
    )


def _pad(op: Any, _: Sizes) -> bool:
    here = batch_dim(op.results[0].type)
    sides = [list(op.attributes[name]) for name in ("static_low", "static_high")]
    return (
        len(op.operands) == 1
        and here is not None
        and batch_dim(op.operands[0].type) == here
        and all(side[here] == 0 for side in sides)
    )


def _slice(op: Any, sizes: Sizes) -> bool:
    """A slice of each sample, or the place of one in each sample."""
    *batch, count = op.operands
    here = batch_dim(op.results[0].type)
    places = [list(op.attributes[f"static_{n}"]) for n in ("offsets", "strides")]
    return (
        isinstance(count.type, ir.IndexType)
        and here is not None
        and all(isinstance(value.type, ir.RankedTensorType) for value in batch)
        and len({value.type.rank for value in (*batch, op.results[0])}) == 1
        and all(batch_dim(value.type) == here for value in batch)
        and [place[here] for place in places] == [0, 1]
        and all(sizes.are_same(value, count) for value in batch)
    )


def _batch_matmul(op: Any, _: Sizes) -> bool:
    return is_plain(op) and all(batch_dim(value.type) == 0 for value in op.operands)


_RULES = {
    "linalg.batch_matmul": _batch_matmul,
    "linalg.broadcast": _broadcast,
    "linalg.fill": _fill,
    "linalg.generic": _generic,
    "linalg.transpose": _transpose,
    "tensor.collapse_shape": _reshape,
    "tensor.concat": _concat,
    "tensor.empty": _empty,
    "tensor.expand_shape": _reshape,
    "tensor.extract_slice": _slice,
    "tensor.insert_slice": _slice,
    "tensor.pad": _pad,
}
