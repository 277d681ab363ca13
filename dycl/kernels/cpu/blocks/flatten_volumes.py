"""`cpu-flatten-volumes`: a convolution along depth alone is one of planes as rows.

Where a window has one row and one column, no pixel of a plane sees another: rows and
columns are one dimension, and depth the other. Where it has one plane, too, all three
are one.

Before:
    // 1x64x10x14x14, 32x64x3x1x1 -> 1x32x8x14x14
    %y = linalg.conv_3d_ncdhw_fcdhw ins(%x, %w) outs(%i)

After:
    // 1x64x10x196, 32x64x3x1 -> 1x32x8x196
    %xf = tensor.collapse_shape %x [[0], [1], [2], [3, 4]]
    %wf = tensor.collapse_shape %w [[0], [1], [2], [3, 4]]
    %yf = linalg.conv_2d_nchw_fchw ins(%xf, %wf) outs(%if)
    %y = tensor.expand_shape %yf [[0], [1], [2], [3, 4]]

Needs:  linalg on tensors, named ops; behind `cpu-split-phases`, whose phases may be of
        that kind, and before what rewrites convolutions of planes and rows.
Leaves: convolutions of planes or, where all taps are one, of rows.
Skips:  dynamic sizes, other dtypes than f32; wider windows, and strides along planes.
"""

import math
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.split_phases import start_of
from dycl.kernels.cpu.mlir import ir, ops

_VOLUMES = "linalg.conv_3d_ncdhw_fcdhw"


def flatten_volumes(module: Any) -> None:
    """Rewrite every convolution of `module` along depth."""
    for op in ops(module.operation):
        if op.name != _VOLUMES or not _is_along_depth(op):
            continue
        with ir.InsertionPoint(op), op.location:
            result = _flattened(op)
        op.results[0].replace_all_uses_with(result)
        op.erase()


def _is_along_depth(op: Any) -> bool:
    window = list(op.operands[1].type.shape)[2:]
    strides = [int(stride) for stride in op.attributes["strides"]]
    return (
        all(build.is_static_f32(value.type) for value in op.operands)
        and 0 not in op.results[0].type.shape
        and window[1:] == [1, 1]
        and strides[1:] == [1, 1]
    )


def _flattened(op: Any) -> Any:
    image, weights, start = op.operands
    kind = op.results[0].type
    stride, dilation = (int(op.attributes[n][0]) for n in ("strides", "dilations"))
    # Of one tap at each pixel, depth is not a dimension of its own either.
    merged = 3 if weights.type.shape[2] == 1 and stride == 1 else 2
    groups = [1] * (5 - merged) + [merged]
    shape = _flat(kind.shape, merged)
    begun = start_of(start, shape)
    if begun is None:
        begun = build.collapse(start, shape, groups)
    steps = ([stride, 1], [dilation, 1]) if merged == 2 else ([1], [1])
    result = build.convolution(
        build.collapse(image, _flat(image.type.shape, merged), groups),
        build.collapse(weights, _flat(weights.type.shape, merged), groups),
        begun,
        *steps,
    )
    return build.expand(result, list(kind.shape), groups)


def _flat(shape: Any, merged: int) -> list[int]:
    """A shape whose last dimensions are one."""
    kept, last = list(shape)[:-merged], list(shape)[-merged:]
    return [*kept, math.prod(last)]
