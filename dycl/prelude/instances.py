"""Questions about classes that torch has functions of its own for."""

from typing import Any


def jit_isinstance(value: Any, kind: Any) -> bool:
    """`torch.jit.isinstance` of a class, which is Python's `isinstance`."""
    return isinstance(value, kind)
