"""Places in one piece of memory for buffers of which some must not overlap.

Large buffers come first, each into the lowest gap that those before it leave. A set of
buffers is an int whose bits are their numbers: thousands of sets of thousands fit.
"""

from bisect import bisect, insort
from collections.abc import Sequence
from heapq import heappop, heappush

ALIGNMENT = 64
"""Bytes; each buffer begins at a multiple of it."""


def aligned(size: int) -> int:
    """The bytes that a buffer of `size` bytes takes."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def place(
    sizes: Sequence[int], conflicts: Sequence[int], wanted: Sequence[int] = ()
) -> list[int]:
    """The offset of each buffer.

    `conflicts`: for each buffer the set of those that it must not overlap. `wanted`:
    for each buffer those in whose place it would best lie.
    """
    placed: list[tuple[int, int, int]] = []
    """Offset, end, number; in order."""
    offsets = [0] * len(sizes)
    width = len(sizes) // 8 + 1
    for root in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
        size = sizes[root]
        bits = conflicts[root].to_bytes(width, "little")
        taken = [
            (start, end)
            for start, end, other in placed
            if bits[other >> 3] >> (other & 7) & 1
        ]
        liked = wanted[root] & ~conflicts[root] if wanted else 0
        likes = [start for start, _, other in placed if liked and liked >> other & 1]
        fitting = (offset for offset in likes if _fits(offset, size, taken))
        offset = offsets[root] = next(fitting, _first_gap(size, taken))
        insort(placed, (offset, offset + size, root))
    return offsets


def place_in_turn(sizes: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """The offset of each buffer, needed in a span of places, both ends included.

    For many buffers: as they come to be needed, each takes the lowest gap there is.
    """
    offsets = [0] * len(sizes)
    ends: list[tuple[int, int]] = []
    """A heap: last place, number."""
    gaps: list[tuple[int, int]] = []
    """Start, end; in order, with something between any two."""
    top = 0
    for root in sorted(range(len(sizes)), key=lambda i: (spans[i][0], -sizes[i], i)):
        first, last = spans[root]
        while ends and ends[0][0] < first:
            _, other = heappop(ends)
            _free(gaps, offsets[other], offsets[other] + sizes[other])
        if gaps and gaps[-1][1] == top:
            top = gaps.pop()[0]
        fitting = (i for i, gap in enumerate(gaps) if gap[1] - gap[0] >= sizes[root])
        offset = next(fitting, None)
        if offset is None:
            offsets[root] = top
            top += sizes[root]
        else:
            start, end = gaps.pop(offset)
            offsets[root] = start
            if start + sizes[root] < end:
                gaps.insert(offset, (start + sizes[root], end))
        heappush(ends, (last, root))
    return offsets


def _free(gaps: list[tuple[int, int]], start: int, end: int) -> None:
    """Add a gap, as one with those that it touches."""
    at = bisect(gaps, (start, end))
    if at < len(gaps) and gaps[at][0] == end:
        end = gaps.pop(at)[1]
    if at > 0 and gaps[at - 1][1] == start:
        start = gaps.pop(at - 1)[0]
        at -= 1
    if start < end:
        gaps.insert(at, (start, end))


def overlapping(spans: Sequence[tuple[int, int]]) -> list[int]:
    """For each span the set of others that it meets."""
    return [
        sum(
            1 << j
            for j, (low, high) in enumerate(spans)
            if i != j and low <= last and first <= high
        )
        for i, (first, last) in enumerate(spans)
    ]


def _fits(offset: int, size: int, taken: list[tuple[int, int]]) -> bool:
    return all(end <= offset or offset + size <= start for start, end in taken)


def _first_gap(size: int, taken: list[tuple[int, int]]) -> int:
    """The lowest place; `taken` is in order."""
    offset = 0
    for start, end in taken:
        if offset + size <= start:
            break
        offset = max(offset, end)
    return offset
