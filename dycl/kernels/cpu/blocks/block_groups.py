"""`cpu-block-groups`: convolutions in groups of channels work on blocks, too.

Groups of whole blocks: the block of the result says where the blocks of its group
begin. Groups of 2, 4 or 8 channels: several lie in one block, and each lane of the
result reads the channels of its own group.

Before:
    %x5 = tensor.expand_shape %x                                // 1x64x.. -> 1x2x32x..
    %y5 = linalg.conv_2d_ngchw_gfchw ins(%x5, %w5) outs(%i5)
    %y = tensor.collapse_shape %y5

After:
    %yb = linalg.generic {dycl.nest = "conv"} ins(%xb, %wb) outs(%ib)
          // image: (n, (f floordiv 2) * 2 + c, h + p, w + q, u)
          // of 4 channels: (n, f, h + p, w + q, (v floordiv 4) * 4 + j)
    %y = linalg.unpack %yb

Needs:  linalg on tensors, named ops; before `cpu-propagate-blocks`.
Leaves: convolutions in groups only where it skips them. Who puts the groups' channels
        together again takes the unpacked ones.
Skips:  dynamic sizes, other dtypes than f32, groups of other sizes, for which there is
        `cpu-pad-groups`. Channels that it has added, see `dycl.valid`, are not read.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import (
    LANES,
    NEST,
    VALID,
    loops_map,
    pack,
    product,
    unpack,
    windows,
)
from dycl.kernels.cpu.blocks.pad_groups import GROUPED, are_blocks, is_known
from dycl.kernels.cpu.build import i64
from dycl.kernels.cpu.mlir import ir, ops


def block_groups(module: Any) -> None:
    """Rewrite every `linalg.conv_2d_ngchw_gfchw` of `module` that can be blocked."""
    # All first: to replace one erases ops behind it, which are not to be looked at.
    grouped = [op for op in ops(module.operation) if op.name == GROUPED]
    for op in grouped:
        if not is_known(op):
            continue
        _, filters, channels, *_ = op.operands[1].type.shape
        if not are_blocks(channels, filters):
            continue
        whole = channels % LANES == 0
        with ir.InsertionPoint(op), op.location:
            image, init = (_together(op.operands[i], 1) for i in (0, 2))
            weights = _together(op.operands[1], 0)
            blocked = (_whole_blocks if whole else _within_blocks)(
                op, image, weights, init
            )
            _replace(op, unpack(blocked, init.type))


def _replace(op: Any, result: Any) -> None:
    """Give `result`, whose channels are together, to all who use `op`, and erase it.

    Who puts the channels together takes it as it is: blocks stay blocks there.
    """
    for use in list(op.results[0].uses):
        user = use.owner
        if user.name == "tensor.collapse_shape" and user.results[0].type == result.type:
            user.results[0].replace_all_uses_with(result)
            user.erase()
    if list(op.results[0].uses):
        op.results[0].replace_all_uses_with(_apart(result, op.results[0].type))
    op.erase()


def _whole_blocks(op: Any, image: Any, weights: Any, init: Any) -> Any:
    """n f h w v | c p q u, `c` counting blocks of the group."""
    _, filters, channels, *_ = op.operands[1].type.shape
    of_result, of_image = filters // LANES, channels // LANES
    out, window, reads = windows(op)
    loops = ["n", "f", *out, "v", "c", *window, "u"]
    block = f"(f floordiv {of_result}) * {of_image} + c"
    valid = _valid(op)
    attributes = {VALID: i64(valid)} if valid < channels else {}
    return build.generic(
        [pack(image), pack(weights, (1, 0))],
        pack(init),
        [
            loops_map(loops, ["n", block, *reads, "u"]),
            loops_map(loops, ["f", "c", *window, "u", "v"]),
            loops_map(loops, ["n", "f", *out, "v"]),
        ],
        "p" * (len(out) + 3) + "r" * (len(window) + 2),
        product,
        **{NEST: ir.StringAttr.get("conv"), **attributes},
    )


def _within_blocks(op: Any, image: Any, weights: Any, init: Any) -> Any:
    """n f h w v | p q j, `j` counting channels of the group."""
    channels = op.operands[1].type.shape[2]
    out, window, reads = windows(op)
    loops = ["n", "f", *out, "v", *window, "j"]
    lane = f"(v floordiv {channels}) * {channels} + j"
    sizes = [weights.type.shape[0], _valid(op), *weights.type.shape[2:]]
    if sizes[1] < channels:
        weights = build.extract_slice(weights, [0] * 4, sizes, [1] * 4)
    return build.generic(
        [pack(image), pack(weights, (0,))],
        pack(init),
        [
            loops_map(loops, ["n", "f", *reads, lane]),
            loops_map(loops, ["f", "j", *window, "v"]),
            loops_map(loops, ["n", "f", *out, "v"]),
        ],
        "p" * (len(out) + 3) + "r" * (len(window) + 1),
        product,
        **{NEST: ir.StringAttr.get("grouped")},
    )


def _valid(op: Any) -> int:
    """How many channels of a group are not zeros that fill it up."""
    if VALID in op.attributes:
        return int(op.attributes[VALID].value)
    return op.operands[1].type.shape[2]


def _together(value: Any, dim: int) -> Any:
    """Dimensions `dim` and `dim + 1` as one."""
    shape = list(value.type.shape)
    merged = [*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]]
    kind = ir.RankedTensorType.get(merged, value.type.element_type)
    producer = build.owner(value)
    if (
        producer is not None
        and producer.name == "tensor.expand_shape"
        and producer.operands[0].type == kind
    ):
        return producer.operands[0]
    return build.collapse(value, merged, _pairs(len(merged), dim))


def _apart(value: Any, kind: Any) -> Any:
    return build.expand(value, kind.shape, _pairs(value.type.rank, 1))


def _pairs(rank: int, dim: int) -> list[int]:
    """How many dimensions go into each of `rank`: two into `dim`."""
    return [2 if index == dim else 1 for index in range(rank)]
