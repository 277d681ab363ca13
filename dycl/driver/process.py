"""What a compilation asks of the Python process around it, for as long as it takes."""

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager

_ALLOCATIONS = 100_000
"""Containers made between two collections; Python's own 700 are for small programs."""
_YOUNG = 100
"""Collections that leave alone what is old, before one that looks at all of torch."""


@contextmanager
def deep_recursion() -> Generator[None]:
    """Let xDSL clone, print and verify programs as deep as the user nests them.

    An `elif` is nested in the one before; Python's usual limit allows for some sixty.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def rare_collections() -> Generator[None]:
    """Let the IR grow without looking at all of it, and all of torch, each time.

    Every op is a cycle, so collections go on; but most of what they look at stays.
    """
    before = gc.get_threshold()
    often = max(before[0], _ALLOCATIONS) if before[0] else 0
    gc.set_threshold(often, before[1], max(before[2], _YOUNG))
    try:
        yield
    finally:
        gc.set_threshold(*before)
