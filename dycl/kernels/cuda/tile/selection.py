"""Functions that select in a row as eager does, so that ties come in eager's order.

What the CPU's kernels do in `dycl/kernels/cpu/selection`, step by step: eager's C++
library decides by its heaps and its partitions which of equal elements is taken. One
warp runs them on a row in memory, `v` the values and `p` the places, `S` apart (a
number that a run may decide); all of its threads compute the same, and a barrier stands
between accesses.
"""

import re

from dycl.kernels.cuda.tile.sizes import Size

_SOURCE = """
def before(a, b, GREATEST: tl.constexpr):
    if GREATEST:
        return (a > b) | ((a != a) & (b == b))
    else:
        return (a < b) | ((b != b) & (a == a))

def put(v, p, at, value, place, S):
    tl.debug_barrier()
    tl.store(v + at * S, value)
    tl.store(p + at * S, place)
    tl.debug_barrier()

def move(v, p, source, to, S):
    put(v, p, to, tl.load(v + source * S), tl.load(p + source * S), S)

def swap(v, p, i, j, S):
    value, place = tl.load(v + i * S), tl.load(p + i * S)
    move(v, p, j, i, S)
    put(v, p, j, value, place, S)

def adjust(v, p, first, hole, n, value, place, GREATEST: tl.constexpr, S):
    at = hole
    while at < (n - 1) // 2:
        left = 2 * at + 1
        child = tl.load(v + (first + left) * S)
        other = tl.load(v + (first + left + 1) * S)
        taken = tl.where(before(other, child, GREATEST), left, left + 1)
        move(v, p, first + taken, first + at, S)
        at = taken
    if (n % 2 == 0) & (2 * at + 2 == n):
        move(v, p, first + n - 1, first + at, S)
        at = n - 1
    above = tl.maximum(at - 1, 0) // 2
    while (at > hole) & before(tl.load(v + (first + above) * S), value, GREATEST):
        move(v, p, first + above, first + at, S)
        at = above
        above = tl.maximum(at - 1, 0) // 2
    put(v, p, first + at, value, place, S)

def heap(v, p, first, middle, last, GREATEST: tl.constexpr, S):
    n = middle - first
    parents = n // 2
    for k in range(0, parents):
        at = parents - 1 - k
        value = tl.load(v + (first + at) * S)
        place = tl.load(p + (first + at) * S)
        adjust(v, p, first, at, n, value, place, GREATEST, S)
    for k in range(middle, last):
        value, place = tl.load(v + k * S), tl.load(p + k * S)
        if before(value, tl.load(v + first * S), GREATEST):
            move(v, p, first, k, S)
            adjust(v, p, first, 0, n, value, place, GREATEST, S)

def unheap(v, p, first, last, GREATEST: tl.constexpr, S):
    n = last - first
    for k in range(1, n):
        left = n - k
        value = tl.load(v + (first + left) * S)
        place = tl.load(p + (first + left) * S)
        move(v, p, first, first + left, S)
        adjust(v, p, first, 0, left, value, place, GREATEST, S)

def insert(v, p, first, last, GREATEST: tl.constexpr, S):
    for k in range(first + 1, last):
        value, place = tl.load(v + k * S), tl.load(p + k * S)
        at = k
        left = k - 1
        while (at > first) & before(value, tl.load(v + left * S), GREATEST):
            move(v, p, left, at, S)
            at = left
            left = tl.maximum(at - 1, 0)
        put(v, p, at, value, place, S)

def past(value, pivot, REVERSED: tl.constexpr, GREATEST: tl.constexpr):
    if REVERSED:
        return before(pivot, value, GREATEST)
    else:
        return before(value, pivot, GREATEST)

def first_not(v, at, pivot, REVERSED: tl.constexpr, GREATEST: tl.constexpr, S):
    while past(tl.load(v + at * S), pivot, REVERSED, GREATEST):
        at += 1
    return at

def last_not(v, at, pivot, REVERSED: tl.constexpr, GREATEST: tl.constexpr, S):
    while past(tl.load(v + at * S), pivot, not REVERSED, GREATEST):
        at -= 1
    return at

def partition(v, p, first, last, GREATEST: tl.constexpr, S):
    second, half, end = first + 1, first + (last - first) // 2, last - 1
    a, b, c = tl.load(v + second * S), tl.load(v + half * S), tl.load(v + end * S)
    bc, ac = before(b, c, GREATEST), before(a, c, GREATEST)
    rising = tl.where(bc, half, tl.where(ac, end, second))
    falling = tl.where(ac, second, tl.where(bc, end, half))
    swap(v, p, first, tl.where(before(a, b, GREATEST), rising, falling), S)
    pivot = tl.load(v + first * S)
    low = first_not(v, second, pivot, False, GREATEST, S)
    high = last_not(v, end, pivot, False, GREATEST, S)
    while low < high:
        swap(v, p, low, high, S)
        low = first_not(v, low + 1, pivot, False, GREATEST, S)
        high = last_not(v, high - 1, pivot, False, GREATEST, S)
    return low

def deep(n):
    depth = 0
    while n > 1:
        n = n // 2
        depth += 2
    return depth

def nth(v, p, n, k, most, GREATEST: tl.constexpr, S):
    first, last, depth = 0, n, most
    while last - first > 3:
        if depth == 0:
            heap(v, p, first, k + 1, last, GREATEST, S)
            swap(v, p, first, k, S)
            last = first
        else:
            cut = partition(v, p, first, last, GREATEST, S)
            first, last = tl.where(cut <= k, cut, first), tl.where(cut <= k, last, cut)
            depth -= 1
    insert(v, p, first, last, GREATEST, S)

def parts(v, p, n, DEPTH: tl.constexpr, GREATEST: tl.constexpr, S):
    slot = tl.arange(0, 64)
    firsts, lasts = tl.zeros((64,), tl.int32), tl.where(slot == 0, n, 0)
    depths = tl.full((64,), DEPTH, tl.int32)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        here, following = slot == waiting, slot == waiting + 1
        first = tl.sum(tl.where(here, firsts, 0))
        last = tl.sum(tl.where(here, lasts, 0))
        depth = tl.sum(tl.where(here, depths, 0))
        if last - first > 16:
            if depth == 0:
                heap(v, p, first, last, last, GREATEST, S)
                unheap(v, p, first, last, GREATEST, S)
            else:
                cut = partition(v, p, first, last, GREATEST, S)
                firsts = tl.where(here, cut, tl.where(following, first, firsts))
                lasts = tl.where(here, last, tl.where(following, cut, lasts))
                depths = tl.where(here | following, depth - 1, depths)
                waiting += 2
    insert(v, p, 0, n, GREATEST, S)

def larger(v, p, i, j, S):
    if before(tl.load(v + i * S), tl.load(v + j * S), True):
        swap(v, p, i, j, S)

def select(v, p, n, k, S):
    low, high = 0, n - 1
    while high > low:
        if high == low + 1:
            larger(v, p, low, high, S)
            high = low
        else:
            second, begin, cut = low + 1, low + 1, high
            swap(v, p, low + (high - low) // 2, second, S)
            larger(v, p, second, high, S)
            larger(v, p, low, high, S)
            larger(v, p, second, low, S)
            pivot = tl.load(v + low * S)
            begin = first_not(v, begin + 1, pivot, True, True, S)
            cut = last_not(v, cut - 1, pivot, True, True, S)
            while cut >= begin:
                swap(v, p, begin, cut, S)
                begin = first_not(v, begin + 1, pivot, True, True, S)
                cut = last_not(v, cut - 1, pivot, True, True, S)
            swap(v, p, low, cut, S)
            low = tl.where(cut <= k, begin, low)
            high = tl.where(cut >= k, cut - 1, high)
"""
SELECTION = {
    text.split("(")[0].removeprefix("def "): text.rstrip()
    for text in re.split(r"\n(?=def )", _SOURCE.strip())
}
"""Each function's text, by its name."""


def called(name: str) -> list[str]:
    """A function, and all that it calls."""
    found = [name]
    for one in found:
        names = re.findall(r"(\w+)\(", SELECTION[one])
        found += [n for n in dict.fromkeys(names) if n in SELECTION and n not in found]
    return found


def selecting(
    size: Size, k: int, is_sorted: bool | None
) -> list[tuple[str, list[tuple[str, str]]]]:
    """What is to be called, in order, and with which arguments behind `v` and `p`, to
    put `k` of `size` elements in front; without `is_sorted`, the last one of them
    alone. The same choices as eager's: a heap for a small share, else partitions; where
    a run decides it, each behind its condition."""
    if is_sorted is None:
        return [("", [("select", f"{size}, {k - 1}")])]
    heap = [("heap", f"0, {k}, {size}"), ("unheap", f"0, {k}")]
    depth = _depth(size) if isinstance(size, int) else f"deep({size})"
    parts = [("nth", f"{size}, {k - 1}, {depth}")]
    if is_sorted and k - 1 > 16:
        parts.append(("parts", f"{k - 1}, {_depth(k - 1)}"))
    elif is_sorted:
        parts.append(("insert", f"0, {k - 1}"))
    if isinstance(size, int):
        return [("", heap if k * 64 <= size else parts)]
    return [(f"if {size} >= {k * 64}:", heap), ("else:", parts)]


def _depth(size: int) -> int:
    return 2 * (size.bit_length() - 1)
