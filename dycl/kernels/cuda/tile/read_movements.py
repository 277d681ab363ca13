"""From ops that move elements to nodes, which have no memory of their own.

Before:
    %p = tensor.pad %x low[0, 1] high[0, 1] {...}
    %r = tensor.extract_slice %x[0, %i] [1, 4] [1, 1]

After:
    p = Inset(x, 0), r = Cut(x, (0, i))

Needs:  sizes that the host knows when it launches.
Leaves: nodes for the values that an op gives.
Skips:  nothing: places that elements of tensors say are refused, but of slices.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import ir, location_of
from dycl.kernels.cuda.tile.cuts import Cut
from dycl.kernels.cuda.tile.nodes import (
    Argument,
    Concat,
    Constant,
    Inset,
    Known,
    Node,
    Reshape,
    Slice,
)
from dycl.kernels.cuda.tile.shapes import (
    DYNAMIC,
    Shape,
    Sizes,
    Unknown,
    groups,
    kept,
)
from dycl.kernels.cuda.tile.sizes import Size, computed


def inner(op: Any) -> list[Any]:
    """The ops in the regions of an op."""
    return [o.operation for r in op.regions for b in r.blocks for o in b.operations]


def _reshape(
    nodes: dict[Any, Node], sizes: Sizes, op: Any, value: Any, shape: Shape, dtype: str
) -> Node:
    source = nodes[op.operands[0]]
    if op.name == "tensor.reshape":
        whole = ((len(shape), len(source.shape)),)
        where = location_of(op.location)
        return Reshape(shape, dtype, where, source=source, pairs=whole)
    pairs = [(len(group), 1) for group in groups(op)]
    if op.name == "tensor.collapse_shape":
        pairs = [(b, a) for a, b in pairs]
    where = location_of(op.location)
    return Reshape(shape, dtype, where, source=source, pairs=tuple(pairs))


@dataclass(frozen=True)
class _Corner:
    """What `tensor.extract_slice` and `tensor.insert_slice` say."""

    starts: tuple[Node | Size, ...]
    sizes: Shape
    steps: tuple[int, ...]


def _corner(
    nodes: dict[Any, Node], sizes: Sizes, op: Any, begin: int, shape: Shape
) -> _Corner:
    """Offsets, sizes and strides; `begin`: the operand with the first that is computed;
    `shape`: of the part. Raises Refused."""
    place = location_of(op.location)
    starts = tuple(ir.DenseI64ArrayAttr(op.attributes["static_offsets"]))
    steps = tuple(ir.DenseI64ArrayAttr(op.attributes["static_strides"]))
    if DYNAMIC in steps:
        raise Refused("has a step that only a run tells: no template for CUDA", place)
    computed_ones = iter(list(op.operands)[begin:])
    long = tuple(ir.DenseI64ArrayAttr(op.attributes["static_sizes"]))
    try:
        found = sizes.mixed(op, "static_sizes", begin + starts.count(DYNAMIC))
    except Unknown as error:
        raise Refused(
            "has a size that elements of tensors say: no template for CUDA", place
        ) from error
    if DYNAMIC in long:
        # Where sizes are equal, the part's own is the one that is known best.
        own = iter(shape[i] for i in range(len(shape)))
        dims = kept(found, shape)
        of_part = dict(zip(dims, own, strict=False))
        found = tuple(of_part.get(d, n) for d, n in enumerate(found))
    whole = sizes.shape(op.operands[begin - 1])
    where: list[Node | Size] = []
    for dim, start in enumerate(starts):
        if start != DYNAMIC:
            where.append(start)
            continue
        value = next(computed_ones)
        last = whole[dim] - ((found[dim] - 1) * steps[dim] + 1)
        where.append(_start(nodes, sizes, value, last, found[dim]))
    return _Corner(tuple(where), found, steps)


def _start(
    nodes: dict[Any, Node], sizes: Sizes, value: Any, last: Size, long: Size
) -> Node | Size:
    """Where a part begins: a size, if the host knows it and launches by sizes."""
    if sizes.is_static:
        return nodes[value]
    try:
        start = sizes.size(value)
    except Unknown:
        return nodes[value]
    if not isinstance(long, int):  # torch-mlir has kept both ends inside.
        return start
    return computed("min", computed("max", start, 0), computed("max", last, 0))


def _slice(
    nodes: dict[Any, Node], sizes: Sizes, op: Any, value: Any, shape: Shape, dtype: str
) -> Node:
    corner = _corner(nodes, sizes, op, 1, shape)
    source, place = nodes[op.operands[0]], location_of(op.location)
    dims = kept(corner.sizes, shape)
    if not any(isinstance(start, Node) for start in corner.starts):
        starts = tuple(s for s in corner.starts if not isinstance(s, Node))
        return Slice(
            *(shape, dtype, place),
            source=source,
            starts=starts,
            steps=corner.steps,
            dims=dims,
        )
    return Cut(
        *(shape, dtype, place),
        source=source,
        starts=corner.starts,
        sizes=corner.sizes,
        steps=corner.steps,
        dims=dims,
    )


def _insert(
    nodes: dict[Any, Node], sizes: Sizes, op: Any, value: Any, shape: Shape, dtype: str
) -> Node:
    source, around = (nodes[v] for v in op.operands[:2])
    corner = _corner(nodes, sizes, op, 2, source.shape)
    place = location_of(op.location)
    return Inset(
        *(shape, dtype, place),
        source=source,
        around=around,
        starts=_known(corner.starts, "inserts at", place),
        steps=corner.steps,
        dims=kept(corner.sizes, source.shape),
    )


def _known(starts: Sequence[Node | Size], does: str, place: Any) -> Shape:
    """Places that the host knows. Raises Refused."""
    found = [s.size if isinstance(s, Known) else s for s in starts]
    if any(isinstance(start, Node) for start in found):
        raise Refused(f"{does} what only a run tells: no template for CUDA", place)
    return tuple(s for s in found if not isinstance(s, Node))


def _pad(
    nodes: dict[Any, Node], sizes: Sizes, op: Any, value: Any, shape: Shape, dtype: str
) -> Node:
    place = location_of(op.location)
    number = nodes.get(inner(op)[-1].operands[0])
    try:
        starts = sizes.mixed(op, "static_low", 1)
    except Unknown:
        starts = ()
    if not isinstance(number, Constant | Argument) or len(starts) != len(shape):
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
    nodes: dict[Any, Node], sizes: Sizes, op: Any, value: Any, shape: Shape, dtype: str
) -> Node:
    parts = [nodes[v] for v in op.operands]
    dim = int(ir.IntegerAttr(op.attributes["dim"]).value)
    return Concat(shape, dtype, location_of(op.location), parts=parts, dim=dim)


def _same(
    nodes: dict[Any, Node], sizes: Sizes, op: Any, value: Any, shape: Shape, dtype: str
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
    "tensor.reshape": _reshape,
}
"""What makes a node of each op's value: of the nodes so far, the op, the value, its
shape and its dtype."""
