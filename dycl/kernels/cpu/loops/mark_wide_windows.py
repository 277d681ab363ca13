"""`cpu-mark-wide-windows`: convolutions whose window is too large to be unrolled.

The mark is for `dycl/schedules/loop-order.mlir`, which has another order of loops for
them. Only convolutions that stayed plain come here.

Before:
    linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<..>, tensor<8x3x7x7xf64>)

After:
    linalg.conv_2d_nchw_fchw {dycl.wide} ins(%x, %w : tensor<..>, tensor<8x3x7x7xf64>)

Needs:  linalg, named ops.
Leaves: everything as it is, but for the mark.
Skips:  windows of up to 3x3.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops

_UNROLLED_WINDOW = 9
"""A window of 3x3 is unrolled into the loop over a row."""


def mark_wide_windows(module: Any) -> None:
    """Mark them with `dycl.wide`."""
    for op in ops(module.operation):
        if op.name == "linalg.conv_2d_nchw_fchw":
            height, width = op.operands[1].type.shape[2:]
            if height * width > _UNROLLED_WINDOW:
                op.attributes["dycl.wide"] = ir.UnitAttr.get(op.context)
