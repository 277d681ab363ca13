"""A size times a float, as a fraction of ints: `int(n * 0.6)` is `n * 3 // 5`.

The product of a size and a float may be rounded: `int(90 * 0.7)` is 62. A fraction
with a small divisor of two is exact; any other is tried for each size in the range.
"""

from fractions import Fraction
from functools import lru_cache

MOST_EXACT = 1 << 12
"""Of a float's numerator and denominator: a product with a size is not rounded."""
_MOST_TRIED = 1 << 16
_DIVISORS = (10, 100, 1000, MOST_EXACT)


@lru_cache(1024)
def fraction_of(
    factor: float, low: int | None, high: int | None
) -> tuple[int, int] | None:
    """Numerator and divisor by which sizes from `low` to `high` are multiplied.

    None: there are none, or it is not known for so many sizes, or for those below zero.
    """
    if factor <= 0 or low is None or low < 0:
        return None
    exact = factor.as_integer_ratio()
    if max(exact) < MOST_EXACT:
        return exact
    if high is None or high - low > _MOST_TRIED:
        return None
    for most in _DIVISORS:
        found = Fraction(factor).limit_denominator(most)
        over, under = found.as_integer_ratio()
        sizes = range(low, high + 1)
        if all(int(size * factor) == size * over // under for size in sizes):
            return over, under
    return None
