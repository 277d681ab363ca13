"""Attention in one kernel: where it is worth it, and how much of it is kept near.

The scores of some keys are a column of vectors in the first cache, sixteen queries side
by side; they never all exist. Nothing here can make a kernel wrong, only slow.
"""

from dataclasses import dataclass

LANES = 16
"""Queries side by side in a vector."""
QUERIES = 8
"""Fewer of them leave most lanes empty: products of matrices are faster then."""
WIDTH = 256
"""The longest query or value: one block of them lies in the first cache."""


@dataclass(frozen=True)
class Sizes:
    """What a schedule is chosen by."""

    queries: int
    keys: int
    width: int
    """Elements of a query and of a key."""
    values: int
    """Elements of a value."""


@dataclass(frozen=True)
class Schedule:
    """How attention runs."""

    scores: int
    """Keys whose scores are summed up side by side."""
    keys: int
    """Keys of a block: what is summed up of a row is corrected once for each block."""
    vectors: int
    """Vectors of a value that are summed up side by side ..."""
    rows: int
    """... for so many queries."""


def is_worth_it(sizes: Sizes) -> bool:
    """Whether attention of that size is one kernel."""
    return sizes.queries >= QUERIES and max(sizes.width, sizes.values) <= WIDTH


def is_worth_it_at_any_length(width: int, values: int) -> bool:
    """The same where a run decides the number of queries or of keys: products of
    matrices with such a number of columns are no nests."""
    return max(width, values) <= WIDTH


def schedule(sizes: Sizes, products: int, is_causal: bool) -> Schedule:
    """`products`: sums of a matrix product that fit the processor's registers."""
    vectors = 4 if products >= 16 else 2
    vectors = min(vectors, -(-sizes.values // LANES))
    scores = min(products, LANES)
    keys = (32 if is_causal else 128) // scores * scores
    return Schedule(scores, keys, vectors, max(1, products // vectors))
