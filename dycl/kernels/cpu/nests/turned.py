"""Squares of 16x16 turned in registers, by four rounds of shuffles."""

from collections.abc import Sequence

from dycl.kernels.cpu.nests.function_text import LANES, VECTOR, FunctionText


def turned(text: FunctionText, rows: Sequence[str]) -> list[str]:
    """The columns of sixteen vectors: blocks of 1, 2, 4 and 8 lanes change places."""
    rows = list(rows)
    for size in (1, 2, 4, 8):
        for i in range(LANES):
            if i & size:
                continue
            pair = (rows[i], rows[i + size])
            rows[i] = _shuffled(
                text, pair, [LANES + n - size if n & size else n for n in range(LANES)]
            )
            rows[i + size] = _shuffled(
                text, pair, [LANES + n if n & size else n + size for n in range(LANES)]
            )
    return rows


def _shuffled(text: FunctionText, pair: tuple[str, str], lanes: list[int]) -> str:
    order = ", ".join(map(str, lanes))
    return text.emit(
        f"vector.shuffle {pair[0]}, {pair[1]} [{order}] : {VECTOR}, {VECTOR}"
    )
