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
from dycl.kernels.cpu.samples.sizes import Sizes
from dycl.kernels.cpu.weights.origins import outside_values

_WINDOWED = re.compile(r"linalg\.(depthwise_)?(conv|pooling)_(\dd_)?n[a-z]*(_[a-z]+)*")
"""Named ops whose image and result have the sample first, and whose window has none."""


def is_each_sample(op: Any, sizes: Sizes) -> bool:
    """Whether an op gives batches, each sample computed from that sample alone.

    `sizes` says which slices take all samples.
    """
    if SAMPLE_OF in op.attributes or not op.results:
        return False
    if not all(map(sizes.is_batch, op.results)):
        return False
    if not all(_is_known(value, sizes) for value in outside_values(op)):
        return False
    if not any(map(sizes.is_batch, op.operands)) and op.name != "tensor.empty":
        return False
    if op.name.startswith("linalg.") and not _writes_where_it_stands(op, sizes):
        return False
    rule = _RULES.get(op.name)
    if rule is not None:
        return bool(rule(op, sizes))
    return is_windowed(op) and list(map(sizes.dim_of, op.operands)) == [0, None, 0]


def is_windowed(op: Any) -> bool:
    """Whether an op is a convolution or a pool of images, each a sample."""
    return _WINDOWED.fullmatch(op.name) is not None


def _writes_where_it_stands(op: Any, sizes: Sizes) -> bool:
    """Whether results have their samples where the operands have them that they are
    written over."""
    into = list(op.operands)[-len(op.results) :]
    return [*map(sizes.dim_of, into)] == [*map(sizes.dim_of, op.results)]


def _is_known(value: Any, sizes: Sizes) -> bool:
    """Whether a sample can have a value: it is a batch, all known, or a number."""
    kind = value.type
    if isinstance(kind, ir.RankedTensorType):
        is_static = kind.has_static_shape and 0 not in list(kind.shape)
        return sizes.is_batch(value) or is_static
    if isinstance(kind, ir.IndexType):
        return True  # A size, or a constant.
    producer = build.owner(value)
    return producer is not None and producer.name == "arith.constant"


def _generic(op: Any, sizes: Sizes) -> bool:
    maps = [attribute.value for attribute in op.attributes["indexing_maps"]]
    placed = [
        (list(map(str, mapping.results)), sizes.dim_of(value))
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
    return _body_is_of_a_sample(op, number, sizes)


def _body_is_of_a_sample(op: Any, loop: int, sizes: Sizes) -> bool:
    """Whether a payload asks neither which sample it is at nor for other samples."""
    for inner in ops(op):
        if inner.operation == op:
            continue
        if inner.name == "linalg.index" and int(inner.attributes["dim"].value) == loop:
            return False
        for value in inner.operands:
            # It may be an operand of the op, too.
            is_inside = not isinstance(value.owner, ir.Block) and _is_inside(value, op)
            if sizes.is_batch(value) and not is_inside:
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


def _empty(op: Any, sizes: Sizes) -> bool:
    return len(op.operands) == sizes.counts


def _broadcast(op: Any, sizes: Sizes) -> bool:
    added = list(op.attributes["dimensions"])
    kept = [d for d in range(op.results[0].type.rank) if d not in added]
    source, here = sizes.dim_of(op.operands[0]), sizes.dim_of(op.results[0])
    return here in added if source is None else kept[source] == here


def _transpose(op: Any, sizes: Sizes) -> bool:
    source, here = sizes.dim_of(op.operands[0]), sizes.dim_of(op.results[0])
    moved = list(op.attributes["permutation"])
    return here is not None and moved[here] == source


def _reshape(op: Any, sizes: Sizes) -> bool:
    """Whether no dimension but those of size 1 goes together with that of samples."""
    pair = [op.operands[0], op.results[0]]
    fewer, more = sorted(pair, key=lambda value: value.type.rank)
    one, other = sizes.dim_of(fewer), sizes.dim_of(more)
    if one is None or other is None:
        return False
    group = [int(d.value) for d in op.attributes["reassociation"][one]]
    return other in group and all(more.type.shape[d] == 1 for d in group if d != other)


def _concat(op: Any, sizes: Sizes) -> bool:
    here = sizes.dim_of(op.results[0])
    return int(op.attributes["dim"].value) != here and all(
        sizes.dim_of(value) == here for value in op.operands
    )


def _pad(op: Any, sizes: Sizes) -> bool:
    here = sizes.dim_of(op.results[0])
    sides = [list(op.attributes[name]) for name in ("static_low", "static_high")]
    return (
        len(op.operands) == 1
        and here is not None
        and sizes.dim_of(op.operands[0]) == here
        and all(side[here] == 0 for side in sides)
    )


def _slice(op: Any, sizes: Sizes) -> bool:
    """A slice of each sample, or the place of one in each sample."""
    tensors = list(op.operands)[: len(op.operands) - sizes.counts]
    counts = list(op.operands)[len(tensors) :]
    here = sizes.dim_of(op.results[0])
    places = [list(op.attributes[f"static_{n}"]) for n in ("offsets", "strides")]
    return (
        all(isinstance(value.type, ir.IndexType) for value in counts)
        and here is not None
        and all(isinstance(value.type, ir.RankedTensorType) for value in tensors)
        and len({value.type.rank for value in (*tensors, op.results[0])}) == 1
        and all(sizes.dim_of(value) == here for value in tensors)
        and [place[here] for place in places] == [0, 1]
        and all(sizes.are_same(value, count) for value in tensors for count in counts)
        and len({value.type.shape[here] for value in (*tensors, op.results[0])}) == 1
    )


def _batch_matmul(op: Any, sizes: Sizes) -> bool:
    if not sizes.counts:
        return False  # All samples may be rows of one product.
    return is_plain(op) and all(sizes.dim_of(value) == 0 for value in op.operands)


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
