"""A network in one line, for `repr`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def summary(name: str, net: Any, weights: int, *more: str) -> str:
    """`CompiledModel(x: float32[1, 4]; 1 decision; native host; 96 bytes of weights)`.

    `more` stands behind the name; `weights` are bytes.
    """
    takes = ", ".join(f"{spec.name}: {spec}" for spec in net.inputs) or "no inputs"
    about = (takes, _count(len(net.decisions), "decision"), f"{net.host} host")
    return f"{name}({'; '.join((*more, *about, f'{size(weights)} of weights'))})"


def size(count: float) -> str:
    """A number of bytes: `384 bytes`, `1.7 kB`, `23.0 MB`."""
    if count < 1000:
        return _count(int(count), "byte")
    return f"{count / 1e3:.1f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def bytes_of(arrays: Sequence[Any]) -> int:
    """What arrays take together."""
    return sum(array.nbytes for array in arrays)
