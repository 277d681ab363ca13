"""`cpu-fill-borders`: padding writes its border, not what is overwritten at once.

Before:
    linalg.fill ins(%zero) outs(%padded : 1x4x10x10x16)
    %inside = memref.subview %padded[0, 0, 1, 1, 0] [1, 4, 8, 8, 16]
    linalg.generic ... outs(%inside)

After:
    linalg.fill ins(%zero) outs(%top : 1x4x1x10x16)
    linalg.fill ins(%zero) outs(%bottom : 1x4x1x10x16)
    linalg.fill ins(%zero) outs(%left : 1x4x8x1x16)
    linalg.fill ins(%zero) outs(%right : 1x4x8x1x16)
    linalg.generic ... outs(%inside)

Needs:  linalg on memrefs.
Leaves: one fill for each side that is padded; `dycl.inside` on a buffer that is padded
        with zeros.
Skips:  a buffer of which the op that touches it next does not write the whole inside.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from dycl.kernels.cpu import build as memrefs
from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.buffers.memory import Effects, may_alias
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.nests.groups import writes_all

INSIDE = "dycl.inside"
"""On a buffer with zeros around what is written next: where that begins, its size."""


def fill_borders(module: Any) -> None:
    """Rewrite every fill of `module` whose middle is written next."""
    for func in functions(module):
        block = func.regions[0].blocks[0]
        fills = [op.operation for op in block.operations if op.name == "linalg.fill"]
        if not fills:
            continue
        effects = Effects(block)
        done: list[Any] = []
        for op in fills:
            inside = _inside(op, effects)
            if inside is not None:
                with ir.InsertionPoint(op), op.location:
                    _fill_around(op, inside)
                done.append(op)
        for op in done:
            op.erase()


def _inside(op: Any, effects: Effects) -> Any:
    """The view of the filled buffer that is overwritten next; None: there is none."""
    value, buffer = op.operands[0], op.operands[1]
    producer = build.owner(buffer)
    if producer is None or producer.name != "memref.alloc":
        return None
    if not isinstance(value.type, ir.FloatType):
        return None
    later = range(effects.place(op) + 1, len(effects.ops))
    following = next((i for i in later if effects.touches(i, buffer)), None)
    if following is None:
        return None
    user = effects.ops[following]
    if not _overwrites(user, buffer):
        return None
    written = user.operands[len(user.operands) - 1]
    view = build.owner(written)
    if view is None or view.name != "memref.subview" or view.operands[0] != buffer:
        return None
    is_plain = set(view.attributes["static_strides"]) == {
        1
    } and ir.ShapedType.get_dynamic_stride_or_offset() not in list(
        view.attributes["static_offsets"]
    )
    return view if is_plain and written.type.rank == buffer.type.rank else None


def _overwrites(op: Any, buffer: Any) -> bool:
    """Whether an op writes all of its result, in `buffer`, and reads nothing there."""
    if op.name not in ("memref.copy", "linalg.fill") and not writes_all(op):
        return False
    return not any(
        isinstance(value.type, ir.MemRefType) and may_alias(value, buffer)
        for value in list(op.operands)[:-1]
    )


def _fill_around(op: Any, view: Any) -> None:
    value, buffer = op.operands[0], op.operands[1]
    if not buffer.type.has_static_shape:
        # What says how large the view is may stand right before it.
        with ir.InsertionPoint.after(view):
            _fill_around_any(value, buffer, view)
        return
    shape = list(buffer.type.shape)
    offsets = list(view.attributes["static_offsets"])
    sizes = list(view.attributes["static_sizes"])
    if build.is_zero(value):
        owner = build.owner(buffer)
        owner.attributes[INSIDE] = build.ints([*offsets, *sizes])
    for start, size in _sides(shape, offsets, sizes):
        strides, _ = buffer.type.get_strides_and_offset()
        offset = sum(at * int(step) for at, step in zip(start, strides, strict=True))
        layout = ir.StridedLayoutAttr.get(offset, [int(step) for step in strides])
        kind = ir.MemRefType.get(size, buffer.type.element_type, layout)
        side = build.op(
            "memref.subview",
            [buffer],
            kind,
            static_offsets=build.ints(start),
            static_sizes=build.ints(size),
            static_strides=build.ints([1] * len(shape)),
            operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
        )
        build.fill(value, side)


def _fill_around_any(value: Any, buffer: Any, view: Any) -> None:
    """Fill the sides of a border around what has the size that a run decides."""
    low, rank = list(view.attributes["static_offsets"]), buffer.type.rank
    inner = [memrefs.size(view.results[0], dim) for dim in range(rank)]
    start, size = (
        [memrefs.index(0)] * rank,
        [memrefs.size(buffer, dim) for dim in range(rank)],
    )
    for dim in range(rank):
        whole, begin = size[dim], memrefs.index(low[dim])
        if not _is_padded(view, dim):
            continue
        end = memrefs.binary("arith.addi", begin, inner[dim])
        for first, last in ((memrefs.index(0), begin), (end, whole)):
            start[dim] = first
            size[dim] = memrefs.binary("arith.subi", last, first)
            build.fill(value, _part(buffer, start, size))
        start[dim], size[dim] = begin, inner[dim]


def _is_padded(view: Any, dim: int) -> bool:
    """Whether a view leaves out some of a dimension, or a run decides that."""
    inner, whole = view.results[0].type, view.operands[0].type
    if inner.is_dynamic_dim(dim) or whole.is_dynamic_dim(dim):
        return True
    return bool(inner.get_dim_size(dim) != whole.get_dim_size(dim))


def _part(buffer: Any, start: Sequence[Any], size: Sequence[Any]) -> Any:
    """A view of a buffer: of known numbers those of unpadded dimensions."""
    dynamic = ir.ShapedType.get_dynamic_size()
    fixed = [_known(one) for one in size]
    kinds = [dynamic if known is None else known for known in fixed]
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    strides, _ = buffer.type.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(unknown, list(strides))
    counts = [one for one, known in zip(size, fixed, strict=True) if known is None]
    rank = buffer.type.rank
    return build.op(
        "memref.subview",
        [buffer, *start, *counts],
        ir.MemRefType.get(kinds, buffer.type.element_type, layout),
        static_offsets=build.ints([unknown] * rank),
        static_sizes=build.ints(kinds),
        static_strides=build.ints([1] * rank),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, rank, len(counts), 0]),
    )


def _known(value: Any) -> int | None:
    producer = build.owner(value)
    if producer is None or producer.name != "arith.constant":
        return None
    return int(producer.attributes["value"].value)


def _sides(
    shape: list[int], offsets: list[int], sizes: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Where the sides of a border begin, and how large they are; none twice."""
    start, size = [0] * len(shape), list(shape)
    for dim, whole in enumerate(shape):
        low = offsets[dim]
        high = low + sizes[dim]
        for begin, end in ((0, low), (high, whole)):
            if end > begin:
                yield (
                    [*start[:dim], begin, *start[dim + 1 :]],
                    [*size[:dim], end - begin, *size[dim + 1 :]],
                )
        start[dim], size[dim] = low, sizes[dim]
