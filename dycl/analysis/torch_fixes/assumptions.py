"""What the fixes may assume of the ops that torch is tracing.

torch calls a fix with the operands of an op and nothing else, and a fix calls torch,
which calls fixes again. So what one fix has seen to, an index in range, reaches the
next one by a context variable only. It is set around calls of torch, by `assuming`, and
never reaches a pass.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Assumptions:
    """What holds for all ops that are traced now."""

    open_numbers: bool = False
    """Numbers among the operands stand for ones that depend on the input."""
    can_divide: bool = False
    """No divisor is 0 or -1."""
    in_range: bool = False
    """Indices are in range."""
    can_index: bool = False
    """Indices are in a form that torch-mlir can lower."""


_NONE = Assumptions()
_assumed: ContextVar[Assumptions] = ContextVar("dycl_assumptions", default=_NONE)


def assumed() -> Assumptions:
    """What may be assumed here."""
    return _assumed.get()


@contextmanager
def assuming(**known: bool) -> Generator[None]:
    """Trace with these fields of `Assumptions` set."""
    token = _assumed.set(replace(_assumed.get(), **known))
    try:
        yield
    finally:
        _assumed.reset(token)
