"""`cpu-loop-order`: in plain contractions the innermost loop runs along rows.

The orders are a schedule in MLIR's transform dialect, `dycl/schedules/loop-order.mlir`,
which says the reasons. Contractions that nests are generated for do not come here.

Before:
    linalg.conv_2d_nchw_fchw ins(%x, %w) outs(%y)       // n f oh ow c kh kw

After:
    linalg.generic ins(%x, %w) outs(%y)                 // n f c oh ow kh kw

Needs:  linalg, named ops; the marks of `cpu-fold-transposes` and
        `cpu-mark-wide-windows`.
Leaves: loops that LLVM can vectorise.
Skips:  contractions whose innermost loop runs along two rows already.
"""

from typing import Any

from dycl.kernels.cpu.mlir import apply_schedule
from dycl.schedules import schedule_text


def loop_order(module: Any) -> None:
    """Apply `dycl/schedules/loop-order.mlir`."""
    apply_schedule(module, schedule_text("loop-order"))
