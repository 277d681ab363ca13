"""Inputs with sizes that a call decides: do the shapes that are given fit together?

    InputSpec("x", "float32", (1, "n", 64))     SizeRange("n", 1, 512)

A name stands for one size in all inputs of a call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Shape = tuple[Union[int, str], ...]
"""A size, or the name of one that a call decides, for each dimension."""


@dataclass(frozen=True)
class SizeRange:
    """The sizes that one name may stand for."""

    name: str
    low: int
    high: int | None
    """The largest; None: there is none."""

    def __str__(self) -> str:
        """`n = 1..512`, `n = 0..`."""
        return f"{self.name} = {self.low}..{'' if self.high is None else self.high}"


class OpenShapes:
    """The ranges of one network's sizes, asked about the shapes of one input."""

    def __init__(self, ranges: Sequence[SizeRange]):
        self._ranges: Mapping[str, SizeRange] = {one.name: one for one in ranges}

    def why_unfit(
        self,
        name: str,
        wanted: Shape,
        given: tuple[int, ...],
        known: dict[str, tuple[int, str]],
    ) -> str | None:
        """Why the input `name` cannot have this shape, after "the input `x`"; or None.

        `known` is what each name stands for in this call, and where it was found; it
        is added to.
        """
        if len(given) != len(wanted) or any(
            type(want) is int and want != size
            for want, size in zip_equal(wanted, given)
        ):
            return f"has shape {list(given)}"
        for dimension, (want, size) in enumerate(zip_equal(wanted, given)):
            if isinstance(want, int):
                continue
            span = self._ranges[want]
            has = f"has size {size} in dimension {dimension}"
            if size < span.low or (span.high is not None and size > span.high):
                return f"{has}, which is not in {span}"
            before = known.setdefault(want, (size, f"`{name}`"))
            if before[0] != size:
                return f"{has}, where {want} is {before[0]} in {before[1]}"
        return None

    def words(self, wanted: Shape) -> str:
        """The ranges of the names in a shape: `, n = 1..512`."""
        names = dict.fromkeys(size for size in wanted if isinstance(size, str))
        return "".join(f", {self._ranges[name]}" for name in names)


def shape_text(shape: Shape) -> str:
    """`[1, n, 64]`."""
    return f"[{', '.join(map(str, shape))}]"
