"""Squares of 16x16 transposed in registers, by four rounds of shuffles."""

from collections.abc import Sequence

from dycl.kernels.cpu.nests.function import LANES, Function, Value


def transposed(function: Function, rows: Sequence[Value]) -> list[Value]:
    """The columns of sixteen vectors: blocks of 1, 2, 4 and 8 lanes change places."""
    rows = list(rows)
    for size in (1, 2, 4, 8):
        for i in range(LANES):
            if i & size:
                continue
            pair = (rows[i], rows[i + size])
            rows[i] = function.shuffled(
                *pair, [LANES + n - size if n & size else n for n in range(LANES)]
            )
            rows[i + size] = function.shuffled(
                *pair, [LANES + n if n & size else n + size for n in range(LANES)]
            )
    return rows
