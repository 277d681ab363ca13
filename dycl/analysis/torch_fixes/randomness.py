"""Ops that draw random numbers by their name, and none with these operands."""

from typing import Any


def dropout(op: Any, x: Any, probability: float, train: bool) -> Any:
    """Dropout of no element, which is the identity, or of all."""
    if not train or probability not in (0, 1):
        return NotImplemented
    # Of all elements, eager multiplies by 0: NaN stays, and -1 gives -0.
    return op(x, 0.0, False) if probability == 0 else x * 0
