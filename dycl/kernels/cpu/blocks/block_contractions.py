"""`cpu-block-contractions`: convolutions and pools work on blocks of 16 channels.

Sixteen channels are one vector register, so they become the innermost dimension: of
the image, of the weights, and of the result. Packing and unpacking stand right beside
each op; `cpu-propagate-blocks` then lets neighbours meet.

Before:
    // 1x32x10x10, 64x32x3x3 -> 1x64x8x8
    %y = linalg.conv_2d_nchw_fchw ins(%x, %w) outs(%i)

After:
    // to 1x2x10x10x16, 4x2x3x3x16x16 and 1x4x8x8x16
    %xb = linalg.pack %x inner_dims_pos = [1] inner_tiles = [16]
    %wb = linalg.pack %w inner_dims_pos = [1, 0] inner_tiles = [16, 16]
    %ib = linalg.pack %i inner_dims_pos = [1] inner_tiles = [16]
    %yb = linalg.generic {dycl.nest = "conv"} ins(%xb, %wb) outs(%ib)
    %y = linalg.unpack %yb inner_dims_pos = [1] inner_tiles = [16]

Needs:  linalg on tensors, named ops.
Leaves: named convolutions and pools only where it skips them. Fewer than 16 input
        channels stay as they are: the image is read by single elements then.
        A number of channels that 16 does not divide is padded with lanes that nobody
        reads: `dycl.valid` on the convolution says how many are real.
Skips:  dynamic channels, other dtypes than f32, groups that are not depthwise; pools
        of whole images that are not in blocks.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.build import add, constant, i64, is_below, multiply
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_sizes import empty_like, is_f32_image

LANES = 16
"""f32 values in one vector of AVX-512, and channels in one block."""
NEST = "dycl.nest"
"""The mark on an op that `cpu-generate-nests` is meant for, with its kind."""
VALID = "dycl.valid"
"""On a convolution over padded input channels: how many there are."""


def is_nest(op: Any, kind: str) -> bool:
    """Whether an op is marked as a nest of a kind."""
    return NEST in op.attributes and str(op.attributes[NEST].value) == kind


def block_contractions(module: Any) -> None:
    """Rewrite every convolution and pool of `module` that can be blocked."""
    for op in ops(module.operation):
        rewrite = _REWRITES.get(op.name)
        if rewrite is None or not can_be_blocked(op):
            continue
        if 0 in op.results[0].type.shape or _is_mean_of_rows(op):
            continue
        with ir.InsertionPoint(op), op.location:
            blocked = rewrite(op)
            result = unpack(blocked, op.results[0].type)
        op.results[0].replace_all_uses_with(result)
        op.erase()


def can_be_blocked(op: Any) -> bool:
    """Whether a convolution or pool is one of f32 whose channels and window are known.

    How many samples, rows and columns there are a run may decide.
    """
    image, window, init = (value.type for value in op.operands)
    return is_f32_image(image) and is_f32_image(init) and build.is_static_f32(window)


def pack(value: Any, dims: tuple[int, ...] = (1,), tile: int = LANES) -> Any:
    """A new `linalg.pack` of these dimensions; what it adds is zero."""
    shape = list(value.type.shape)
    padded = any(shape[dim] % tile for dim in dims)
    for dim in dims:
        shape[dim] = -(-shape[dim] // tile)
    element = value.type.element_type
    into = empty_like(value, [*shape, *[tile] * len(dims)])
    extra = [constant(0.0, element)] if padded else []
    return build.op(
        "linalg.pack",
        [value, into, *extra],
        into.type,
        inner_dims_pos=build.ints(dims),
        static_inner_tiles=build.ints([tile] * len(dims)),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 1, len(extra), 0]),
    )


def unpack(blocked: Any, result: Any, dims: tuple[int, ...] = (1,)) -> Any:
    """A new `linalg.unpack` to a tensor of type `result`."""
    tile = blocked.type.shape[-1]
    return build.op(
        "linalg.unpack",
        [blocked, empty_like(blocked, result.shape)],
        result,
        inner_dims_pos=build.ints(dims),
        static_inner_tiles=build.ints([tile] * len(dims)),
    )


def product(x: Any, w: Any, total: Any) -> Any:
    """The payload of a contraction: `total + x * w`."""
    return add(total, multiply(x, w))


def is_blocked_here(op: Any) -> bool:
    """Whether an op is of a kind that works on blocks behind this step."""
    return op.name in _REWRITES


def _convolution(op: Any) -> Any:
    """n f [d] [h] w v | c [o] [p] q u: `v`, `u` are the lanes of blocks `f` and `c`."""
    image, weights, init = op.operands
    channels = weights.type.shape[1]
    out, window, reads = windows(op)
    raw = channels < LANES
    loops = ["n", "f", *out, "v", "c", *window, *([] if raw else ["u"])]
    lane = [] if raw else ["u"]
    maps = [
        loops_map(loops, ["n", "c", *reads, *lane]),
        loops_map(loops, ["f", "c", *window, *lane, "v"]),
        loops_map(loops, ["n", "f", *out, "v"]),
    ]
    iterators = "p" * (len(out) + 3) + "r" * (len(loops) - len(out) - 3)
    valid = None if raw or channels % LANES == 0 else channels
    block = loops.index("c")

    def body(x: Any, w: Any, total: Any) -> Any:
        if valid is not None:
            x = _real_lane(x, block, len(loops) - 1, valid)
        return product(x, w, total)

    attributes: dict[str, Any] = {NEST: ir.StringAttr.get("conv")}
    if valid is not None:
        attributes[VALID] = i64(valid)
    return build.generic(
        [image if raw else pack(image), pack(weights, (0,) if raw else (1, 0))],
        pack(init),
        maps,
        iterators,
        body,
        **attributes,
    )


def _depthwise(op: Any) -> Any:
    """n f h w v | p q: each channel has a window of its own."""
    image, weights, init = op.operands
    out, window, reads = windows(op)
    loops = ["n", "f", *out, "v", *window]
    return build.generic(
        [pack(image), pack(weights, (0,))],
        pack(init),
        [
            loops_map(loops, ["n", "f", *reads, "v"]),
            loops_map(loops, ["f", *window, "v"]),
            loops_map(loops, ["n", "f", *out, "v"]),
        ],
        "p" * (len(out) + 3) + "r" * len(window),
        product,
        **{NEST: ir.StringAttr.get("depthwise")},
    )


def _pool(op: Any) -> Any:
    """n f h w v | p q: the second operand has the shape of the window, no more."""
    image, sizes, init = op.operands
    out, window, reads = windows(op)
    loops = ["n", "f", *out, "v", *window]
    reduce = "arith.maximumf" if op.name.endswith("max") else "arith.addf"

    def body(x: Any, _: Any, best: Any) -> Any:
        return build.op(reduce, [best, x], x.type)

    return build.generic(
        [pack(image), sizes],
        pack(init),
        [
            loops_map(loops, ["n", "f", *reads, "v"]),
            loops_map(loops, window),
            loops_map(loops, ["n", "f", *out, "v"]),
        ],
        "p" * (len(out) + 3) + "r" * len(window),
        body,
        **{NEST: ir.StringAttr.get("pool")},
    )


def _is_mean_of_rows(op: Any) -> bool:
    """Whether a pool's window is a whole image that is not in blocks already.

    Its rows lie in order as they are: see `dycl.kernels.cpu.rows.row_programs`.
    """
    if op.name not in _POOLS or list(op.results[0].type.shape[2:]) != [1, 1]:
        return False
    image, sizes, _ = op.operands
    is_whole = list(image.type.shape[2:]) == list(sizes.type.shape)
    return is_whole and not _comes_in_blocks(image)


def _comes_in_blocks(value: Any) -> bool:
    """Whether a tensor is unpacked from blocks, or computed of what is."""
    seen: set[Any] = set()
    waiting = [value]
    while waiting:
        producer = build.owner(waiting.pop())
        if producer is None or producer in seen:
            continue
        seen.add(producer)
        if producer.name == "linalg.unpack":
            return True
        if build.is_parallel(producer):
            waiting += list(producer.operands)[:-1]
    return False


_POOLS = ("linalg.pooling_nchw_max", "linalg.pooling_nchw_sum")
_REWRITES = {
    "linalg.conv_3d_ncdhw_fcdhw": _convolution,
    "linalg.conv_2d_nchw_fchw": _convolution,
    "linalg.conv_1d_ncw_fcw": _convolution,
    "linalg.depthwise_conv_2d_nchw_chw": _depthwise,
    "linalg.pooling_nchw_max": _pool,
    "linalg.pooling_nchw_sum": _pool,
}


def windows(op: Any) -> tuple[list[str], list[str], list[str]]:
    """Loops over the result, loops over the window, and what is read of the image."""
    strides = [int(x) for x in op.attributes["strides"]]
    dilations = [int(x) for x in op.attributes["dilations"]]
    rank = len(strides)
    out, window = ["d", "h", "w"][-rank:], ["o", "p", "q"][-rank:]
    reads = [
        f"{o} * {s} + {p} * {d}"
        for o, p, s, d in zip(out, window, strides, dilations, strict=True)
    ]
    return out, window, reads


def loops_map(loops: list[str], results: list[str]) -> str:
    """The text of an indexing map."""
    return f"({', '.join(loops)}) -> ({', '.join(results)})"


def _real_lane(value: Any, block: int, lane: int, valid: int) -> Any:
    """`value` where the input channel is real, 0 in a padded lane."""
    index = ir.IndexType.get()
    block_at, lane_at = (
        build.op("linalg.index", [], index, dim=i64(dim)) for dim in (block, lane)
    )
    start = build.op("arith.muli", [block_at, constant(LANES, index)], index)
    channel = build.op("arith.addi", [start, lane_at], index)
    real = is_below(channel, constant(valid, index))
    zero = constant(0.0, value.type)
    return build.op("arith.select", [real, value, zero], value.type)
