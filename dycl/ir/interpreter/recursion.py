"""Recursion of local functions: how deep it may be, here and in Python."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from dycl.ir.dialect import LocalCallOp
from dycl.ir.interpreter.result import location_of

_FRAMES = 200
"""Calls of Python's in which one call of a local function is surely run."""


class RecursionLimit(RecursionError):
    """More calls of local functions were open than `max_depth` of them allows."""

    code = "DY605"
    """That of the error of a compiled network."""


def check_depth(depth: int, op: LocalCallOp) -> None:
    """Raise RecursionLimit: a call is one more than may be open at once."""
    limit = op.function.max_depth
    if limit is not None and depth > limit:
        raise RecursionLimit(
            f"the call at {location_of(op.location)} is in {limit} others that are "
            f"still open, which is max_recursion ({RecursionLimit.code})"
        )


@contextmanager
def deeper_python(depth: int) -> Generator[None]:
    """Let Python's own calls nest further, where this is the first of a recursion."""
    before = sys.getrecursionlimit()
    if depth % 100 == 1:
        sys.setrecursionlimit(before + 100 * _FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
