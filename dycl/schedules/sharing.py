"""When threads share a nest, and how evenly it can be cut for them."""

from collections.abc import Sequence

SHARED_WORK = 8_000
"""Vectors that a nest loads, computes and stores, at least, before threads share it:
some 2 us. To hand a part over takes 0.2, and some of what the other thread reads has to
come from this one's cache, at a quarter of the speed."""
LANES = 16
"""Elements of a vector."""
FUNCTIONS = {
    **dict.fromkeys(("math.exp", "math.exp2", "math.expm1", "math.log"), 40),
    **dict.fromkeys(("math.log2", "math.log10", "math.log1p", "math.tanh"), 40),
    **dict.fromkeys(("math.sin", "math.cos", "math.tan", "math.erf"), 40),
    **dict.fromkeys(("math.powf", "math.atan", "math.atan2"), 80),
    **dict.fromkeys(("arith.divf", "math.sqrt"), 8),
}
"""Operations that take so many times as long as a sum, about; others take as long."""
MOST_TRIPS = 4_096
"""An elementwise op of which so many trips are too little work is shared by no threads:
what does so little for each element waits for memory, and both for the same."""
WASTE = 0.1
"""An outer loop is shared rather than an inner one if its longest part is at most so
much longer than if all were equal."""
ROW_WASTE = 0.25
"""The same of a loop over rows, where threads do not fetch what others have left."""


def uneven(stretches: Sequence[tuple[int, int]], threads: int) -> float:
    """How much longer the longest part takes than it would if parts were equal.

    `stretches` are trips and steps of the loops that are cut: what cannot be divided
    goes to the first parts and to the last ones, by turns.
    """

    def begins(part: int, trips: int, number: int) -> int:
        return part * trips // threads if number % 2 else -(-part * trips // threads)

    parts = [
        sum(
            (begins(part + 1, trips, number) - begins(part, trips, number)) * step
            for number, (trips, step) in enumerate(stretches)
        )
        for part in range(threads)
    ]
    return max(parts) * threads / sum(parts) - 1


def shared_step(size: int, step: int, threads: int, least: int) -> int:
    """A step that is at most so long, in which threads get about equal parts.

    No result changes by a bit: sums of steps shorter than `least` are split, and such
    steps neither go nor come.
    """
    for item in range(step, step // 2, -1):
        is_whole = min(item, size % item or item, size % step or step) >= least
        stretches = [(size // item, item), (1, size % item)]
        if uneven(stretches, threads) <= WASTE and (item == step or is_whole):
            return item
    return step
