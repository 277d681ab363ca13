"""The sizes of an exported program's inputs that each call decides.

torch has a symbol for each, with a range; dimensions of one symbol are of one size. It
keeps no name of it, so a size is called after the first dimension that has it.
"""

import re
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute

from dycl.ir.input_sizes import InputSize, sizes_attr
from dycl.ir.torch import DYNAMIC, VTensorType

_MOST = 2**62


class DerivedSize(Exception):
    """A size is reckoned from others; the text says how."""


class ExportedSizes:
    """The symbols of one program that have been met, in order."""

    def __init__(self, program: Any):
        self._ranges: dict[Any, Any] = program.range_constraints
        self._places: dict[Any, list[tuple[str, int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._places)

    def of(self, name: str, shape: Sequence[Any]) -> list[int]:
        """The shape of the input `name`, with `?` for what calls decide.

        DerivedSize: a size is an expression of symbols.
        """
        result: list[int] = []
        for dimension, size in enumerate(shape):
            if type(size).__name__ != "SymInt":
                result.append(int(size))
                continue
            symbol = size.node.expr
            if symbol.is_Integer:
                result.append(int(symbol))
                continue
            if not symbol.is_Symbol:
                raise DerivedSize(re.sub(r"\bs\d+\b", "n", str(symbol)))
            self._places.setdefault(symbol, []).append((name, dimension))
            result.append(DYNAMIC)
        return result

    def attr(self) -> ArrayAttr[Attribute]:
        """The attribute `dycl.sizes`."""
        sizes: list[InputSize] = []
        for symbol, places in self._places.items():
            name, dimension = places[0]
            low, high = self._range(symbol)
            called = f"{name}.size({dimension})"
            sizes.append(InputSize(called, low, high, tuple(places)))
        return sizes_attr(sizes)

    def _range(self, symbol: Any) -> tuple[int, int | None]:
        found = self._ranges.get(symbol)
        if found is None:
            return 0, None
        # torch says "no bound" by numbers of its own that are no integers.
        low, high = found.lower, found.upper
        is_bounded = bool(high.is_Integer) and int(high) < _MOST
        return max(0, int(low)), int(high) if is_bounded else None


def is_one_of(given: Attribute, taken: Attribute) -> bool:
    """Whether a type is one that a program takes, whose sizes may be open."""
    if not isinstance(given, VTensorType) or not isinstance(taken, VTensorType):
        return given == taken
    sizes, wanted = given.sizes() or (), taken.sizes() or ()
    return (
        given.element_type() == taken.element_type()
        and len(sizes) == len(wanted)
        and all(
            want in (DYNAMIC, size) for size, want in zip(sizes, wanted, strict=True)
        )
    )
