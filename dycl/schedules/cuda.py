"""CUDA kernels: sizes of tiles, warps, and stages of loads that are under way at once.

By the sizes of a kernel alone. Nothing here has been timed on a GPU yet: the numbers
keep a tile in the registers and shared memory of compute capability 8.0.
"""

from dataclasses import dataclass

LONGEST_ROW = 4096
"""Elements of a row that one block holds at once; longer ones are read in pieces."""
DOT_PRECISION = "tf32x3"
"""How `tl.dot` multiplies f32: three products of tf32, which lose nothing that matters.
"ieee" takes no tensor cores; "tf32" has an error of 4e-2 where these have 1e-5."""

_FLAT = 256
_TILE = 2048


@dataclass(frozen=True)
class Launch:
    """How the blocks of a function run."""

    warps: int = 4
    stages: int = 3


def power(n: int) -> int:
    """The least power of two that is not below n."""
    return 1 << max(0, n - 1).bit_length()


def flat_block(size: int) -> int:
    """Elements that one block computes one by one."""
    return min(_FLAT, max(32, power(size)))


def row_blocks(rows: int, columns: int) -> tuple[int, int]:
    """Rows of a block, and columns that it holds at once."""
    wide = min(power(columns), LONGEST_ROW if columns <= LONGEST_ROW else 1024)
    return min(power(rows), max(1, _TILE // 4 // wide)), wide


def dot_blocks(rows: int, columns: int, depth: int) -> tuple[int, int, int]:
    """Rows, columns and depth of a tile of a contraction; `tl.dot` takes 16 or more."""
    most = 64
    high = min(most, max(16, power(rows)))
    wide = min(most, max(16, power(columns)))
    return high, wide, min(32, max(16, power(depth)))


def launch_of(elements: int) -> Launch:
    """For a tile with so many elements."""
    return Launch(warps=1 if elements <= 64 else 2 if elements <= 256 else 4)
