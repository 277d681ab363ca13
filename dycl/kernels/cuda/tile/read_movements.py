"""From ops that move elements to nodes, which have no memory of their own.

Before:
    %p = tensor.pad %x low[0, 1] high[0, 1] {...}
    %r = tensor.extract_slice %x[0, %i] [1, 4] [1, 1]

After:
    p = Inset(x, 0), r = Cut(x, (0, i))

Needs:  static sizes.
Leaves: nodes for the values that an op gives.
Skips:  nothing: places that only a run tells are refused, but those of slices.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import ir, location_of
from dycl.kernels.cuda.tile.cuts import Cut
from dycl.kernels.cuda.tile.nodes import (
    Argument,
    Concat,
    Constant,
    Inset,
    Node,
    Reshape,
    Slice,
)

DYNAMIC = -(2**63)
"""What MLIR writes for a number that only a run tells."""


def inner(op: Any) -> list[Any]:
    """The ops in the regions of an op."""
    return [o.operation for r in op.regions for b in r.blocks for o in b.operations]


def _reshape(
    nodes: dict[Any, Node], op: Any, value: Any, shape: tuple[int, ...], dtype: str
) -> Node:
    source = nodes[op.operands[0]]
    return Reshape(shape, dtype, location_of(op.location), source=source)


def _corner(
    op: Any, may_be_computed: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Static offsets, sizes and strides. Raises Refused."""
    names = ("static_offsets", "static_sizes", "static_strides")
    found = tuple(tuple(ir.DenseI64ArrayAttr(op.attributes[n])) for n in names)
    known = found[1:] if may_be_computed else found
    if any(n == DYNAMIC for part in known for n in part):
        where = location_of(op.location)
        raise Refused(
            "cuts at a place that only a run tells: no template for CUDA", where
        )
    return found[0], found[1], found[2]


def _kept(sizes: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """The dimensions that are left where some of size 1 are dropped."""
    kept: list[int] = []
    left = list(shape)
    for dim, size in enumerate(sizes):
        rest = len(sizes) - dim
        if left and size == left[0] and (size != 1 or rest >= len(left)):
            kept.append(dim)
            left.pop(0)
    return tuple(kept)


def _slice(
    nodes: dict[Any, Node], op: Any, value: Any, shape: tuple[int, ...], dtype: str
) -> Node:
    starts, sizes, steps = _corner(op, may_be_computed=True)
    source = nodes[op.operands[0]]
    if DYNAMIC in starts:
        computed = iter(list(op.operands)[1:])
        return Cut(
            shape,
            dtype,
            location_of(op.location),
            source=source,
            starts=tuple(
                nodes[next(computed)] if start == DYNAMIC else start for start in starts
            ),
            sizes=sizes,
            steps=steps,
            dims=_kept(sizes, shape),
        )
    return Slice(
        shape,
        dtype,
        location_of(op.location),
        source=source,
        starts=starts,
        steps=steps,
        dims=_kept(sizes, shape),
    )


def _insert(
    nodes: dict[Any, Node], op: Any, value: Any, shape: tuple[int, ...], dtype: str
) -> Node:
    starts, sizes, steps = _corner(op)
    source, around = (nodes[v] for v in op.operands[:2])
    return Inset(
        shape,
        dtype,
        location_of(op.location),
        source=source,
        around=around,
        starts=starts,
        steps=steps,
        dims=_kept(sizes, source.shape),
    )


def _pad(
    nodes: dict[Any, Node], op: Any, value: Any, shape: tuple[int, ...], dtype: str
) -> Node:
    place = location_of(op.location)
    starts = tuple(ir.DenseI64ArrayAttr(op.attributes["static_low"]))
    number = nodes.get(inner(op)[-1].operands[0])
    if DYNAMIC in starts or not isinstance(number, Constant | Argument):
        raise Refused("pads by what only a run tells: no template for CUDA", place)
    around = (
        Constant(shape, dtype, place, number.value)
        if isinstance(number, Constant)
        else Slice(shape, dtype, place, source=number)
    )
    return Inset(
        shape,
        dtype,
        place,
        source=nodes[op.operands[0]],
        around=around,
        starts=starts,
        steps=(1,) * len(shape),
        dims=tuple(range(len(shape))),
    )


def _concat(
    nodes: dict[Any, Node], op: Any, value: Any, shape: tuple[int, ...], dtype: str
) -> Node:
    parts = [nodes[v] for v in op.operands]
    dim = int(ir.IntegerAttr(op.attributes["dim"]).value)
    return Concat(shape, dtype, location_of(op.location), parts=parts, dim=dim)


def _same(
    nodes: dict[Any, Node], op: Any, value: Any, shape: tuple[int, ...], dtype: str
) -> Node:
    return nodes[op.operands[0]]


MOVEMENTS: dict[str, Callable[..., Node]] = {
    "tensor.cast": _same,
    "tensor.collapse_shape": _reshape,
    "tensor.concat": _concat,
    "tensor.expand_shape": _reshape,
    "tensor.extract_slice": _slice,
    "tensor.insert_slice": _insert,
    "tensor.pad": _pad,
}
"""What makes a node of each op's value: of the nodes so far, the op, the value, its
shape and its dtype."""
