"""`zip` of iterables of one length: Python 3.9 has no `strict` to check that."""

from __future__ import annotations

import sys
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    zip_equal = zip
elif sys.version_info >= (3, 10):
    zip_equal = partial(zip, strict=True)
else:

    def zip_equal(*iterables: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """As `zip(strict=True)`. ValueError: one is shorter than another."""
        nothing = object()
        for items in zip_longest(*iterables, fillvalue=nothing):
            if any(item is nothing for item in items):
                raise ValueError("zip_equal() arguments have different lengths")
            yield items
