"""Memory that knows what is allocated, who wrote it, and who may use it now."""

from collections.abc import Callable
from typing import Any

import numpy as np

GLOBAL = 0x7000_0000_0000
"""Where addresses of global memory begin."""
_GAP = 256


class PtxError(Exception):
    """What a GPU, or `compute-sanitizer`, would complain about."""


class Shadow:
    """For each byte, who wrote it last, who read it, and when.

    A thread is noted as its number plus 1, so that nobody is 0: memory of zeros costs
    nothing until it is used, and most of it is not.

    `ordered(thread, epoch, other, its epoch)`: whether a barrier stands between.
    """

    def __init__(self, size: int, what: str, written: Any = None):
        self.what = what
        self.writer = np.zeros(size, np.int64)
        self.written_at = np.zeros(size, np.int64)
        self.readers = [np.zeros(size, np.int64) for _ in range(2)]
        self.read_at = [np.zeros(size, np.int64) for _ in range(2)]
        self.is_written = np.zeros(size, bool) if written is None else written

    def touch(
        self,
        offsets: Any,
        size: int,
        threads: Any,
        epochs: Any,
        ordered: Callable[..., Any],
        writes: bool,
        text: str,
    ) -> None:
        """Note an access of `size` bytes at each offset. PtxError."""
        at = (offsets[:, None] + np.arange(size)).ravel()
        who, when = np.repeat(threads, size), np.repeat(epochs, size)
        if not writes and not self.is_written[at].all():
            byte = int(at[~self.is_written[at]][0])
            raise PtxError(
                f"{self.what} byte {byte} is read, and never written: {text}"
            )
        others = [(self.writer, self.written_at)]
        if writes:
            others += list(zip(self.readers, self.read_at, strict=True))
        for other, other_at in others:
            o, oe = other[at] - 1, other_at[at]
            bad = (o >= 0) & (o != who) & ~ordered(o, oe, who, when)
            if bad.any():
                i = int(np.argmax(bad))
                raise PtxError(
                    f"race on {self.what} byte {at[i]} between threads {who[i]} and "
                    f"{o[i]}: {text}"
                )
        if writes:
            self.writer[at], self.written_at[at] = who + 1, when
            self.is_written[at] = True
        else:
            # A reader of another warp is kept beside the last one.
            last = self.readers[0][at] - 1
            moves = (last >= 0) & (last // 32 != who // 32)
            self.readers[1][at[moves]] = last[moves] + 1
            self.read_at[1][at[moves]] = self.read_at[0][at][moves]
            self.readers[0][at], self.read_at[0][at] = who + 1, when


class Memory:
    """Global memory: allocations with gaps between them."""

    def __init__(self, size: int = 1 << 22):
        self.bytes = np.zeros(size, np.uint8)
        self.is_valid = np.zeros(size, bool)
        self.is_written = np.zeros(size, bool)
        self.top = _GAP
        """Behind all that is allocated."""
        self.functions: dict[str, Callable[..., None]] = {}
        """Those of the device's runtime that kernels may call."""
        self._tables: dict[bytes, int] = {}

    def allocate(self, size: int) -> int:
        """The address of so many bytes, which nobody has written."""
        start = self.top
        self.top += -(-size // 256) * 256 + _GAP
        assert self.top <= len(self.bytes), "more memory than the machine has"
        self.is_valid[start : start + size] = True
        return GLOBAL + start

    def put(self, array: Any) -> int:
        """The address of a copy of an array."""
        address = self.allocate(array.nbytes)
        start = address - GLOBAL
        self.bytes[start : start + array.nbytes] = np.frombuffer(array.tobytes(), "u1")
        self.is_written[start : start + array.nbytes] = True
        return address

    def table(self, data: bytes) -> int:
        """The address of constants, which are put there once."""
        if data not in self._tables:
            self._tables[data] = self.put(np.frombuffer(data, "u1"))
        return self._tables[data]

    def get(self, address: int, dtype: Any, shape: tuple[int, ...]) -> Any:
        """A copy of an array. PtxError: not all of it was written."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        start = address - GLOBAL
        if not self.is_written[start : start + size].all():
            raise PtxError("a result is not written as a whole")
        return self.bytes[start : start + size].copy().view(dtype).reshape(shape)
