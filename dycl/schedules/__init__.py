"""Schedules: how a kernel runs, not what it computes. They are data, without MLIR.

- `schedule`: what a schedule of a contraction is; the registers of processors
- `tiles`: of contractions, the order of loops and what is kept in registers
- `rows`: the same where the pixels of a row are the lanes, and when that is worth it
- `sharing`: when threads share a contraction
- `winograd`: which 3x3 convolutions are done in tiles, and the tiles' matrices
- `attention`: where attention is one kernel, and how much of it is kept in a cache
- `cuda`: tiles, warps and precision of CUDA kernels
- `loop-order.mlir`: a named sequence `@__transform_main` of the transform dialect, for
  loops that have no schedule of their own

The steps in `dycl.kernels` ask them; no other package does. Sizes and orders may be
edited freely: a schedule that does not apply leaves the kernel slow, never wrong. Only
the matrices of `winograd` are numbers that a kernel computes with.
"""

from importlib.resources import files


def schedule_text(name: str) -> str:
    """The text of the schedule `name` (`loop-order`).

    Raises FileNotFoundError if there is none of that name.
    """
    return (files(__name__) / f"{name}.mlir").read_text(encoding="utf-8")
