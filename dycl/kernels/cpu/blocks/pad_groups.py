"""`cpu-pad-groups`: groups of channels of any number get one that blocks are made of.

Blocks are of 16 channels: groups of 24 become groups of 32, and groups of 3 groups of
4, of which four lie in a block. What is added is zero, read by nobody and cut away from
the result.

Before:
    %y = linalg.conv_2d_ngchw_gfchw ins(%x, %w) outs(%i)     // 1x4x24x.., 4x24x24x3x3

After:
    %xp = tensor.pad %x low[0, 0, 0, 0, 0] high[0, 0, 8, 0, 0]
    %wp = tensor.pad %w low[0, 0, 0, 0, 0] high[0, 8, 8, 0, 0]
    %yp = linalg.conv_2d_ngchw_gfchw {dycl.valid = 24} ins(%xp, %wp) outs(%ip)
    %y = tensor.extract_slice %yp[0, 0, 0, 0, 0] [1, 4, 24, 14, 14] [1, 1, 1, 1, 1]

Needs:  linalg on tensors, named ops; before `cpu-block-groups`.
Leaves: convolutions in groups of 2, 4, 8 or whole blocks of channels, and `dycl.valid`
        on those whose image has more channels than it had.
Skips:  dynamic sizes, other dtypes than f32, groups that are of such a number already;
        empty ones.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import LANES, VALID
from dycl.kernels.cpu.build import constant, i64
from dycl.kernels.cpu.mlir import ir, ops

GROUPED = "linalg.conv_2d_ngchw_gfchw"


def pad_groups(module: Any) -> None:
    """Rewrite every convolution of `module` in groups that make no blocks."""
    for op in ops(module.operation):
        if op.name != GROUPED or not is_known(op):
            continue
        _, filters, channels, *_ = op.operands[1].type.shape
        wanted = _padded(channels, filters)
        if wanted != (channels, filters):
            with ir.InsertionPoint(op), op.location:
                result = _convolution(op, *wanted)
            op.results[0].replace_all_uses_with(result)
            op.erase()


def is_known(op: Any) -> bool:
    """Whether all sizes of a convolution are, none is 0, and its elements are f32."""
    return all(
        build.is_static_f32(value.type) and 0 not in value.type.shape
        for value in op.operands
    )


def are_blocks(channels: int, filters: int) -> bool:
    """Whether groups are whole blocks, or several lie in one, side by side."""
    result = channels % LANES == 0 and filters % LANES == 0
    return result or channels == filters in (2, 4, 8)


def together(value: Any) -> Any:
    """N C H W that is N G C H W by these groups; None: no op has made them of it."""
    owner = build.owner(value)
    if owner is None or owner.name != "tensor.expand_shape":
        return None
    source = owner.operands[0]
    before, after = list(source.type.shape), list(value.type.shape)
    is_by_groups = (
        [len(before), len(after)] == [4, 5]
        and before[0] == after[0]
        and before[2:] == after[3:]
    )
    return source if is_by_groups else None


def _padded(channels: int, filters: int) -> tuple[int, int]:
    """Channels and filters of a group, at least so many, that make blocks."""
    for lanes in (2, 4, 8):
        if max(channels, filters) <= lanes:
            return lanes, lanes
    return -(-channels // LANES) * LANES, -(-filters // LANES) * LANES


def _convolution(op: Any, channels: int, filters: int) -> Any:
    """The result of a convolution whose groups have so many channels."""
    image, weights, start = op.operands
    valid = weights.type.shape[2]
    shape = list(op.results[0].type.shape)
    image = _filled_up(image, {2: channels})
    weights = _filled_up(weights, {1: filters, 2: channels})
    steps = ([int(x) for x in op.attributes[n]] for n in ("strides", "dilations"))
    attributes = {VALID: i64(valid)} if valid != channels else {}
    start = _start(start, filters)
    wide = build.convolution(image, weights, start, *steps, **attributes)
    return build.extract_slice(wide, [0] * 5, shape, [1] * 5)


def _start(start: Any, filters: int) -> Any:
    """A start value with so many filters in a group: a bias gets them by itself."""
    groups, before = start.type.shape[1:3]
    shape = [start.type.shape[0], groups, filters, *start.type.shape[3:]]
    element = start.type.element_type
    whole = together(start)
    owner = build.owner(start if whole is None else whole)
    if owner is not None and owner.name == "linalg.fill":
        return build.fill(owner.operands[0], build.empty(shape, element))
    if (
        whole is not None
        and owner is not None
        and owner.name == "linalg.broadcast"
        and list(owner.attributes["dimensions"]) == [0, 2, 3]
    ):
        bias = build.expand(owner.operands[0], [groups, before], [2])
        bias = build.collapse(_filled_up(bias, {1: filters}), [groups * filters], [2])
        into = build.empty([shape[0], groups * filters, *shape[3:]], element)
        whole = build.broadcast(bias, into, [0, 2, 3])
        return build.expand(whole, shape, [1, 2, 1, 1])
    return _filled_up(start, {2: filters})


def _filled_up(value: Any, sizes: dict[int, int]) -> Any:
    """A tensor with zeros at the end of some dimensions, up to these sizes."""
    shape: Sequence[int] = list(value.type.shape)
    high = [sizes.get(dim, size) - size for dim, size in enumerate(shape)]
    if not any(high):
        return value
    zero = constant(0.0, value.type.element_type)
    return build.pad(value, [0] * len(shape), high, zero)
