"""`cpu-keep-rows`: convolutions that are computed where their images lie, in rows.

Neighbours along a row are the lanes of a vector then, and a weight is one number for
all of them. One reason is that an image in rows comes in and one in rows is wanted: to
put channels side by side, and apart again, would take as long as a 1x1 or a depthwise
convolution itself. The other is that a window has few filters, as the last layer of a
decoder or of super-resolution has, so that most lanes of a block would be empty.

Before:
    // 1x256x56x56, 64x256x1x1 -> 1x64x56x56
    %y = linalg.conv_2d_nchw_fchw ins(%x, %w) outs(%i)

After:
    %y = linalg.generic {dycl.nest = "conv-rows"} ins(%x, %w) outs(%i)
         // n f h w | c: %x[n, c, h, w], weights of 16 filters side by side
         // a depthwise one, "depthwise-rows": n f h w | p q
         // one of few filters, "few-rows": n f h w | c p q

Needs:  linalg on tensors, named ops; before `cpu-block-contractions`.
Leaves: every convolution that has a neighbour in blocks, for that step to block, but
        for windows of up to 4 filters.
Skips:  dynamic sizes, other dtypes than f32, three dimensions; windows of more filters
        than 8, or than lie together, or than 4 where there may be fewer products in
        blocks (`cpu-winograd`); strides of a single pixel, and others of more than 2
        along a row; what is not worth it by `dycl/schedules/rows.py`: rows that leave
        many lanes empty, so many channels that packing weighs little. A phase of one
        pixel of a transposed convolution, which fills every other pixel.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import (
    LANES,
    NEST,
    is_blocked_here,
    is_nest,
    loops_map,
    pack,
    product,
    windows,
)
from dycl.kernels.cpu.blocks.pad_groups import GROUPED
from dycl.kernels.cpu.check import argument_blocks, result_blocks
from dycl.kernels.cpu.mlir import functions, ir, ops
from dycl.kernels.cpu.target import registers_of
from dycl.schedules.rows import (
    FEW_FILTERS,
    SOME_FILTERS,
    fills_lanes,
    packing_weighs,
)
from dycl.schedules.tiles import MOST_TAPS

CONV_ROWS, DEPTHWISE_ROWS = "conv-rows", "depthwise-rows"
FEW_ROWS = "few-rows"
"""The kinds of nests."""

_CONVOLUTIONS = ("linalg.conv_2d_nchw_fchw", "linalg.conv_1d_ncw_fcw")
_DEPTHWISE = "linalg.depthwise_conv_2d_nchw_chw"
_MOST_STRIDE = 2
"""Pixels of a row from one to the next that a depthwise convolution reads."""
_MOVES = (
    "tensor.pad",
    "tensor.concat",
    "tensor.expand_shape",
    "tensor.collapse_shape",
    "linalg.broadcast",
)
"""Ops beside the elementwise ones through which blocks may move."""


def keep_rows(module: Any) -> None:
    """Rewrite the convolutions of `module` for which blocks are not worth it."""
    registers = registers_of(module)
    for func in functions(module):
        for op in ops(func):
            if _is_narrow(op, FEW_FILTERS):
                _replace(op, _few_filters)
        blocked = _Borders(func)
        for op in ops(func):
            rewrite = None
            if _is_narrow(op, min(SOME_FILTERS, registers.filters)):
                rewrite = None if _may_be_winograd(op) else _few_filters
            elif _fits(op):
                depthwise = op.name == _DEPTHWISE
                rewrite = _depthwise if depthwise else _one_tap(registers.filters)
            if rewrite is not None and not _has_neighbour(op, blocked):
                _replace(op, rewrite)


def _replace(op: Any, rewrite: Callable[[Any], Any]) -> None:
    with ir.InsertionPoint(op), op.location:
        result = rewrite(op)
    op.results[0].replace_all_uses_with(result)
    op.erase()


class _Borders:
    """Which arguments and results of a kernel are in blocks."""

    def __init__(self, func: Any):
        arguments = func.regions[0].blocks[0].arguments
        inputs = zip(arguments, argument_blocks(func), strict=True)
        self.inputs = [value for value, blocks in inputs if blocks is not None]
        self.results = [blocks is not None for blocks in result_blocks(func)]


def _fits(op: Any) -> bool:
    """Whether there is a nest for a convolution in rows that is worth it."""
    if op.name not in (*_CONVOLUTIONS, _DEPTHWISE) or not _is_known(op):
        return False
    shape = list(op.results[0].type.shape)
    if op.name == _DEPTHWISE:
        stride = list(op.attributes["strides"])[-1]
        return stride <= _MOST_STRIDE and fills_lanes(shape[-1], LANES)
    filters, channels, *window = op.operands[1].type.shape
    if set(window) != {1} or set(op.attributes["strides"]) != {1} or _is_spread(op):
        return False
    pixels = math.prod(shape[2:])
    return fills_lanes(pixels, LANES) and packing_weighs(channels, filters)


def _is_known(op: Any) -> bool:
    """Whether a convolution is one of f32, of known sizes, and not of no elements."""
    if not all(build.is_static_f32(value.type) for value in op.operands):
        return False
    return 0 not in op.results[0].type.shape and 0 not in op.operands[0].type.shape


def _is_spread(op: Any) -> bool:
    """Whether a result is for every other pixel of a larger one: no vector is stored
    there."""
    return any(
        user.name == "tensor.insert_slice"
        and set(user.attributes["static_strides"]) != {1}
        for user in (use.owner.operation for use in op.results[0].uses)
    )


def _is_narrow(op: Any, most: int) -> bool:
    """Whether a window has filters for few lanes in blocks, and pixels for most of them
    in rows."""
    if op.name not in _CONVOLUTIONS or not _is_known(op):
        return False
    filters, _, *window = op.operands[1].type.shape
    if set(window) == {1}:
        return False
    stride = list(op.attributes["strides"])[-1]
    is_short = window[-1] <= MOST_TAPS and stride <= _MOST_STRIDE
    width = op.results[0].type.shape[-1]
    return is_short and filters <= most and fills_lanes(width, LANES)


def _may_be_winograd(op: Any) -> bool:
    """Whether a convolution in blocks may take fewer products."""
    _, channels, *window = op.operands[1].type.shape
    strides = set(op.attributes["strides"])
    return channels >= LANES and window == [3, 3] and strides == {1}


def _has_neighbour(op: Any, borders: _Borders) -> bool:
    """Whether blocks would come to a convolution, or go on from it."""
    seen = {op}
    return _come(op.operands[0], borders, seen) or _go(op, borders, seen)


def _come(value: Any, borders: _Borders, seen: set[Any]) -> bool:
    """Whether a tensor would be computed in blocks."""
    producer = build.owner(value)
    if producer is None:
        return value in borders.inputs
    if producer in seen:
        return False
    seen.add(producer)
    if _is_blocked(producer):
        return True
    return _moves(producer) and any(
        _come(operand, borders, seen) for operand in _tensors(producer)
    )


def _go(op: Any, borders: _Borders, seen: set[Any]) -> bool:
    """Whether somebody would take the result of an op in blocks."""
    for use in op.results[0].uses:
        user = use.owner.operation
        if user.name == "func.return":
            if borders.results[use.operand_number]:
                return True
            continue
        if _is_blocked(user):
            return True
        if user in seen or not _moves(user):
            continue
        seen.add(user)
        if any(_come(operand, borders, seen) for operand in _tensors(user)):
            return True
        if _go(user, borders, seen):
            return True
    return False


def _is_blocked(op: Any) -> bool:
    if is_nest(op, FEW_ROWS):
        return False
    return is_blocked_here(op) or op.name == GROUPED or NEST in op.attributes


def _moves(op: Any) -> bool:
    return op.name in _MOVES or build.is_parallel(op)


def _tensors(op: Any) -> Iterator[Any]:
    for value in op.operands:
        if isinstance(value.type, ir.RankedTensorType):
            yield value


def _one_tap(together: int) -> Callable[[Any], Any]:
    """n f [h] w | c: `w` are the lanes; a channel's weights lie side by side."""

    def rewrite(op: Any) -> Any:
        out, *_ = windows(op)
        return _convolution(op, CONV_ROWS, together, [], ["0"] * len(out), out)

    return rewrite


def _few_filters(op: Any) -> Any:
    """n f [h] w | c [p] q: `w` are the lanes; a tap's weights lie side by side."""
    _, window, reads = windows(op)
    filters = op.operands[1].type.shape[0]
    return _convolution(op, FEW_ROWS, filters, window, window, reads)


def _convolution(
    op: Any,
    kind: str,
    together: int,
    window: list[str],
    taps: list[str],
    reads: list[str],
) -> Any:
    """A nest of a kind, where the weights of so many filters lie side by side; `window`
    are loops, of which `taps` has a place in the window, and `reads` of the image."""
    image, weights, init = op.operands
    out, *_ = windows(op)
    loops = ["n", "f", *out, "c", *window]
    filters = [f"f floordiv {together}", "c", *taps, f"f mod {together}"]
    return build.generic(
        [image, pack(weights, (0,), together)],
        _start(init),
        [
            loops_map(loops, ["n", "c", *reads]),
            loops_map(loops, filters),
            loops_map(loops, ["n", "f", *out]),
        ],
        "p" * (len(out) + 2) + "r" * (len(window) + 1),
        product,
        **{NEST: ir.StringAttr.get(kind)},
    )


def _depthwise(op: Any) -> Any:
    """n f h w | p q: `w` are the lanes."""
    image, weights, init = op.operands
    out, window, reads = windows(op)
    loops = ["n", "f", *out, *window]
    return build.generic(
        [image, weights],
        _start(init),
        [
            loops_map(loops, ["n", "f", *reads]),
            loops_map(loops, ["f", *window]),
            loops_map(loops, ["n", "f", *out]),
        ],
        "p" * (len(out) + 2) + "r" * len(window),
        product,
        **{NEST: ir.StringAttr.get(DEPTHWISE_ROWS)},
    )


def _start(init: Any) -> Any:
    """What sums begin with; a bias as an elementwise op, which a nest may take in."""
    producer = build.owner(init)
    if producer is None or producer.name != "linalg.broadcast":
        return init
    added = list(producer.attributes["dimensions"])
    loops = [f"d{i}" for i in range(init.type.rank)]
    kept = [loop for i, loop in enumerate(loops) if i not in added]
    return build.generic(
        [producer.operands[0]],
        build.empty(init.type.shape, init.type.element_type),
        [loops_map(loops, kept), loops_map(loops, loops)],
        "p" * len(loops),
        lambda x, _: x,
    )
