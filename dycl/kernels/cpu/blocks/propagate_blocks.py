"""`cpu-propagate-blocks`: what stands between two blocked ops works on blocks, too.

An unpack moves down through elementwise ops, paddings and concatenations, until it
meets a pack, and both go. What stays lies at the edges of the kernel.

Before:
    %y = linalg.unpack %yb ...                      // 1x4x8x8x16 -> 1x64x8x8
    %z = linalg.generic {relu} ins(%y) -> 1x64x8x8
    %p = tensor.pad %z low[0, 0, 1, 1] high[0, 0, 1, 1]
    %pb = linalg.pack %p ...                        // 1x64x10x10 -> 1x4x10x10x16

After:
    %zb = linalg.generic {relu} ins(%yb) -> 1x4x8x8x16
    %pb = tensor.pad %zb low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0]

Needs:  `cpu-block-contractions`.
Leaves: lanes beyond the last channel may hold anything: who reads them is told by
        `dycl.valid`, or unpacks them away.
Skips:  elementwise ops that permute dimensions or ask for an index; paddings and
        concatenations of channels that do not end with a whole block.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import LANES, pack, unpack
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_sizes import (
    empty_like,
    highs,
    is_f32_image,
    pads_behind,
)


def propagate_blocks(module: Any) -> None:
    """Move every unpack in `module` down, and every pack up, as far as they go."""
    for op in ops(module.operation):
        rewrite = _DOWN.get(op.name)
        if rewrite is not None:
            with ir.InsertionPoint(op), op.location:
                result = rewrite(op)
            if result is not None:
                op.results[0].replace_all_uses_with(result)
                op.erase()
        elif op.name == "linalg.pack":
            _raise(op)


# ---- an unpack above, a pack to be made: down


def _elementwise(op: Any) -> Any:
    """An elementwise op with a blocked operand works on blocks."""
    if not build.is_parallel(op) or len(op.results) != 1:
        return None
    shape = op.results[0].type.shape
    operands = list(op.operands)
    maps = [_positions(m) for m in op.attributes["indexing_maps"]]
    rank = len(shape)
    if (
        rank < 2
        or op.results[0].type.is_dynamic_dim(1)
        or any(m is None for m in maps)
        or maps[-1] != list(range(rank))
        or any(inner.name == "linalg.index" for inner in _payload(op))
        or not any(
            _blocked(value) is not None and m == list(range(rank))
            for value, m in zip(operands[:-1], maps[:-1], strict=True)
        )
        or not all(_can_block(value.type, m, shape) for value, m in _pairs(op, maps))
    ):
        return None
    loops = [f"d{i}" for i in range(rank)] + ["v"]
    texts: list[str] = []
    inputs: list[Any] = []
    for value, positions in _pairs(op, maps):
        results = [loops[p] if p is not None else "0" for p in positions]
        if 1 in positions:
            value = _raised(value, (positions.index(1),))
            results.append("v")
        inputs.append(value)
        texts.append(f"({', '.join(loops)}) -> ({', '.join(results)})")
    into = empty_like(operands[-1], _block_shape(shape))
    texts.append(f"({', '.join(loops)}) -> ({', '.join(loops)})")
    blocked_op = build.generic(
        inputs, into, texts, "p" * (rank + 1), build.clone_body(op)
    )
    return unpack(blocked_op, op.results[0].type)


def _padding(op: Any) -> Any:
    """A padding of rows and columns pads blocked rows and columns."""
    source = _blocked(op.operands[0])
    if source is None or not _pads_space(op):
        return None
    return unpack(_blocked_padding(op, source), op.results[0].type)


def _concatenation(op: Any) -> Any:
    """Blocked parts, each but the last of whole blocks, are put block beside block."""
    parts = list(op.operands)
    if int(op.attributes["dim"].value) != 1:
        return None
    channels = [value.type.shape[1] for value in parts]
    if (
        not any(_blocked(value) is not None for value in parts)
        or not all(is_f32_image(value.type) for value in parts)
        or any(count % LANES for count in channels[:-1])
    ):
        return None
    blocked = [_raised(value) for value in parts]
    element = op.results[0].type.element_type
    kind = ir.RankedTensorType.get(_block_shape(op.results[0].type.shape), element)
    blocked_op = build.op("tensor.concat", blocked, kind, dim=op.attributes["dim"])
    return unpack(blocked_op, op.results[0].type)


def _expand(op: Any) -> Any:
    """Rows and columns that are taken apart are so in blocks."""
    source = _blocked(op.operands[0])
    if source is None or not _reshapes_space(op):
        return None
    return unpack(_blocked_reshape(op, source), op.results[0].type)


def _collapse(op: Any) -> Any:
    """Rows and columns become one in blocks, too; channels of a 1x1 image lie in order,
    blocked or not."""
    source = _blocked(op.operands[0])
    if source is None or _reshapes_space(op):
        return _expand(op)
    shape = list(op.operands[0].type.shape)
    if (
        shape[1] % LANES
        or any(size != 1 for size in shape[2:])
        or list(op.results[0].type.shape) != shape[:2]
    ):
        return None
    return build.collapse(source, shape[:2], [1, len(shape)])


_DOWN = {
    "linalg.generic": _elementwise,
    "tensor.pad": _padding,
    "tensor.concat": _concatenation,
    "tensor.collapse_shape": _collapse,
    "tensor.expand_shape": _expand,
}


# ---- a pack below: up


def _raise(op: Any) -> None:
    if list(op.attributes["inner_dims_pos"]) != [1] or not _by_lanes(op):
        return
    with ir.InsertionPoint(op), op.location:
        above = _above(op.operands[0])
    if above is not None:
        op.results[0].replace_all_uses_with(above)
        op.erase()


def _raised(value: Any, dims: tuple[int, ...] = (1,)) -> Any:
    """`value` in blocks, by the shortest way."""
    result = _above(value) if dims == (1,) else None
    return pack(value, dims) if result is None else result


def _above(value: Any) -> Any:
    """`value` in blocks without packing it; None if it is not to be had."""
    if (source := _blocked(value)) is not None:
        return source
    producer = build.owner(value)
    if producer is None:
        return None
    shape = value.type.shape
    if value.type.is_dynamic_dim(1):
        return None
    if producer.name == "tensor.empty":
        return empty_like(value, _block_shape(shape))
    if producer.name == "linalg.fill":
        return build.fill(producer.operands[0], empty_like(value, _block_shape(shape)))
    if producer.name == "linalg.broadcast":
        return _blocked_broadcast(producer)
    if producer.name == "tensor.pad" and _pads_space(producer):
        return _blocked_padding(producer, _raised(producer.operands[0]))
    if producer.name in _RESHAPES and _reshapes_space(producer):
        source = _above(producer.operands[0])
        if source is None and producer.name == "tensor.collapse_shape":
            # Others may want the same image as it was: they share one pack then.
            source = pack(producer.operands[0])
        return None if source is None else _blocked_reshape(producer, source)
    return None


_RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")


def _reshapes_space(op: Any) -> bool:
    """Whether a reshape leaves samples and channels as they are."""
    groups = [[int(dim.value) for dim in group] for group in op.attributes[_GROUPS]]
    return (
        groups[:2] == [[0], [1]]
        and len(groups) > 2
        and build.is_static_f32(op.operands[0].type)
        and build.is_static_f32(op.results[0].type)
    )


def _blocked_reshape(op: Any, source: Any) -> Any:
    groups = [*map(len, op.attributes[_GROUPS]), 1]
    make = build.collapse if op.name == "tensor.collapse_shape" else build.expand
    return make(source, _block_shape(op.results[0].type.shape), groups)


_GROUPS = "reassociation"


def _blocked_broadcast(op: Any) -> Any:
    shape = op.results[0].type.shape
    added = list(op.attributes["dimensions"])
    loops = [f"d{i}" for i in range(len(shape))] + ["v"]
    kept = [i for i in range(len(shape)) if i not in added]
    results = [loops[i] for i in kept]
    value = op.operands[0]
    if 1 in kept:
        value = pack(value, (kept.index(1),))
        results.append("v")
    into = empty_like(op.results[0], _block_shape(shape))
    return build.generic(
        [value],
        into,
        [
            f"({', '.join(loops)}) -> ({', '.join(results)})",
            f"({', '.join(loops)}) -> ({', '.join(loops)})",
        ],
        "p" * len(loops),
        lambda x, _: x,
    )


def _blocked_padding(op: Any, source: Any) -> Any:
    low = [*op.attributes["static_low"], 0]
    return build.pad(source, low, [*highs(op), 0], _pad_value(op))


def _pads_space(op: Any) -> bool:
    """Whether only rows and columns are padded, before them by known numbers, with a
    constant."""
    sizes = [list(op.attributes[name]) for name in ("static_low", "static_high")]
    value = _pad_value(op)
    dynamic = ir.ShapedType.get_dynamic_size()
    return (
        pads_behind(op)
        and is_f32_image(op.results[0].type)
        and len(sizes[0]) > 2
        and all(not any(side[:2]) for side in sizes)
        and all(n >= 0 or n == dynamic for side in sizes for n in side)
        and build.owner(value) is not None
        and build.owner(value).parent != op
    )


def _pad_value(op: Any) -> Any:
    return list(op.regions[0].blocks[0].operations)[-1].operation.operands[0]


# ---- facts


def _blocked(value: Any) -> Any:
    """What `value` is unpacked from, if it is, with channels in blocks of 16."""
    producer = build.owner(value)
    if (
        producer is None
        or producer.name != "linalg.unpack"
        or list(producer.attributes["inner_dims_pos"]) != [1]
        or not _by_lanes(producer)
    ):
        return None
    return producer.operands[0]


def _by_lanes(op: Any) -> bool:
    return (
        list(op.attributes["static_inner_tiles"]) == [LANES]
        and "outer_dims_perm" not in op.attributes
    )


def _block_shape(shape: Any) -> list[int]:
    return [shape[0], -(-shape[1] // LANES), *shape[2:], LANES]


def _pairs(op: Any, maps: Any) -> list[tuple[Any, Any]]:
    return list(zip(list(op.operands)[:-1], maps[:-1], strict=True))


def _payload(op: Any) -> list[Any]:
    return [inner.operation for inner in op.regions[0].blocks[0].operations]


def _can_block(kind: Any, positions: Any, shape: Any) -> bool:
    """Whether an operand read by this map can be read in blocks."""
    if not isinstance(kind, ir.RankedTensorType):
        return False
    if positions.count(1) > 1:
        return False
    if not isinstance(kind.element_type, ir.IntegerType | ir.FloatType):
        return False
    return 1 not in positions or kind.shape[positions.index(1)] == shape[1]


def _positions(map_attribute: Any) -> list[int | None] | None:
    """The loop that each result of a map is; None in it for the constant 0."""
    result: list[int | None] = []
    for expression in map_attribute.value.results:
        if isinstance(expression, ir.AffineDimExpr):
            result.append(int(expression.position))
        elif (
            isinstance(expression, ir.AffineConstantExpr) and int(expression.value) == 0
        ):
            result.append(None)
        else:
            return None
    return result
