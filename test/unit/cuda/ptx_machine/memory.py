"""Memory that knows what is allocated, who wrote it, and who may use it now."""

from collections.abc import Callable
from typing import Any

import numpy as np

GLOBAL = 0x7000_0000_0000
"""Where addresses of global memory begin."""
_GAP = 256


class PtxError(Exception):
    """What a GPU, or `compute-sanitizer`, would complain about."""


def words(memory: Any, offsets: Any, size: int) -> tuple[Any, Any]:
    """Bytes at multiples of their number: memory as words of it, and which they are.

    Of 16 bytes there are two words for each offset.
    """
    width = min(size, 8)
    seen, index = memory.view(f"u{width}"), offsets // width
    return seen, index if size == width else index[:, None] + np.arange(size // width)


def each(size: int) -> int:
    """A word in which every byte is true, as `words` has it of so many bytes."""
    return 0x0101010101010101 & (256 ** min(size, 8) - 1)


class Shadow:
    """For the bytes of memory, who wrote them last, who read them, and when.

    A thread is noted as its number plus 1, so that nobody is 0: memory of zeros costs
    nothing until it is used, and most of it is not. `unit` is how many bytes are noted
    as one: each access has to be one of so many, or a multiple, and aligned.

    `ordered(thread, epoch, other, its epoch)`: whether a barrier stands between.
    """

    def __init__(self, size: int, what: str, unit: int = 1, written: Any = None):
        self.what, self.unit = what, unit
        count = -(-size // unit)
        self.writer = np.zeros(count, np.int64)
        self.written_at = np.zeros(count, np.int64)
        self.readers = [np.zeros(count, np.int64) for _ in range(2)]
        self.read_at = [np.zeros(count, np.int64) for _ in range(2)]
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
        """Note an access of `size` bytes at each offset, a multiple of it. PtxError."""
        seen, index = words(self.is_written, offsets, size)
        if not writes and not (seen[index] == each(size)).all():
            bytes_ = (offsets[:, None] + np.arange(size)).ravel()
            byte = int(bytes_[~self.is_written[bytes_]][0])
            raise PtxError(
                f"{self.what} byte {byte} is read, and never written: {text}"
            )
        at, count = offsets // self.unit, size // self.unit
        who, when = threads, epochs
        if count > 1:
            at = (at[:, None] + np.arange(count)).ravel()
            who, when = np.repeat(threads, count), np.repeat(epochs, count)
        self._check(at, who, when, ordered, writes, text)
        if writes:
            self.writer[at], self.written_at[at] = who + 1, when
            twice = self.writer[at] != who + 1
            if self.what == "global" and twice.any():
                byte = int(at[np.argmax(twice)]) * self.unit
                raise PtxError(
                    f"race: two threads write {self.what} byte {byte} at once: {text}"
                )
            seen[index] = each(size)
        else:
            # A reader of another warp is kept beside the last one.
            last = self.readers[0][at] - 1
            moves = np.nonzero((last >= 0) & (last // 32 != who // 32))[0]
            if len(moves):
                self.readers[1][at[moves]] = last[moves] + 1
                self.read_at[1][at[moves]] = self.read_at[0][at[moves]]
            self.readers[0][at], self.read_at[0][at] = who + 1, when

    def _check(
        self, at: Any, who: Any, when: Any, ordered: Any, writes: bool, text: str
    ) -> None:
        """PtxError: one of them races with what others have done before."""
        others = [(self.writer, self.written_at)]
        if writes:
            others += list(zip(self.readers, self.read_at, strict=True))
        for other, other_at in others:
            o = other[at] - 1
            some = np.nonzero((o >= 0) & (o != who))[0]
            if not len(some):
                continue
            they, then = o[some], other_at[at[some]]
            bad = ~ordered(they, then, who[some], when[some])
            if bad.any():
                i = some[int(np.argmax(bad))]
                raise PtxError(
                    f"race on {self.what} byte {at[i] * self.unit} between threads "
                    f"{who[i]} and {o[i]}: {text}"
                )


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
        end = start + -(-size // 256) * 256 + _GAP
        assert end <= len(self.bytes), "more memory than the machine has"
        self.top = end
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
